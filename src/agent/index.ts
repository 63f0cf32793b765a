/** Shows tools to models: adapters, registry, policy, search, toolset and sessions. */
export {
  toAiSdkTool,
  toAiSdkTools,
  type AiSdkTool,
  type AiSdkToolsOptions,
  toAiSdkSession,
  type AiSdkSession,
} from "./adapters/ai-sdk-tools.js";
export type { CallToolsOptions } from "./adapters/answer-calls.js";
export {
  callAnthropicTools,
  toAnthropicTools,
  type AnthropicCacheControl,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicToolsOptions,
} from "./adapters/anthropic-tools.js";
export {
  callGeminiTools,
  toGeminiTools,
  type GeminiCall,
  type GeminiFunctionResponse,
  type GeminiTool,
} from "./adapters/gemini-tools.js";
export { toLangChainTools, type LangChainToolFunction } from "./adapters/langchain-tools.js";
export { toMastraTools, type MastraToolFunction } from "./adapters/mastra-tools.js";
export { toOpenAiAgentTools, type OpenAiAgentTool } from "./adapters/openai-agents-tools.js";
export { toTanStackTools, type TanStackTool } from "./adapters/tanstack-tools.js";
export type {
  ModelToolsOptions,
  ApprovalOptions,
  ApprovalRequest,
  ApprovalRule,
} from "./adapters/model-tools.js";
export {
  callOpenAiTools,
  toOpenAiTools,
  type OpenAiApi,
  type OpenAiChatTool,
  type OpenAiFunctionOutput,
  type OpenAiResponsesOptions,
  type OpenAiResponsesTool,
  type OpenAiSearchOutput,
  type OpenAiSearchTool,
  type OpenAiToolMessage,
} from "./adapters/openai-tools.js";
export { systemPrompt } from "./adapters/system-prompt.js";
export {
  type Effect,
  createPolicy,
  narrowPolicy,
  type Policy,
  type PolicyLayer,
  type PolicyOptions,
  type PolicyRules,
  type ToolSelector,
} from "../core/policy.js";
export {
  createDiscoveryHandler,
  type DiscoveryHandlerOptions,
  type RequestLike,
  nodeListener,
  type NodeRequest,
  type NodeResponse,
} from "./registry/discovery-handler.js";
export { decide, type PolicyDecision, type PolicyReason, type PolicyTool } from "../core/decide.js";
export { type RestrictedRegistry, restrictRegistry, restrictTools } from "./registry/restrict-registry.js";
export { createRegistry } from "./registry/tool-registry.js";
export type { RegisteredTool } from "../core/tool.js";
export type { RegistryChange } from "./registry/registered-tool.js";
export type {
  RefreshReport,
  RefusalCode,
  RefusedTool,
  Registry,
  RegistryOptions,
  ServerListing,
  ServerSource,
  ServerState,
  ToolEntry,
  ToolFilter,
  ToolProvider,
  ToolSource,
} from "./registry/registry.js";
export { joinToolName, splitToolName } from "../core/tool-name.js";
export {
  defineStaticTool,
  type InputSchema,
  type PlainToolDefinition,
  type StaticTool,
  type StaticToolContext,
  type StaticToolDefinition,
} from "./define-static-tool.js";
export { createToolset } from "./toolset/create-toolset.js";
export type { Overview, PolicyOverview, ServerOverview } from "./toolset/introspect-tools.js";
export type { ToolsetError, ToolsetErrorCode } from "./toolset/toolset-error.js";
export type {
  Confirm,
  MetaTool,
  Toolset,
  ToolsetAnswer,
  ToolsetCallOptions,
  ToolsetOptions,
} from "./toolset/toolset.js";
export {
  createToolSearch,
  type Embedder,
  type SearchHit,
  type SearchOptions,
  type ToolSearch,
  type ToolSearchOptions,
} from "./search/create-tool-search.js";
export type { SearchableTool } from "./search/postings.js";
export { createToolSession } from "./session/create-tool-session.js";
export type { SessionSearchAnswer, ToolSession, ToolSessionOptions } from "./session/tool-session.js";
export type { DescribedHit, WantedTools } from "./toolset/find-tools.js";
