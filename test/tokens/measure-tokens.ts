import { countTokens as count } from "gpt-tokenizer/encoding/o200k_base";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lockServer } from "../../src/contract/lock-server.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";
import { countTokens } from "../../src/pipeline/count-tokens.js";
import { createToolset } from "../../src/agent/toolset/create-toolset.js";

const LISTS = fileURLToPath(new URL("../../../shared/data/tool-lists/", import.meta.url));

export const hasToolLists: boolean = existsSync(LISTS);

/** What is sent to a model at every turn, in tokens. */
export interface TokenCost {
  readonly tools: number;
  /** The tools themselves, all of them. */
  readonly listed: number;
  /** The five meta-tools in their place. */
  readonly metaTools: number;
  /** How much less that is, as a share of 1. */
  readonly saved: number;
}

/** The cost of so many tools of public servers, taken evenly from all of them. */
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

/** What schemas cost as servers send them and as models see them, in tokens. */
export interface SchemaCost {
  readonly tools: number;
  readonly sent: number;
  readonly shown: number;
}

/** The cost of tools with their schemas as they were sent, and as the lock counts them. */
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

/** Counted as a lock counts. */
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
