/** The runtime of generated code and its callers: connections, calls, errors and types. */
export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export type { AuthProvider } from "../core/connection.js";
export type { AuthSettings, OAuthSettings, SettingText } from "../core/connection-settings.js";
export type { RecordedCall, RecordedCallsOf } from "./call-recorder.js";
export { abilitiesClient, throughAbility, type AbilitiesModule, type Wrapped } from "./abilities.js";
export { type Connection, connectTools, defineTool, type ToolsOf } from "./define-tool.js";
export type { Clock } from "./events.js";
export type {
  FormQuestion,
  InputAnswer,
  InputChoice,
  InputField,
  InputQuestion,
  InputValues,
  OnInput,
  UrlQuestion,
} from "../core/input-question.js";
export type {
  ContentBlock,
  ToolContent,
  Result,
  ToolError,
  ToolErrorCode,
  Progress,
  CallOptions,
  CassetteMode,
  CassetteOptions,
  ConnectOptions,
  ToolCaller,
  Logger,
  RuntimeEvent,
  CallRecorder,
} from "../core/call.js";
export { ToolCallError } from "./result.js";
export type { Issue, Schema } from "../core/schema.js";
export type {
  ServerDefinition,
  AnyTool,
  CallAdapter,
  Tool,
  ToolDefinition,
  ToolMembers,
} from "../core/tool.js";
export { defineServer } from "./tool.js";
export { definePrompt, defineResource, defineResourceTemplate } from "./define-entry.js";
export {
  type RequestError,
  type RequestErrorCode,
  ServerRequestError,
  type EntryArgument,
  type Prompt,
  type PromptDefinition,
  type PromptMessage,
  type PromptResult,
  type RequestParameters,
  type Resource,
  type ResourceContent,
  type ResourceDefinition,
  type ResourceResult,
  type ResourceTemplate,
  type ResourceTemplateDefinition,
} from "./server-entry.js";
export type { ToolAnnotations } from "../core/snapshot.js";
