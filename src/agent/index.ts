/** Shows tools to models: adapters, registry, policy, search, toolset and sessions. */
export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export {
  toAiSdkTool,
  toAiSdkTools,
  type AiSdkTool,
  type AiSdkTools,
  toAiSdkRun,
  type AiSdkRun,
} from "./adapters/ai-sdk-tools.js";
export {
  callAnthropicTools,
  toAnthropicTools,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicOptions,
} from "./adapters/anthropic-tools.js";
export {
  callGeminiTools,
  toGeminiTools,
  type GeminiFunctionResponse,
  type GeminiTool,
} from "./adapters/gemini-tools.js";
export {
  toLangChainTools,
  toMastraTools,
  toOpenAiAgentTools,
  type OpenAiAgentTool,
  toTanStackTools,
  type TanStackTool,
} from "./adapters/framework-tools.js";
export type { AdapterOptions } from "./adapters/model-tools.js";
export type { ApprovalRequest, ApprovalRule, Approve } from "./registry/approval.js";
export {
  callOpenAiTools,
  toOpenAiTools,
  type OpenAiChatTool,
  type OpenAiFunctionOutput,
  type OpenAiResponsesTool,
  type OpenAiToolMessage,
} from "./adapters/openai-tools.js";
export { systemPrompt } from "./adapters/system-prompt.js";
export { type Effect, type Policy, type PolicyRules, type ToolSelector } from "../core/policy.js";
export type { PolicyDecision, PolicyReason } from "../core/decide.js";
export { createRegistry } from "./registry/create-registry.js";
export type { RegisteredTool } from "../core/tool.js";
export type { RegistryChange } from "./registry/registered-tool.js";
export type {
  RefreshReport,
  RefusedTool,
  Registry,
  RegistryOptions,
  ServerInput,
  ServerState,
  ToolFilter,
  ToolSource,
  ToolView,
} from "./registry/registry.js";
export { jsonSchemaToZod } from "./json-schema-to-zod.js";
export { defineStaticTool, type StaticTool, type StaticToolDefinition } from "./define-static-tool.js";
export type { SearchableTool } from "./search/postings.js";
export { createToolset } from "./toolset/create-toolset.js";
export type { ToolsetError, ToolsetErrorCode } from "./toolset/toolset-error.js";
export type {
  FoundOptions,
  MetaOptions,
  MetaTool,
  ToolSession,
  ToolAnswer,
  Toolset,
} from "./toolset/toolset.js";
export { createToolSearch, type Embedder, type ToolSearch } from "./search/create-tool-search.js";
