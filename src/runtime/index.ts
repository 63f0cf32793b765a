export { McpCodegenError, type ErrorCode } from "../contract/errors.js";
export type {
  AuthSettings,
  ConnectionSettings,
  EndpointSettings,
  SettingText,
} from "../contract/connection.js";
export {
  toAiSdkTool,
  toAiSdkTools,
  type AiSdkTool,
  type AiSdkToolsOptions,
} from "./adapters/ai-sdk-tools.js";
export type { CallToolsOptions } from "./adapters/answer-calls.js";
export {
  callAnthropicTools,
  toAnthropicTools,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicToolsOptions,
} from "./adapters/anthropic-tools.js";
export type { ModelToolsOptions } from "./adapters/model-tools.js";
export type { ApprovalOptions, ApprovalRequest, ApprovalRule } from "./adapters/needs-approval.js";
export {
  callOpenAiTools,
  toOpenAiTools,
  type OpenAiApi,
  type OpenAiChatTool,
  type OpenAiFunctionOutput,
  type OpenAiResponsesTool,
  type OpenAiToolMessage,
} from "./adapters/openai-tools.js";
export { systemPrompt } from "./adapters/system-prompt.js";
export type { ToolSource } from "./adapters/tool-source.js";
export type { AgentResult, AgentStep } from "./changes/calls-of-steps.js";
export type { Change, ChangeOutcome, ToolChange } from "./changes/change.js";
export type { ChangeRecorder, RecordedCall } from "./changes/change-recorder.js";
export { createChangeTracker, type ChangeTracker, type TrackerOptions } from "./changes/change-tracker.js";
export { planReplay, replay } from "./changes/replay-changes.js";
export type {
  Conflict,
  ConflictKind,
  Reference,
  References,
  ReplayPlan,
  ReplayStep,
  ReplayTarget,
  ToolSet,
  ValuePath,
} from "./changes/replay/plan.js";
export type { ReplayOptions, ReplayReport, StepReport } from "./changes/replay/run-replay.js";
export type { Decision } from "./changes/replay/journal.js";
export { memoryLines, type Lines } from "./changes/lines.js";
export { parseChanges, type DamagedLine, type ParsedChanges } from "./changes/parse-changes.js";
export type { CallOptions, ConnectionOptions, ConnectOptions, ToolCaller } from "./call-options.js";
export { abilitiesClient, type AbilitiesModule } from "./client/abilities-client.js";
export { connectTools, type Connection, type ToolsOf } from "./connect-tools.js";
export type { Clock } from "./clock.js";
export type { Effect } from "./effect.js";
export type { Logger, RuntimeEvent } from "./events.js";
export type { Progress } from "../transport/progress.js";
export type { ContentBlock, ToolContent } from "./content.js";
export {
  createDiscoveryHandler,
  type DiscoveryHandlerOptions,
  type RequestLike,
} from "./http/create-discovery-handler.js";
export { nodeListener, type NodeRequest, type NodeResponse } from "./http/node-listener.js";
export { decide, type PolicyDecision, type PolicyReason, type PolicyTool } from "./policy/decide.js";
export {
  createPolicy,
  narrowPolicy,
  type Policy,
  type PolicyLayer,
  type PolicyOptions,
  type PolicyRules,
  type ToolSelector,
} from "./policy/policy.js";
export {
  restrictRegistry,
  restrictTools,
  type Restrictable,
  type RestrictedRegistry,
} from "./policy/restrict-tools.js";
export { createRegistry } from "./registry/create-registry.js";
export type { RegisteredTool } from "./registry/registered-tool.js";
export type {
  RefreshReport,
  RefusalCode,
  RefusedTool,
  Registry,
  RegistryChange,
  RegistryOptions,
  ServerListing,
  ServerSource,
  ServerState,
  ToolEntry,
  ToolFilter,
} from "./registry/registry.js";
export { joinToolName, splitToolName } from "./registry/tool-names.js";
export { ToolCallError, type Result, type ToolError, type ToolErrorCode } from "./result.js";
export type { Issue, Schema, Validated } from "./schema.js";
export { defineServer, type ServerDefinition } from "./server-definition.js";
export {
  defineStaticTool,
  type InputSchema,
  type StaticTool,
  type StaticToolContext,
  type StaticToolDefinition,
} from "./define-static-tool.js";
export { defineTool } from "./define-tool.js";
export { isTool } from "./is-tool.js";
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
  ToolsetSource,
} from "./toolset/toolset.js";
export { createToolSearch, type ToolSearch, type ToolSearchOptions } from "./toolset/create-tool-search.js";
export type { SearchHit, SearchOptions } from "./toolset/search/create-search-index.js";
export type { Embedder } from "./toolset/search/embedder.js";
export type { SearchableTool } from "./toolset/search/searchable-tool.js";
export type { ToolVectors } from "../contract/tool-vectors.js";
export { toAiSdkSession, type AiSdkSession } from "./toolset/session/ai-sdk-session.js";
export { createToolSession } from "./toolset/session/create-tool-session.js";
export type { DescribedHit } from "./toolset/describe-hit.js";
export type { WantedTools } from "./toolset/find-tools.js";
export type { SessionSearchAnswer } from "./toolset/session/search-tool.js";
export type { SessionSource, ToolSession, ToolSessionOptions } from "./toolset/session/tool-session.js";
export { throughAbility, type Wrapped } from "./through-ability.js";
export type {
  AnyTool,
  ServerTool,
  Through,
  Tool,
  ToolAnnotations,
  ToolDefinition,
  ToolDescription,
  ToolMembers,
} from "./tool.js";
export * from "./checks/index.js";
export { openSchema } from "./open-schema.js";
