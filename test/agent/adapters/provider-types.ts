/** What the adapters make fits the types of the providers' own SDKs. Nothing here runs: tsc judges it. */
import type { Anthropic } from "@anthropic-ai/sdk";
import type { GenerateContentParameters, GenerateContentResponse } from "@google/genai";
import type { OpenAI } from "openai";
import type {
  AnthropicBlock,
  AnthropicTool,
  AnthropicToolResult,
} from "../../../src/agent/adapters/anthropic-tools.js";
import type {
  GeminiCall,
  GeminiFunctionResponse,
  GeminiTool,
} from "../../../src/agent/adapters/gemini-tools.js";
import type {
  OpenAiChatCall,
  OpenAiChatTool,
  OpenAiFunctionOutput,
  OpenAiOutputItem,
  OpenAiResponsesTool,
  OpenAiSearchOutput,
  OpenAiSearchTool,
  OpenAiToolMessage,
} from "../../../src/agent/adapters/openai-tools.js";

declare const anthropic: {
  tools: AnthropicTool[];
  results: AnthropicToolResult[];
  message: Anthropic.Message;
};
declare const chat: {
  tools: OpenAiChatTool[];
  messages: OpenAiToolMessage[];
  message: OpenAI.Chat.ChatCompletionMessage;
};
declare const responses: {
  tools: (OpenAiResponsesTool | OpenAiSearchTool)[];
  input: (OpenAiFunctionOutput | OpenAiSearchOutput)[];
  response: OpenAI.Responses.Response;
};

declare const gemini: {
  tools: GeminiTool[];
  parts: GeminiFunctionResponse[];
  response: GenerateContentResponse;
};

export const toGemini: GenerateContentParameters = {
  model: "any",
  config: { tools: gemini.tools },
  contents: [{ role: "user", parts: gemini.parts }],
};
export const fromGemini: readonly GeminiCall[] | undefined = gemini.response.functionCalls;

export const toAnthropic: Anthropic.MessageCreateParams = {
  model: "any",
  max_tokens: 1,
  tools: anthropic.tools,
  messages: [{ role: "user", content: anthropic.results }],
};
export const fromAnthropic: readonly AnthropicBlock[] = anthropic.message.content;

export const toChat: OpenAI.Chat.ChatCompletionCreateParams = {
  model: "any",
  tools: chat.tools,
  messages: chat.messages,
};
export const fromChat: readonly OpenAiChatCall[] | undefined = chat.message.tool_calls;

export const toResponses: OpenAI.Responses.ResponseCreateParams = {
  tools: responses.tools,
  input: responses.input,
};
export const fromResponses: readonly OpenAiOutputItem[] = responses.response.output;

/** Calls that a program writes itself. */
export const literals: {
  readonly anthropic: readonly AnthropicBlock[];
  readonly chat: readonly OpenAiChatCall[];
  readonly responses: readonly OpenAiOutputItem[];
} = {
  anthropic: [
    { type: "text", text: "I look it up." },
    { type: "tool_use", id: "1", name: "get_order", input: { id: 7 } },
  ],
  chat: [{ id: "1", type: "function", function: { name: "get_order", arguments: "{}" } }],
  responses: [{ type: "function_call", call_id: "1", name: "get_order", arguments: "{}" }],
};
