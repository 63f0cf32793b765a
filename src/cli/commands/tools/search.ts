import { decide } from "../../../agent/policy/decide.js";
import { categoryNameOf } from "../../../agent/registry/registered-tool.js";
import { serverNameOf } from "../../../agent/registry/tool-names.js";
import { createToolset } from "../../../agent/toolset/create-toolset.js";
import {
  createToolFinder,
  findUnknownFilter,
  type FoundTools,
  summarize,
  type WantedTools,
} from "../../../agent/toolset/find-tools.js";
import { STATIC_TOOLS } from "../../../core/connection.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { FoundTool } from "../../../report/documents.js";
import { printSearch } from "../../../report/print-list.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type OpenedTools, withOpenedTools } from "../../open-tools.js";
import { printCommand, printServerText } from "../../print-text.js";
import type { CONTEXT_FLAGS, SEARCH_FLAGS } from "./spec.js";

const DEFAULT_LIMIT = "10";
const ALL = "999999";

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
  const limit = parseLimit(most ?? (query.trim() === "" ? ALL : DEFAULT_LIMIT));
  const [server, other] = serverFilter;
  // Several values can only be names of configured servers.
  const named = other === undefined ? server : undefined;
  return withOpenedTools(context, { server: named, ...credentials }, async (opened) => {
    if (opened.isLocked) assertConfigured(serverFilter, opened);
    const { names, serverWords } = opened;
    if (category !== undefined) assertCategory(category, opened);
    const found = await find(opened, {
      query,
      limit,
      category,
      servers: !opened.isLocked || server === undefined ? undefined : serverFilter,
    });
    const tools = found.hits.map(({ tool, score }): FoundTool => ({
      name: names.nameOf(tool),
      server: serverNameOf(tool),
      category: categoryNameOf(tool),
      description: summarize(tool.description ?? tool.title ?? ""),
      score,
    }));
    const list = printCommand("list", serverWords);
    context.print(printSearch({ tools, total: found.total, list }, context));
    context.printDocument({ report: "search", exitCode: 0, query, tools, total: found.total });
    return 0;
  });
};

function assertConfigured(servers: readonly string[], { project, tools }: OpenedTools): void {
  const hasOwn = tools.some(({ server }) => server === undefined);
  const known = [...Object.keys(project.config.servers), ...(hasOwn ? [STATIC_TOOLS] : [])];
  const unknown = servers.find((server) => !known.includes(server));
  if (unknown === undefined) return;
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server ${JSON.stringify(unknown)}.`, {
    hint: `It has ${known.map((server) => JSON.stringify(server)).join(", ")}.`,
  });
}

function assertCategory(category: string, { tools, policy }: OpenedTools): void {
  const visible = tools.filter((tool) => decide(tool, policy).isVisible);
  const unknown = findUnknownFilter({ category }, visible);
  if (unknown === undefined) return;
  throw usageError(unknown.message, unknown.suggestion);
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usageError(`--limit takes a number from 1, not ${JSON.stringify(text)}.`, "For example: --limit 50.");
}

function find(
  { tools, policy }: OpenedTools,
  { servers, ...wanted }: WantedTools & { readonly servers: readonly string[] | undefined },
): Promise<FoundTools> {
  const searched = tools.filter((tool) => servers?.includes(serverNameOf(tool)) !== false);
  return createToolFinder(searched, { policy }).find(wanted);
}

/** Prints the answer of a toolset's `context`. */
export const runContext: Runner<typeof CONTEXT_FLAGS> = (
  context,
  _words,
  { maxTokens: most, ...options },
) => {
  if (most !== undefined && !/^[1-9]\d{0,6}$/.test(most))
    throw usageError(`--max-tokens takes a number from 1, not ${JSON.stringify(most)}.`, "For example: 500.");
  return withOpenedTools(context, options, async ({ tools, policy }) => {
    const toolset = createToolset(tools, { policy });
    const { content } = await toolset.answer(
      "context",
      most === undefined ? {} : { maxTokens: Number(most) },
    );
    const text = content[0]?.text ?? "";
    context.print(printServerText(text));
    context.printDocument({ report: "context", exitCode: 0, text });
    return 0;
  });
};
