import type { PackedPostings } from "../../../agent/search/postings.js";
import { loadSearchIndex, type ToolSearch } from "../../../agent/search/create-tool-search.js";
import { findTools, findUnknownFilter } from "../../../agent/toolset/find-tools.js";
import { remember } from "../../../files/cache.js";
import type { Project } from "../../../project/project.js";
import { toolPolicyOf } from "../../../project/tool-policy.js";
import type { FoundTool } from "../../../report/documents.js";
import { printSearch } from "../../../report/print-list.js";
import { type Runner, usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { findProject, readLookup } from "../../load-project.js";
import { tryMeasureMeaning } from "../../search-by-meaning.js";
import { printCommand } from "../../print-text.js";
import type { ServerOptions } from "../../ad-hoc-server.js";
import type { SEARCH_FLAGS } from "./spec.js";

/** What a search reads of the tools that the policy shows. */
export interface SearchedTools {
  /** In the order of the postings. */
  readonly tools: readonly IndexedTool[];
  readonly postings: PackedPostings;
  /** Whether the project's lock defines the tools. */
  readonly isLocked: boolean;
  /** The options that name their server on a command line. */
  readonly serverWords: readonly string[];
}

export interface IndexedTool {
  /** The name in the registry, which sorts tools that match equally well. */
  readonly name: string;
  readonly server: string;
  readonly category: string;
  readonly title?: string;
  readonly description?: string;
  /** What is printed, without the score. */
  readonly document: Omit<FoundTool, "score">;
}

/** Raised when an index of the same tools has another form or other stems. */
const INDEX_REVISION = 5;
const DEFAULT_LIMIT = 10;

/** Prints the tools that match a query or a category, best first. */
export const runSearch: Runner<typeof SEARCH_FLAGS> = async (context, words, options) => {
  const query = words.join(" ").trim();
  const { category, server: servers = [], limit: most, ...credentials } = options;
  if (query === "" && category === undefined)
    throw usageError(
      "Missing search query.",
      'For example: npx mcp-codegen search "write a new article", or --category with its name.',
    );
  const isPlain = credentials.header === undefined && credentials.bearer === undefined;
  const project = isPlain ? await findProject(context) : undefined;
  const { tools, postings, isLocked, serverWords } = await openIndex(context, project, servers, credentials);
  const unknown = findUnknownFilter({ category }, tools);
  if (unknown !== undefined) throw usageError(unknown.message, unknown.suggestion);
  const isOfServer = ({ server }: IndexedTool): boolean =>
    !isLocked || servers.length === 0 || servers.includes(server);
  const search: ToolSearch<IndexedTool> = {
    search: async (text, { limit, accepts } = {}) => {
      const { createSearchIndex, unpackPostings } = await loadSearchIndex();
      const index = createSearchIndex(tools, unpackPostings(postings));
      const nearness =
        isLocked && project !== undefined
          ? await tryMeasureMeaning(context, project, text, tools)
          : undefined;
      return index.search(text, {
        limit,
        accepts: (tool) => isOfServer(tool) && accepts?.(tool) !== false,
        nearness,
      });
    },
  };
  // A category alone lists all of its tools.
  const limit = most ?? (query === "" ? Infinity : DEFAULT_LIMIT);
  const { hits, total } = await findTools(tools.filter(isOfServer), { query, category, limit }, search);
  const documents = hits.map(({ tool, score }) => ({ ...tool.document, score }));
  return context.report(
    { report: "search", exitCode: 0, query: words.join(" "), tools: documents, total },
    printSearch(documents, total, printCommand("list", serverWords), context),
  );
};

/** Opens the tools and indexes them. The index of locked tools alone is remembered. */
async function openIndex(
  context: Context,
  project: Project | undefined,
  servers: readonly string[],
  credentials: Omit<ServerOptions, "server">,
): Promise<SearchedTools> {
  const { servers: configured = {}, serve } = project?.config ?? {};
  const isLockedAlone =
    servers.every((server) => Object.hasOwn(configured, server)) &&
    Object.keys(configured).length > 0 &&
    serve?.tools === undefined;
  const openTools = async (server?: string): Promise<SearchedTools> => {
    // What opens tools is loaded only if their index is not known.
    const { indexTools } = await import("./index-tools.js");
    return indexTools(context, servers, { ...credentials, server });
  };
  const [server, other] = servers;
  // Several values can only be names of configured servers.
  if (project === undefined || !isLockedAlone) return openTools(other === undefined ? server : undefined);
  const { digest } = await project.lock();
  const policy = toolPolicyOf(project.config, await readLookup(context, project.dir));
  const key = [project.run.cache?.version, INDEX_REVISION, digest(), project.config, policy];
  return remember(project.cacheFolder(project.dir), `${project.dir}/search`, key, () => openTools());
}
