/** What the adapters make fits the types of the providers' own SDKs. Nothing here runs: tsc judges it. */
import type { Anthropic } from "@anthropic-ai/sdk";
import type { OpenAI } from "openai";
import type {
  AnthropicBlock,
  AnthropicTool,
  AnthropicToolResult,
} from "../../../src/agent/adapters/anthropic-tools.js";
import type {
  OpenAiChatCall,
  OpenAiChatTool,
  OpenAiFunctionOutput,
  OpenAiOutputItem,
  OpenAiResponsesTool,
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
  tools: OpenAiResponsesTool[];
  input: OpenAiFunctionOutput[];
  response: OpenAI.Responses.Response;
};

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
