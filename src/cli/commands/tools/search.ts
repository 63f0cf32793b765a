import { decide, statedEffectOf } from "../../../core/decide.js";
import { serverNameOf, categoryNameOf } from "../../../core/tool-name.js";
import { createToolFinder, findUnknownFilter, summarize } from "../../../agent/toolset/find-tools.js";
import { STATIC_TOOLS } from "../../../core/connection.js";
import { quoteAll } from "../../../core/collections.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { FoundTool } from "../../../report/documents.js";
import { printSearch } from "../../../report/print-list.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type OpenedTools, withOpenedTools } from "../../open-tools.js";
import { printCommand } from "../../print-text.js";
import type { SEARCH_FLAGS } from "./spec.js";

const DEFAULT_LIMIT = 10;

/** Prints the tools that match a query or a category, best first. */
export const runSearch: Runner<typeof SEARCH_FLAGS> = (context, words, options) => {
  const query = words.join(" ");
  const { category, server: serverFilter = [], limit: most, ...credentials } = options;
  if (query.trim() === "" && category === undefined)
    throw usageError(
      "Missing search query.",
      'For example: npx mcp-codegen search "write a new article", or --category with its name.',
    );
  // A category alone lists all of its tools.
  const limit = most ?? (query.trim() === "" ? Infinity : DEFAULT_LIMIT);
  const [server, other] = serverFilter;
  // Several values can only be names of configured servers.
  const named = other === undefined ? server : undefined;
  return withOpenedTools(context, { server: named, ...credentials }, async (opened) => {
    if (opened.isLocked) assertConfigured(serverFilter, opened);
    const { names, serverWords, policy } = opened;
    if (category !== undefined) assertCategory(category, opened);
    const isFiltered = opened.isLocked && server !== undefined;
    const searched = opened.tools.filter((tool) => !isFiltered || serverFilter.includes(serverNameOf(tool)));
    const result = await createToolFinder(searched, { policy }).find({ query, limit, category });
    const tools = result.hits.map(({ tool, score }): FoundTool => ({
      name: names.nameOf(tool),
      server: serverNameOf(tool),
      category: categoryNameOf(tool),
      effect: statedEffectOf(tool, policy),
      description: summarize(tool.description ?? tool.title ?? ""),
      score,
    }));
    const { total } = result;
    return context.report(
      { report: "search", exitCode: 0, query, tools, total },
      printSearch({ tools, total, list: printCommand("list", serverWords) }, context),
    );
  });
};

function assertConfigured(servers: readonly string[], { project, tools }: OpenedTools): void {
  const hasOwn = tools.some(({ server }) => server === undefined);
  const names = [...Object.keys(project.config.servers), ...(hasOwn ? [STATIC_TOOLS] : [])];
  const unknown = servers.find((server) => !names.includes(server));
  if (unknown === undefined) return;
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server ${JSON.stringify(unknown)}.`, {
    hint: `It has ${quoteAll(names)}.`,
  });
}

function assertCategory(category: string, { tools, policy }: OpenedTools): void {
  const visible = tools.filter((tool) => decide(tool, policy).isVisible);
  const unknown = findUnknownFilter({ category }, visible);
  if (unknown === undefined) return;
  throw usageError(unknown.message, unknown.suggestion);
}
