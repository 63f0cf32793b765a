import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SearchableTool } from "../../src/agent/search/postings.js";

export const STYLES = [
  "verb-object",
  "noun",
  "paraphrase",
  "typo",
  "two intents",
  "question",
  "abbreviation",
  "non-native",
] as const;

/** The styles of the queries for unseen servers. */
export const UNSEEN_STYLES = ["keywords", "question", "non-native", "paraphrase"] as const;

export type Style = (typeof STYLES)[number] | (typeof UNSEEN_STYLES)[number];
export type Split = "tuning" | "test" | "unseen";

/** A query with every tool that answers it. */
export interface LabelledQuery {
  readonly query: string;
  readonly style: Style;
  /**
   * `tuning`: weights and word tables may be fitted to it; `test`: not fitted to, but about the same servers; `unseen`:
   * neither the query nor its servers are fitted to, and only these figures are published.
   */
  readonly split: Split;
  /** For each task in the query, the ids of the tools that do it. */
  readonly tools: readonly (readonly string[])[];
}

export interface PublicTool extends SearchableTool {
  /** `server/tool`. */
  readonly id: string;
  readonly outputSchema?: () => unknown;
}

const DATA = new URL("../../../shared/data/", import.meta.url);
const LISTS = fileURLToPath(new URL("tool-lists/", DATA));

export const hasPublicTools: boolean = existsSync(LISTS);

export function readLabelledQueries(): readonly LabelledQuery[] {
  return readQueries("queries.jsonl");
}

/**
 * Queries written from lists of names before the search was changed for them. Nothing was tuned on those marked `unseen` or `test`;
 * the latter ask for tools of servers that other queries were tuned on.
 */
export function readUnseenQueries(): readonly LabelledQuery[] {
  return readQueries("unseen-queries.jsonl");
}

function readQueries(file: string): readonly LabelledQuery[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LabelledQuery);
}

interface RawTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/** The tools of fifty public servers, with the names of a registry. */
export function readPublicTools(): readonly PublicTool[] {
  return readdirSync(LISTS)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const { tools } = readData(`tool-lists/${file}`) as { readonly tools: readonly RawTool[] };
      return searchableTools(file.slice(0, -".json".length), tools);
    });
}

/** Servers of the `tuning` queries in `unseen-queries.jsonl`, besides those of {@link readPublicTools}. */
const TUNING_SERVERS = ["npm-mongodb-mcp-server", "designsetgo", "mb-custom-post-type"];
const UNSEEN_SERVERS = [
  ...["github-mcp-server", "npm-zereight__mcp-gitlab", "npm-firecrawl-mcp", "mcp-expose-abilities"],
  ...["wordpress-mcp-admin-tools", "wp-mcp-bridges-wc-mcp-ability", "abilities-api-internal-links"],
];
/** Lists with tools that do the same as those of unseen servers. */
const SAME_TASKS =
  /^(?:modelcontextprotocol__server-git(?:hub|lab)|mcp-wordpress|exa-mcp-server|tavily-mcp|perplexity-ai__mcp-server)$/;

export function readTuningTools(): readonly PublicTool[] {
  return [...readPublicTools(), ...TUNING_SERVERS.flatMap(readOtherServer)];
}

/** The tools of the servers of the `unseen` queries, alone, or among those of public servers with other tasks. */
export function readUnseenTools(amongOthers: boolean): readonly PublicTool[] {
  const others = readPublicTools().filter(({ server = "" }) =>
    amongOthers ? !SAME_TASKS.test(server) : server === "shopify__dev-mcp",
  );
  return [...UNSEEN_SERVERS.flatMap(readOtherServer), ...others];
}

interface ToolChange {
  readonly tool: string;
  readonly date: string;
  readonly after: RawTool | null;
}

/** The latest tools of a server in `tool-changes`, or those of a WordPress plugin. */
function readOtherServer(server: string): readonly PublicTool[] {
  const changes = `tool-changes/${server}.json`;
  if (!existsSync(new URL(changes, DATA))) {
    const answer = readData(`wordpress/tools-adapter-0.5.0/${server}.json`);
    return searchableTools(server, (answer as { result: { tools: readonly RawTool[] } }).result.tools);
  }
  const latest = new Map<string, RawTool>();
  const byDate = (readData(changes) as ToolChange[]).sort((a, b) => (a.date < b.date ? -1 : 1));
  for (const { tool, after } of byDate)
    if (after === null) latest.delete(tool);
    else latest.set(after.name, after);
  return searchableTools(server, [...latest.values()]);
}

function readData(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, DATA), "utf8"));
}

function searchableTools(server: string, tools: readonly RawTool[]): readonly PublicTool[] {
  return tools.map(({ name, title, description, annotations, inputSchema, outputSchema }) => ({
    id: `${server}/${name}`,
    name: `${server}__${name}`,
    server,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations }),
    inputSchema: () => inputSchema,
    ...(outputSchema !== undefined && { outputSchema: () => outputSchema }),
  }));
}
