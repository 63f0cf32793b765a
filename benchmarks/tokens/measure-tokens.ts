import { countTokens as count } from "gpt-tokenizer/encoding/o200k_base";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lockServer } from "../../src/core/lock-server.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { countTokens } from "../../src/pipeline/count-tokens.js";
import { createToolset } from "../../src/agent/toolset/create-toolset.js";

const LISTS = fileURLToPath(new URL("../../../shared/data/tool-lists/", import.meta.url));

export const hasToolLists: boolean = existsSync(LISTS);

/** The tokens that a model receives in every turn. */
export interface TokenCost {
  readonly tools: number;
  /** All tools listed directly. */
  readonly listed: number;
  /** The five meta-tools instead. */
  readonly metaTools: number;
  /** The saved share, from 0 to 1. */
  readonly saved: number;
}

/** Returns the cost of `count` tools, taken evenly from all public servers. */
export async function measureTokens(count: number): Promise<TokenCost> {
  const all = readTools();
  const chosen = Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]);
  const listed = await sumOf(chosen.filter((tool) => tool !== undefined));
  const metaTools = await sumOf(
    createToolset([]).metaTools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
  );
  return { tools: count, listed, metaTools, saved: 1 - metaTools / listed };
}

/** The tokens of schemas as sent by servers and as shown to models. */
export interface SchemaCost {
  readonly tools: number;
  readonly sent: number;
  readonly shown: number;
}

/** Returns the cost of tools with their original schemas, and as counted in the lock. */
export async function measureSchemas(tools: readonly ToolSnapshot[]): Promise<SchemaCost> {
  const sent = tools.map(({ name, description, inputSchema }) =>
    count(JSON.stringify({ name, description, inputSchema })),
  );
  return {
    tools: tools.length,
    sent: sent.reduce((sum, tokens) => sum + tokens, 0),
    shown: await sumOf(tools),
  };
}

/** Counts tokens as a lock does. */
async function sumOf(tools: readonly ToolSnapshot[]): Promise<number> {
  const numbered = tools.map((tool, at) => [`${at}`, tool] as const);
  const block = lockServer(
    {
      server: "all",
      identity: { serverInfo: {}, protocolVersion: "", capabilities: {} },
      listing: { clientCapabilities: {}, pages: 1 },
      tools: [],
      unusable: {},
      diagnostics: [],
    },
    undefined,
    { contract: "1.0.0", categoryOf: () => undefined },
  );
  const locked = numbered.map(([key, definition]) => [key, { digest: "", definition }] as const);
  const counted = await countTokens({
    lockfileVersion: 1,
    servers: { all: { ...block, tools: Object.fromEntries(locked) } },
  });
  return Object.values(counted.servers["all"]?.tools ?? {}).reduce(
    (sum, { tokens = NaN }) => sum + tokens,
    0,
  );
}

export function readTools(): readonly ToolSnapshot[] {
  return readdirSync(LISTS)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const { tools } = JSON.parse(readFileSync(`${LISTS}${file}`, "utf8")) as {
        readonly tools: readonly ToolSnapshot[];
      };
      return tools;
    });
}
