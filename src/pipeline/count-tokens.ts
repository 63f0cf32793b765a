import { codeOf } from "../core/errors.js";
import { mapEntries, byCodeUnit, getOwn } from "../core/json.js";
import type { LockedServer, LockedTool, Lockfile } from "../core/lockfile.js";
import { tokenText, estimateTokens, sumTokens } from "../core/model-schema.js";
import type { Config } from "../config/config.js";
import type { Facts, Finding } from "../core/finding.js";
import type { LockRevision } from "./check/find-drift.js";

/** The tokenizer of GPT-4o and later; counts of other models differ by some percent. */
const TOKENIZER = "o200k_base";

/**
 * Adds token counts to tools without one. Returns the same lock where none is missing, or where the tokenizer is not
 * installed: token counts are optional in a lock.
 */
export async function countTokens(lock: Lockfile): Promise<Lockfile> {
  if (Object.values(lock.servers).every(isCounted)) return lock;
  const count = await loadTokenizer();
  if (count === undefined) return lock;
  return {
    ...lock,
    servers: mapEntries(lock.servers, (server) => (isCounted(server) ? server : countServer(server, count))),
  };
}

function isCounted({ tokenizer, tools }: LockedServer): boolean {
  return Object.values(tools).every(({ tokens }) => tokenizer === TOKENIZER && tokens !== undefined);
}

type Count = (text: string) => number;

function countServer(server: LockedServer, count: Count): LockedServer {
  const { tokenizer, tools, ...rest } = server;
  return {
    ...rest,
    tokenizer: TOKENIZER,
    tools: mapEntries(tools, ({ digest, tokens, ...tool }): LockedTool => ({
      digest,
      tokens: (tokenizer === TOKENIZER ? tokens : undefined) ?? count(tokenText(tool.definition)),
      ...tool,
    })),
  };
}

/** Loaded on demand, since the tables take 180 ms to load. */
async function loadTokenizer(): Promise<Count | undefined> {
  try {
    const { countTokens: count } = await import("gpt-tokenizer/encoding/o200k_base");
    // Special tokens of the model are counted as ordinary text.
    const asText = { disallowedSpecial: new Set<string>() };
    return (text) => countInPieces(text, (piece) => count(piece, asText));
  } catch (error) {
    if (codeOf(error) === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const LONGEST_PIECE = 2_000;
const MOST_PIECES = 100;

/**
 * Tokenizing one long word takes quadratic time, and servers choose the texts. So texts are counted in pieces, cut at
 * spaces where possible; above a hundred pieces the count is extrapolated.
 */
function countInPieces(text: string, count: Count): number {
  let tokens = 0;
  let at = 0;
  for (let pieces = 0; at < text.length && pieces < MOST_PIECES; pieces += 1) {
    const end = at + LONGEST_PIECE;
    const space = end < text.length ? text.lastIndexOf(" ", end) : -1;
    const next = space > at ? space : end;
    tokens += count(text.slice(at, next));
    at = next;
  }
  return at >= text.length ? tokens : Math.ceil((tokens * text.length) / at);
}

const LARGEST = 5;

/**
 * Returns the servers whose tools exceed their token budget: as locked, and in each revision with more tokens. Tools
 * without a count are counted here.
 */
export async function findOverBudget(
  config: Config,
  lock: Lockfile,
  revisions: readonly LockRevision[],
): Promise<readonly Finding[]> {
  const locked = Object.entries(lock.servers).flatMap(([server, block]) =>
    judgeServer(config, server, block, { of: "lock" }),
  );
  const live = await Promise.all(
    revisions.map(async ({ environment, after }) => {
      const counted = await countTokens(after);
      return Object.entries(counted.servers).flatMap(([server, block]) => {
        const before = getOwn(lock.servers, server);
        if (before !== undefined && sumTokens(block).tokens <= sumTokens(before).tokens) return [];
        return judgeServer(config, server, block, { of: "server", environment });
      });
    }),
  );
  return [...locked, ...live.flat()].sort((a, b) => byCodeUnit(a.server ?? "", b.server ?? ""));
}

function judgeServer(
  config: Config,
  server: string,
  block: LockedServer,
  { of, environment }: Pick<Facts, "of"> & Pick<Finding, "environment">,
): readonly Finding[] {
  const budget = getOwn(config.servers, server)?.check?.tokenBudget ?? config.check?.tokenBudget;
  const { tokens, isEstimate } = sumTokens(block);
  if (budget === undefined || tokens <= budget) return [];
  const largest = Object.entries(block.tools)
    .map(([tool, locked]) => ({ tool, tokens: locked.tokens ?? estimateTokens(locked.definition) }))
    .sort((a, b) => b.tokens - a.tokens || byCodeUnit(a.tool, b.tool))
    .slice(0, LARGEST);
  const facts = { of, budget, tokens, isEstimate, largest };
  return [{ rule: "over-token-budget", server, environment, facts }];
}
