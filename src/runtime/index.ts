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
} from "../agent/adapters/ai-sdk-tools.js";
export type { CallToolsOptions } from "../agent/adapters/answer-calls.js";
export {
  callAnthropicTools,
  toAnthropicTools,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicToolsOptions,
} from "../agent/adapters/anthropic-tools.js";
export type { ModelToolsOptions } from "../agent/adapters/model-tools.js";
export type { ApprovalOptions, ApprovalRequest, ApprovalRule } from "../agent/adapters/needs-approval.js";
export {
  callOpenAiTools,
  toOpenAiTools,
  type OpenAiApi,
  type OpenAiChatTool,
  type OpenAiFunctionOutput,
  type OpenAiResponsesTool,
  type OpenAiToolMessage,
} from "../agent/adapters/openai-tools.js";
export { systemPrompt } from "../agent/adapters/system-prompt.js";
export type { ToolSource } from "../agent/adapters/tool-source.js";
export type { AgentResult, AgentStep } from "../replay/calls-of-steps.js";
export type { Change, ChangeOutcome, ToolChange } from "./recorded-call.js";
export type { ChangeRecorder, RecordedCall } from "./call-recorder.js";
export { createChangeTracker, type ChangeTracker, type TrackerOptions } from "../replay/change-tracker.js";
export { planReplay, replay } from "../replay/replay-changes.js";
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
} from "../replay/plan.js";
export type { ReplayOptions, ReplayReport, StepReport } from "../replay/run-replay.js";
export type { Decision } from "../replay/journal.js";
export { memoryLines, type Lines } from "../replay/lines.js";
export { parseChanges, type DamagedLine, type ParsedChanges } from "../replay/parse-changes.js";
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
} from "../agent/http/create-discovery-handler.js";
export { nodeListener, type NodeRequest, type NodeResponse } from "../agent/http/node-listener.js";
export { decide, type PolicyDecision, type PolicyReason, type PolicyTool } from "../agent/policy/decide.js";
export {
  createPolicy,
  narrowPolicy,
  type Policy,
  type PolicyLayer,
  type PolicyOptions,
  type PolicyRules,
  type ToolSelector,
} from "../agent/policy/policy.js";
export {
  restrictRegistry,
  restrictTools,
  type Restrictable,
  type RestrictedRegistry,
} from "../agent/policy/restrict-tools.js";
export { createRegistry } from "../agent/registry/create-registry.js";
export type { RegisteredTool } from "../agent/registry/registered-tool.js";
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
} from "../agent/registry/registry.js";
export { joinToolName, splitToolName } from "../agent/registry/tool-names.js";
export { ToolCallError, type Result, type ToolError, type ToolErrorCode } from "./result.js";
export type { Issue, Schema, Validated } from "../validation/schema.js";
export { defineServer, type ServerDefinition } from "./server-definition.js";
export {
  defineStaticTool,
  type InputSchema,
  type StaticTool,
  type StaticToolContext,
  type StaticToolDefinition,
} from "../agent/define-static-tool.js";
export { defineTool } from "./define-tool.js";
export { isTool } from "./is-tool.js";
export { createToolset } from "../agent/toolset/create-toolset.js";
export type { Overview, PolicyOverview, ServerOverview } from "../agent/toolset/introspect-tools.js";
export type { ToolsetError, ToolsetErrorCode } from "../agent/toolset/toolset-error.js";
export type {
  Confirm,
  MetaTool,
  Toolset,
  ToolsetAnswer,
  ToolsetCallOptions,
  ToolsetOptions,
  ToolsetSource,
} from "../agent/toolset/toolset.js";
export {
  createToolSearch,
  type ToolSearch,
  type ToolSearchOptions,
} from "../agent/search/create-tool-search.js";
export type { SearchHit, SearchOptions } from "../agent/search/create-search-index.js";
export type { Embedder } from "../agent/search/embedder.js";
export type { SearchableTool } from "../agent/search/searchable-tool.js";
export { toAiSdkSession, type AiSdkSession } from "../agent/session/ai-sdk-session.js";
export { createToolSession } from "../agent/session/create-tool-session.js";
export type { DescribedHit } from "../agent/toolset/describe-hit.js";
export type { WantedTools } from "../agent/toolset/find-tools.js";
export type { SessionSearchAnswer } from "../agent/session/search-tool.js";
export type { SessionSource, ToolSession, ToolSessionOptions } from "../agent/session/tool-session.js";
export { throughAbility, type Wrapped } from "./through-ability.js";
export type {
  AnyTool,
  ServerTool,
  Through,
  Tool,
  ToolDefinition,
  ToolDescription,
  ToolMembers,
} from "./tool.js";
export * from "../codegen.js";
export { openSchema } from "../validation/open-schema.js";
export type { ToolAnnotations } from "../contract/snapshot.js";
