import { buildPostings, packPostings } from "../../../agent/search/postings.js";
import { summarize } from "../../../agent/toolset/find-tools.js";
import { omitUndefined } from "../../../core/collections.js";
import { decide, statedEffectOf } from "../../../core/decide.js";
import { categoryNameOf, serverNameOf } from "../../../core/tool-name.js";
import { getConfigured, type ServerOptions } from "../../ad-hoc-server.js";
import type { Context } from "../../context.js";
import { withOpenedTools } from "../../open-tools.js";
import type { IndexedTool, SearchedTools } from "./search.js";

/** Opens the tools and indexes those that the policy shows. Throws `SERVER_UNKNOWN` for a server that is not configured. */
export function indexTools(
  context: Context,
  servers: readonly string[],
  options: ServerOptions,
): Promise<SearchedTools> {
  return withOpenedTools(context, options, (opened) => {
    const { names, policy, isLocked, serverWords } = opened;
    const configured = Object.keys(opened.project.config.servers);
    if (isLocked) for (const server of servers) getConfigured(server, configured);
    const visible = opened.tools.filter((tool) => decide(tool, policy).isVisible);
    const tools = visible.map((tool): IndexedTool => {
      const server = serverNameOf(tool);
      const category = categoryNameOf(tool);
      const description = summarize(tool.description ?? tool.title ?? "");
      const effect = statedEffectOf(tool, policy);
      return {
        name: tool.name,
        server,
        category,
        // Only an embedder reads these.
        ...(opened.project.config.embedder !== undefined &&
          omitUndefined({ title: tool.title, description: tool.description })),
        document: {
          name: names.nameOf(tool),
          server,
          category,
          effect,
          description,
          ...omitUndefined({ guessedCategory: tool.hasGuessedCategory }),
        },
      };
    });
    return { tools, postings: packPostings(buildPostings(visible)), isLocked, serverWords };
  });
}
