import { buildPostings, packPostings } from "../../../agent/search/postings.js";
import { findUnknownFilter, summarize } from "../../../agent/toolset/find-tools.js";
import { quoteAll } from "../../../core/collections.js";
import { STATIC_TOOLS } from "../../../core/connection.js";
import { decide, statedEffectOf } from "../../../core/decide.js";
import { McpCodegenError } from "../../../core/errors.js";
import { categoryNameOf, serverNameOf } from "../../../core/tool-name.js";
import type { ServerOptions } from "../../ad-hoc-server.js";
import { usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { type OpenedTools, withOpenedTools } from "../../open-tools.js";
import type { IndexedTool, SearchedTools } from "./search.js";

/** Opens the tools and indexes those that the policy shows. Throws `SERVER_UNKNOWN` for a server that is not configured. */
export function indexTools(
  context: Context,
  servers: readonly string[],
  options: ServerOptions,
): Promise<SearchedTools> {
  return withOpenedTools(context, options, (opened) => {
    const { names, policy, isLocked, serverWords } = opened;
    if (isLocked) assertConfigured(servers, opened);
    const visible = opened.tools.filter((tool) => decide(tool, policy).isVisible);
    const tools = visible.map((tool): IndexedTool => ({
      name: tool.name,
      document: {
        name: names.nameOf(tool),
        server: serverNameOf(tool),
        category: categoryNameOf(tool),
        effect: statedEffectOf(tool, policy),
        description: summarize(tool.description ?? tool.title ?? ""),
      },
    }));
    return { tools, postings: packPostings(buildPostings(visible)), isLocked, serverWords };
  });
}

function assertConfigured(servers: readonly string[], { project, tools }: OpenedTools): void {
  const hasOwn = tools.some(({ server }) => server === undefined);
  const names = [...Object.keys(project.config.servers), ...(hasOwn ? [STATIC_TOOLS] : [])];
  const unknown = servers.find((server) => !names.includes(server));
  if (unknown === undefined) return;
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server ${JSON.stringify(unknown)}.`, {
    hint: `It has ${quoteAll(names)}.`,
  });
}

/** Throws `USAGE` for a category that no tool has, with the nearest; nothing if there are no tools. */
export function refuseCategory(category: string, tools: readonly IndexedTool[]): void {
  const unknown = findUnknownFilter(
    { category },
    tools.map(({ document }) => document),
  );
  if (unknown !== undefined) throw usageError(unknown.message, unknown.suggestion);
}
