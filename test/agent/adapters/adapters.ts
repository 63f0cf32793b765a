/** One call of a model through every adapter, and what the model reads of it. */
import {
  callAnthropicTools,
  callGeminiTools,
  callOpenAiTools,
  toAiSdkTools,
  toLangChainTools,
  toMastraTools,
  toOpenAiAgentTools,
  toTanStackTools,
} from "../../../src/agent/index.js";
import type { CallToolsOptions } from "../../../src/agent/adapters/answer-calls.js";
import type { ToolSource } from "../../../src/agent/registry/registry.js";
import { ToolCallError } from "../../../src/runtime/result.js";

export interface Reading {
  readonly isError: boolean;
  /** Its texts, joined. */
  readonly text: string;
  /** The answer in the form of the adapter. */
  readonly written: unknown;
}

export type Adapter = (
  source: ToolSource,
  name: string,
  input: unknown,
  options?: CallToolsOptions,
) => Promise<Reading>;

function read(written: unknown): Reading {
  const blocks = (Array.isArray(written) ? written : [{ text: written }]) as readonly { text?: string }[];
  const text = blocks.flatMap((block) => block.text ?? []).join("\n");
  return { isError: text.startsWith('{"error":'), text, written };
}

/** For rules that all adapters share. */
export const callAnthropic: Adapter = async (source, name, input, options) => {
  const [answer] = await callAnthropicTools(source, [{ type: "tool_use", id: "1", name, input }], options);
  return { ...read(answer?.content), isError: answer?.is_error === true };
};

/** Adapters that answer the calls of a message. */
export const CALLERS: Readonly<Record<string, Adapter>> = {
  Anthropic: callAnthropic,
  "OpenAI's Chat Completions": async (source, name, input, options) => {
    const call = { id: "1", type: "function", function: { name, arguments: JSON.stringify(input) } };
    const [message] = await callOpenAiTools(source, [call], options);
    return read(message?.content);
  },
  "OpenAI's Responses": async (source, name, input, options) => {
    const call = { type: "function_call", call_id: "1", name, arguments: JSON.stringify(input) };
    const [item] = await callOpenAiTools(source, [call], { api: "responses", ...options });
    return read(item?.output);
  },
  Gemini: async (source, name, args, options) => {
    const [part] = await callGeminiTools(source, [{ name, args }], options);
    const { response, parts } = part?.functionResponse ?? { response: { error: "No answer." } };
    const isError = "error" in response;
    return { isError, text: isError ? response.error : response.output, written: { response, parts } };
  },
};

/** Adapters that make tools for a framework. */
export const FRAMEWORKS: Readonly<Record<string, Adapter>> = {
  "the AI SDK": async (source, name, input, options) => {
    const tool = (await toAiSdkTools(source, options))[name];
    try {
      const output = await tool?.execute(input, { toolCallId: "1" });
      const shown = tool?.toModelOutput?.({ toolCallId: "1", output });
      return read(shown?.type === "json" ? JSON.stringify(shown.value) : shown?.value);
    } catch (error) {
      if (!(error instanceof ToolCallError)) throw error;
      return read(JSON.stringify({ error: error.code, message: error.message }));
    }
  },
  "LangChain.js": async (source, name, input, options) => {
    const tools = await toLangChainTools(source, (run, fields) => ({ run, name: fields.name }), options);
    return read(await tools.find((tool) => tool.name === name)?.run(input));
  },
  Mastra: async (source, name, input, options) =>
    read(await (await toMastraTools(source, (fields) => fields, options))[name]?.execute(input)),
  "the OpenAI Agents SDK": async (source, name, input, options) => {
    const tool = (await toOpenAiAgentTools(source, options)).find((each) => each.name === name);
    return read(await tool?.invoke(undefined, JSON.stringify(input)));
  },
  "TanStack AI": async (source, name, input, options) =>
    read(await (await toTanStackTools(source, options)).find((tool) => tool.name === name)?.execute(input)),
};

export const ADAPTERS: Readonly<Record<string, Adapter>> = { ...CALLERS, ...FRAMEWORKS };

/** Whether a framework has to ask a person before a call. */
export const ASKS: Readonly<
  Record<string, (source: ToolSource, name: string, input: unknown) => Promise<unknown>>
> = {
  "the AI SDK": async (source, name, input) => {
    const asks = (await toAiSdkTools(source))[name]?.needsApproval;
    return typeof asks === "function" ? asks(input) : (asks ?? false);
  },
  Mastra: async (source, name) => (await toMastraTools(source, (fields) => fields))[name]?.requireApproval,
  "the OpenAI Agents SDK": async (source, name, input) =>
    (await toOpenAiAgentTools(source)).find((tool) => tool.name === name)?.needsApproval(undefined, input),
  "TanStack AI": async (source, name) =>
    (await toTanStackTools(source)).find((tool) => tool.name === name)?.needsApproval,
};
