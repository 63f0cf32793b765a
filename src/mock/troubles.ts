import { canonicalJson } from "../contract/canonical-json.js";
import { McpCodegenError } from "../contract/errors.js";
import type { MockedCall } from "./answer-source.js";
import { createRandom } from "./random.js";

export interface TroubleOptions {
  readonly seed?: string | number | undefined;
  /** Milliseconds before each answer. */
  readonly latency?: number | undefined;
  /** The share of calls that fail, from 0 to 1. The same calls fail for a seed; a repeated call may succeed. */
  readonly fail?: number | undefined;
}

/**
 * Returns a function that waits before each call, and decides whether it fails.
 *
 * @throws McpCodegenError `USAGE` for a latency or a share that is not possible
 */
export function createTroubles({
  seed = 1,
  latency = 0,
  fail = 0,
}: TroubleOptions): (call: MockedCall) => Promise<"fail" | "answer"> {
  if (!(fail >= 0 && fail <= 1))
    throw new McpCodegenError("USAGE", `The share of failing calls is ${fail}, and must be from 0 to 1.`);
  if (!(latency >= 0 && latency <= MOST_LATENCY))
    throw new McpCodegenError(
      "USAGE",
      `The latency is ${latency} ms, and must be from 0 to ${MOST_LATENCY} ms.`,
    );
  const counts = new Map<string, number>();
  return async ({ server, tool, arguments: args }) => {
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    if (fail === 0) return "answer";
    const key = canonicalJson([seed, server, tool, args]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return createRandom(`${key} ${count}`).next() < fail ? "fail" : "answer";
  };
}

/** The text of an answer that fails since the mock was asked for failures. */
export const FAILED_ON_REQUEST = "The mock fails this call on request.";

/** An hour: a longer latency is a mistake, and timers have a limit. */
const MOST_LATENCY = 3_600_000;
