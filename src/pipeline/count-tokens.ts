import { mapEntries } from "../contract/json.js";
import type { LockedServer, LockedTool, Lockfile } from "../contract/lockfile.js";
import { tokenText } from "../contract/tool-tokens.js";

/** That of GPT-4o and later; the models of others count some percent differently. */
const TOKENIZER = "o200k_base";

/**
 * The lock with the tokens of every tool that has none yet; the same lock where none is missing, or where the tokenizer is
 * not installed: tokens say nothing of a contract, so a lock without them is whole.
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

/** Its tables take 180 ms to load: only where there is something to count. */
async function loadTokenizer(): Promise<Count | undefined> {
  try {
    const { countTokens: count } = await import("gpt-tokenizer/encoding/o200k_base");
    // What looks like a mark of the model's own is a text as any other.
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
 * Of one long word, tokenizing takes the square of its length, and texts are a server's. So they are counted in pieces,
 * which end at a space where there is one; and what is longer than a hundred of them is counted on from those.
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
