import { mapEntries } from "../contract/json.js";
import type { LockedServer, LockedTool, Lockfile } from "../contract/lockfile.js";
import { tokenText } from "../contract/tool-tokens.js";

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
  const counted = Object.values(tools);
  return (
    counted.length === 0 || (tokenizer === TOKENIZER && counted.every(({ tokens }) => tokens !== undefined))
  );
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
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
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
