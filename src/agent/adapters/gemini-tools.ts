import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import type { ModelSchema } from "../../core/model-schema.js";
import {
  answerCalls,
  SIGNAL_OPTIONS,
  readCalls,
  type CallAnswer,
  type CallToolsOptions,
} from "./answer-calls.js";
import { checkAdapterOptions, openModelTools, type AdapterOptions } from "./model-tools.js";
import type { ToolSource } from "../registry/registry.js";

/** An item of `config.tools` of Google's Gemini API. */
export interface GeminiTool {
  functionDeclarations: { name: string; description?: string; parametersJsonSchema: ModelSchema }[];
}

/** An item of a response's `functionCalls`. */
export interface GeminiCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: unknown;
}

/** The result of a call: a part of the next content with the role `user`. */
export interface GeminiFunctionResponse {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    /** Images, which models before Gemini 3 do not read. */
    parts?: { inlineData: { data: string; mimeType: string } }[];
  };
}

/**
 * Converts the tools of a source for `generateContent` of Google's Gemini API: one item with all functions.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toGeminiTools(source: ToolSource, options: AdapterOptions = {}): Promise<GeminiTool[]> {
  checkAdapterOptions("toGeminiTools", options, SIGNAL_OPTIONS);
  const tools = await openModelTools(source, options, "gemini");
  const functionDeclarations = [...tools].map(([name, { description, fitted }]) =>
    omitUndefined({ name, description, parametersJsonSchema: fitted.schema }),
  );
  return [{ functionDeclarations }];
}

/**
 * Makes the `functionCalls` of a response in parallel, and returns the parts of your next content in the same order. For an unknown
 * name, invalid arguments or a failed call, the response has `error` in place of `output`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function callGeminiTools(
  source: ToolSource,
  calls: readonly GeminiCall[] | undefined,
  options: CallToolsOptions = {},
): Promise<GeminiFunctionResponse[]> {
  checkAdapterOptions("callGeminiTools", options, SIGNAL_OPTIONS);
  const items = readCalls("callGeminiTools", calls, "response.functionCalls", "gemini");
  const nameless = items.findIndex(({ name }) => typeof name !== "string");
  if (nameless !== -1)
    throw new McpCodegenError("USAGE", `callGeminiTools: response.functionCalls[${nameless}] has no name.`, {
      hint: "Use callGeminiTools(source, response.functionCalls).",
    });
  const written = items.map(({ name, args }, at) => ({
    id: String(at),
    name: String(name),
    input: { value: args ?? {} },
  }));
  const answers = await answerCalls(source, written, options, "gemini");
  return answers.map((answer, at) => writeAnswer(answer, items[at] ?? {}));
}

function writeAnswer({ isError, parts }: CallAnswer, { id, name }: GeminiCall): GeminiFunctionResponse {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const images = parts.flatMap((part) =>
    part.type === "image" ? [{ inlineData: { data: part.data, mimeType: part.mediaType } }] : [],
  );
  return {
    functionResponse: omitUndefined({
      id,
      name: String(name),
      response: isError ? { error: text } : { output: text },
      parts: images.length > 0 ? images : undefined,
    }),
  };
}
