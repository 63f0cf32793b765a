import { canonicalJson, type JsonObject, type JsonValue } from "../core/json.js";
import type { RecordSettings } from "../core/connection-settings.js";
import { McpCodegenError } from "../core/errors.js";
import type { Dialect } from "../core/schema-ir.js";
import { readLiveSchema } from "../schema/interpret/live-schema.js";
import { openCassetteFolder } from "../runtime/cassette/cassette-folder.js";
import { replayCall } from "../runtime/cassette/index.js";
import type { Schema } from "../core/schema.js";
import { splitWords } from "../core/words/words.js";
import { isVerb, PREPOSITIONS, singularOf } from "../core/words/verbs.js";
import { generateValue } from "./make-value.js";
import { createRandom } from "./fields.js";

/** A call of a tool under its name on the server. */
export interface MockedCall {
  readonly server: string;
  /** The kind of `tool`. Default: a tool. */
  readonly kind?: "prompt" | "resource" | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Says what cassettes of the server omit. */
  readonly record?: RecordSettings | undefined;
}

/** Returns the raw result of a call; undefined if it has no answer. */
export type AnswerSource = (call: MockedCall) => Promise<JsonObject | undefined>;

/**
 * Answers the calls that a cassette recorded, and none without a cassette. Recorded errors are thrown.
 *
 * @throws McpCodegenError `CASSETTE_INVALID` for a folder that does not exist, and as `replayCall` does
 */
export function answerFromCassette(folder: string | undefined): AnswerSource {
  const scope = {};
  return async (call) => {
    if (folder === undefined) return undefined;
    const answer = await replayCall(folder, call, scope);
    if (answer === undefined && !(await openCassetteFolder(folder).exists()))
      throw new McpCodegenError("CASSETTE_INVALID", `Cassette ${JSON.stringify(folder)} does not exist.`, {
        hint: "Pass a folder that connect({ record }) or MCP_CODEGEN_RECORD wrote, relative to the working directory.",
      });
    return answer;
  };
}

/** The output of a tool, from its server or from a stated or learned output schema. */
export interface KnownOutput {
  readonly schema: JsonValue;
  readonly dialect?: Dialect | undefined;
  /** The form of the answers. Default: `structured`, which a declared output schema requires. */
  readonly answers?: "structured" | "json" | undefined;
  /** Validates generated values. Default: the compiled schema. */
  readonly judge?: Schema<unknown> | undefined;
}

export interface AnswerOptions {
  /** Different seeds give different answers. Default: 1. */
  readonly seed?: string | number | undefined;
  /** Answers with values at the limits of the schemas. */
  readonly boundary?: boolean | undefined;
  /** Milliseconds before each answer. */
  readonly latency?: number | undefined;
  /** The share of calls that fail, from 0 to 1. With the same seed, the same calls fail; a repeated call may succeed. */
  readonly fail?: number | undefined;
  /** A folder of recorded calls, which take precedence over generated answers. */
  readonly cassette?: string | undefined;
}

/** Answers calls of tools with a known output by generated values. Equal calls have equal answers. */
export function answerFromSchemas(
  findOutput: (call: MockedCall) => Promise<KnownOutput | undefined>,
  { seed = 1, boundary }: AnswerOptions,
): AnswerSource {
  const judges = new Map<string, Schema<unknown>>();
  return async (call) => {
    const output = await findOutput(call);
    if (output === undefined) return undefined;
    const { server, tool, arguments: args } = call;
    const key = JSON.stringify([server, tool]);
    const judge =
      judges.get(key) ??
      output.judge ??
      readLiveSchema(output.schema, { dialect: output.dialect, formats: "assert" });
    judges.set(key, judge);
    const value = await generateValue(output.schema, judge, {
      seed: canonicalJson([seed, server, tool, args]),
      boundary,
      entity: entityOf(tool),
      echo: args,
      dialect: output.dialect,
    });
    return resultOf(value, output.answers);
  };
}

/** Returns a source with the answers of several: the first one that has an answer counts. */
export function answerFromFirst(sources: readonly AnswerSource[]): AnswerSource {
  return async (call) => {
    for (const source of sources) {
      const answer = await source(call);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}

export function resultOf(value: JsonValue, answers: KnownOutput["answers"] = "structured"): JsonObject {
  const content = [{ type: "text", text: JSON.stringify(value) }];
  return answers === "json" ? { content } : { content, structuredContent: value };
}

export function failedResult(text: string): JsonObject {
  return { isError: true, content: [{ type: "text", text }] };
}

/** Returns the entity in a tool's name: "post" for `get-post` and `list_posts_by_author`. */
function entityOf(tool: string): string {
  const words = splitWords(tool).filter((word, index) => index > 0 || !isVerb(word));
  const end = words.findIndex((word) => PREPOSITIONS.has(word));
  const noun = (end > 0 ? words.slice(0, end) : words).at(-1);
  return noun === undefined ? "" : singularOf(noun);
}

/** Returns a source that delays each call and fails some, without an answer to the others. Throws `USAGE` for invalid options. */
export function answerWithTrouble({ seed = 1, latency = 0, fail = 0 }: AnswerOptions): AnswerSource {
  const refuse = (problem: string): never => {
    throw new McpCodegenError("USAGE", problem);
  };
  if (!(fail >= 0 && fail <= 1)) refuse(`The share of failing calls is ${fail}, and must be from 0 to 1.`);
  if (!(latency >= 0 && latency <= MOST_LATENCY))
    refuse(`The latency is ${latency} ms, and must be from 0 to ${MOST_LATENCY} ms.`);
  const counts = new Map<string, number>();
  return async ({ server, tool, arguments: args }) => {
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    if (fail === 0) return undefined;
    const key = canonicalJson([seed, server, tool, args]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const fails = createRandom(`${key} ${count}`).next() < fail;
    return fails ? failedResult("The mock fails this call on request.") : undefined;
  };
}

/** One hour. Longer latencies are mistakes, and timers have a limit. */
const MOST_LATENCY = 3_600_000;
