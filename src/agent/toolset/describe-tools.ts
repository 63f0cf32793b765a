import { describeToolData, describeToolSignature } from "./describe-tool-data.js";
import { type MetaToolDefinition, objectOf } from "./meta-tool.js";
import { resolveName } from "./toolset-catalog.js";
import { LONGEST_NAME } from "../registry/tool-names.js";
import { answerWith } from "./toolset-error.js";

const MOST_DESCRIBED = 20;
/** The maximum number of unknown names that get suggestions. */
const MOST_SUGGESTED = 5;

/** Describes tools by name. Tools that the policy hides are not found. */
export const describe: MetaToolDefinition = {
  name: "describe_tools",
  describe: ({ execute }) =>
    `Arguments and results of tools, by name; typescript is shorter. Call before ${execute}.`,
  inputSchema: objectOf(
    {
      tools: { type: "array", items: { type: "string" }, minItems: 1, maxItems: MOST_DESCRIBED },
      format: { type: "string", enum: ["schema", "typescript"], default: "schema" },
    },
    ["tools"],
  ),
  answer: async ({ tools: wanted, format }, { names: meta, source, view }) => {
    const names = [...new Set(Array.isArray(wanted) ? wanted.map(String) : [])];
    await Promise.all(names.map((name) => resolveName(name, view, source)));
    const catalog = await view.open();
    const resolved = await Promise.all(
      names.map(async (name) => ({ name, found: await catalog.resolve(name) })),
    );
    const shownTools = new Set(
      resolved.flatMap(({ found: resolution }) => (resolution.kind === "tool" ? [resolution.tool] : [])),
    );
    const tools = await Promise.all(
      [...shownTools].map(async (tool): Promise<object> => {
        const facts = describeToolData(tool, catalog.nameOf(tool));
        if (format !== "typescript") return facts;
        const { name, description, category, annotations } = facts;
        return { name, description, category, signature: await describeToolSignature(tool), annotations };
      }),
    );
    const missing = resolved.filter(({ found: resolution }) => resolution.kind !== "tool");
    const notFound = missing.map(({ name }) => name.slice(0, LONGEST_NAME));
    if (missing.length === 0) return answerWith({ tools, notFound });
    const near = missing
      .slice(0, MOST_SUGGESTED)
      .flatMap(({ found: resolution }) =>
        resolution.kind === "several"
          ? resolution.names
          : resolution.kind === "none"
            ? resolution.nearest
            : [],
      );
    const nearest = [...new Set(near)].slice(0, 2 * MOST_SUGGESTED);
    return answerWith({ tools, notFound, nearest, suggestion: `Find tools with ${meta.search}.` });
  },
};
