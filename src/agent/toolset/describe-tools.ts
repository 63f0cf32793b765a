import type { JsonObject } from "../../contract/json.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { describeToolData } from "./describe-tool-data.js";
import { describeToolSignature } from "./describe-tool-data.js";
import { answerWith } from "./toolset-answer.js";
import type { ToolCatalog } from "./toolset-catalog.js";
import { LONGEST_NAME, type MetaNames } from "./toolset-error.js";
import type { ToolsetAnswer } from "./toolset.js";

/** For so many of the names that stand for nothing, near ones are looked for. */
const MOST_MENDED = 5;

/** Answers `describe_tools`. What the policy hides is not found. */
export async function describeTools(
  catalog: ToolCatalog,
  { tools: wanted, format }: JsonObject,
  meta: MetaNames,
): Promise<ToolsetAnswer> {
  const names = [...new Set(Array.isArray(wanted) ? wanted.map(String) : [])];
  const resolved = await Promise.all(
    names.map(async (name) => ({ name, found: await catalog.resolve(name) })),
  );
  const found = new Set(resolved.flatMap(({ found: one }) => (one.kind === "tool" ? [one.tool] : [])));
  const tools = await Promise.all(
    [...found].map((tool) => describeTool(tool, catalog.nameOf(tool), format === "typescript")),
  );
  const missing = resolved.filter(({ found: one }) => one.kind !== "tool");
  const near = missing.slice(0, MOST_MENDED).flatMap(({ found: one }) => {
    if (one.kind === "several") return one.names;
    return one.kind === "none" ? one.nearest : [];
  });
  const nearest = [...new Set(near)].slice(0, 2 * MOST_MENDED);
  return answerWith({
    tools,
    notFound: missing.map(({ name }) => name.slice(0, LONGEST_NAME)),
    ...(missing.length > 0 && { nearest, suggestion: `Find tools with ${meta.search}.` }),
  });
}

async function describeTool(tool: RegisteredTool, name: string, isShort: boolean): Promise<object> {
  const facts = describeToolData(tool, name);
  if (!isShort) return facts;
  const { description, category, annotations } = facts;
  return { name, description, category, signature: await describeToolSignature(tool), annotations };
}
