import { canonicalJson } from "../contract/canonical-json.js";
import type { RecordSettings } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import type { JsonObject, JsonValue } from "../contract/json.js";
import type { Dialect } from "../contract/schema-ir.js";
import { readLiveSchema } from "../agent/registry/live-schema.js";
import { callWithCassette } from "../cassette/index.js";
import type { Schema } from "../validation/schema.js";
import { splitWords } from "../vocabulary/split-words.js";
import { isVerb, PREPOSITIONS, singularOf } from "../vocabulary/verbs.js";
import { generateValue } from "./generate-value.js";

/** A call of a tool, by the server's name for it. */
export interface MockedCall {
  readonly server: string;
  /** What `tool` names; a tool by default. */
  readonly kind?: "prompt" | "resource" | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What cassettes of the server leave out. */
  readonly record?: RecordSettings | undefined;
}

/** Answers calls with the raw result of a tool; undefined for a call that it has no answer to. */
export type AnswerSource = (call: MockedCall) => Promise<JsonObject | undefined>;

const METHODS = { tool: "tools/call", prompt: "prompts/get", resource: "resources/read" };

/**
 * Answers calls that were recorded. A recorded error is thrown.
 *
 * @param folder the cassette
 */
export function answerFromCassette(folder: string): AnswerSource {
  const scope = {};
  return async (call) => {
    try {
      const answer = await callWithCassette(
        { folder, mode: "replay" },
        {
          ...call,
          scope,
          method: METHODS[call.kind ?? "tool"],
          settings: call.record ?? {},
          scrub: (text) => text,
          report: () => undefined,
          refuse: () => undefined,
          warn: () => undefined,
          clock: () => 0,
        },
        () => Promise.resolve(undefined),
      );
      // What is replayed is a raw result.
      return answer as JsonObject;
    } catch (error) {
      if (error instanceof McpCodegenError && error.code === "CALL_NOT_RECORDED") return undefined;
      throw error;
    }
  };
}

/** The output of a tool, as its server declares it, or as it is stated or was learned where the server does not. */
export interface KnownOutput {
  readonly schema: JsonValue;
  readonly dialect?: Dialect | undefined;
  /** How the tool answers. Default: `structured`, as a server has to that declares an output schema. */
  readonly answers?: "structured" | "json" | undefined;
  /** Judges generated values. Default: the schema, compiled. */
  readonly judge?: Schema<unknown> | undefined;
}

export interface GeneratedOptions {
  /** Another seed gives other answers. Default: 1. */
  readonly seed?: string | number | undefined;
  /** Answers with values at the limits of the schemas. */
  readonly boundary?: boolean | undefined;
}

/**
 * Answers calls of tools with a known output with generated values. The same call has the same answer.
 *
 * @param findOutput returns the output of a tool; undefined if it is not known
 */
export function answerFromSchemas(
  findOutput: (call: MockedCall) => Promise<KnownOutput | undefined>,
  { seed = 1, boundary }: GeneratedOptions,
): AnswerSource {
  const judges = new Map<string, Schema<unknown>>();
  return async (call) => {
    const output = await findOutput(call);
    if (output === undefined) return undefined;
    const { server, tool, arguments: args } = call;
    const key = JSON.stringify([server, tool]);
    const judge = judges.get(key) ?? output.judge ?? readLiveSchema(output.schema, output.dialect, "assert");
    judges.set(key, judge);
    const value = await generateValue(output.schema, judge, {
      seed: canonicalJson([seed, server, tool, args]),
      boundary,
      entity: entityOf(tool),
      echo: args,
    });
    return resultOf(value, output.answers);
  };
}

/** Returns a value as the raw result of a tool. */
export function resultOf(value: JsonValue, answers: KnownOutput["answers"] = "structured"): JsonObject {
  const content = [{ type: "text", text: JSON.stringify(value) }];
  return answers === "json" ? { content } : { content, structuredContent: value };
}

/** What a tool is about: `get-post` and `list_posts_by_author` are about a post. */
function entityOf(tool: string): string {
  const words = splitWords(tool).filter((word, index) => index > 0 || !isVerb(word));
  const end = words.findIndex((word) => PREPOSITIONS.has(word));
  const noun = (end > 0 ? words.slice(0, end) : words).at(-1);
  return noun === undefined ? "" : singularOf(noun);
}
