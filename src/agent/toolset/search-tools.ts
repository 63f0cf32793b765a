import type { JsonObject } from "../../core/json.js";
import { nonBlank } from "../../core/snapshot.js";
import { describeUnlisted } from "../adapters/system-prompt.js";
import { describeToolData, describeToolSignature } from "./describe-tool-data.js";
import { describeHit, findUnknownFilter, MOST_COUNTED, type WantedTools } from "./find-tools.js";
import { type MetaToolDefinition, objectOf } from "./meta-tool.js";
import { resolveName } from "./toolset-catalog.js";
import { LONGEST_NAME } from "../registry/tool-names.js";
import { answerWith, answerWithError, toolsetError } from "./toolset-error.js";
import type { ToolAnswer } from "./toolset.js";

const LONGEST_QUERY = 1_000;

export const search: MetaToolDefinition = {
  name: "search_tools",
  describe: ({ describe }) =>
    `Find tools for a task, in plain words; or list a category's names, in pages. Then ${describe}.`,
  inputSchema: objectOf({
    query: { type: "string", description: "For example: schedule a blog post" },
    category: { type: "string" },
    server: { type: "string" },
    limit: { type: "integer", minimum: 1, maximum: MOST_COUNTED, description: "Default 5; for names 100" },
    offset: { type: "integer", minimum: 0 },
  }),
  answer: async (args, { names: { introspect }, source, view, warn }) => {
    const catalog = await view.open();
    const wanted = readWanted(args);
    const { query } = wanted;
    if (hasNoCondition(wanted))
      return refuseEmpty(`Set "query" to what you want to do, or "category" to one listed by ${introspect}.`);
    const servers = source.servers.map(({ name }) => name);
    const unknown = findUnknownFilter(wanted, catalog.visible, servers);
    if (unknown !== undefined) {
      const suggestion = [unknown.suggestion, ...describeUnlisted(source.servers)].join(" ");
      const issues = [{ path: unknown.key, message: unknown.message }];
      return answerWithError(toolsetError("VALIDATION_ERROR", unknown.message, suggestion, { issues }));
    }
    const { hits, total, next, warning } = await catalog.find(wanted);
    if (warning !== undefined) warn(warning);
    // Without a query there is no way to rank the tools, so a model gets the names of all of them.
    if (query === undefined && total > 0)
      return answerWith({ names: hits.map(({ tool }) => catalog.nameOf(tool)), total, next });
    const tools = hits.map((hit) => describeHit(hit, catalog.nameOf(hit.tool)));
    const advice = `Try other words, or a category listed by ${introspect}.`;
    const suggestion = total === 0 ? [advice, ...describeUnlisted(source.servers)].join(" ") : undefined;
    return answerWith({ tools, total, next, query: query ?? "", suggestion });
  },
};

export function hasNoCondition({ query, category, server }: WantedTools): boolean {
  return [query, category, server].every((value) => value === undefined);
}

export function refuseEmpty(suggestion: string): ToolAnswer {
  const issues = [{ path: "query", message: "Missing query or category" }];
  const text = { type: "string" };
  const schema = { type: "object", properties: { query: text, category: text } };
  const message = "Missing query or category.";
  return answerWithError(toolsetError("VALIDATION_ERROR", message, suggestion, { issues, schema }));
}

/** Returns the conditions in the arguments of a search. Empty texts count as absent. */
export function readWanted({ query, category, server, limit, offset }: JsonObject): WantedTools {
  return {
    query: nonBlank(query)?.slice(0, LONGEST_QUERY),
    category: nonBlank(category),
    server: nonBlank(server),
    limit: typeof limit === "number" ? limit : undefined,
    offset: typeof offset === "number" ? offset : undefined,
  };
}

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
      names.map(async (name) => ({ name, resolution: await catalog.resolve(name) })),
    );
    const shownTools = new Set(
      resolved.flatMap(({ resolution }) => (resolution.kind === "tool" ? [resolution.tool] : [])),
    );
    const tools = await Promise.all(
      [...shownTools].map(async (tool): Promise<object> => {
        const facts = describeToolData(tool, catalog.nameOf(tool));
        if (format !== "typescript") return facts;
        const { name, description, category, annotations } = facts;
        return { name, description, category, signature: await describeToolSignature(tool), annotations };
      }),
    );
    const missing = resolved.filter(({ resolution }) => resolution.kind !== "tool");
    const notFound = missing.map(({ name }) => name.slice(0, LONGEST_NAME));
    if (missing.length === 0) return answerWith({ tools, notFound });
    const near = missing.slice(0, MOST_SUGGESTED).flatMap(({ resolution }) => {
      if (resolution.kind === "several") return resolution.names;
      return resolution.kind === "none" ? resolution.nearest : [];
    });
    const nearest = [...new Set(near)].slice(0, 2 * MOST_SUGGESTED);
    return answerWith({ tools, notFound, nearest, suggestion: `Find tools with ${meta.search}.` });
  },
};
