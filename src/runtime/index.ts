/** The runtime of generated code and its callers: connections, calls, errors and types. */
export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export type {
  AuthProvider,
  AuthSettings,
  ConnectionSettings,
  EndpointSettings,
  OAuthSettings,
  SettingText,
} from "../core/connection.js";
export type {
  RecordedCall,
  RecordedOutcome,
  RecordedCallsOf,
  RecordedToolCall,
  CallRecorder,
  FinishedCall,
} from "./call-recorder.js";
export type {
  CallOptions,
  CassetteMode,
  CassetteOptions,
  ConnectionOptions,
  ConnectOptions,
  RequestOptions,
  ToolCaller,
} from "./call-options.js";
export { abilitiesClient, throughAbility, type AbilitiesModule, type Wrapped } from "./abilities.js";
export { type Connection, connectTools, defineTool, type ToolsOf } from "./define-tool.js";
export type { Clock, Logger, RuntimeEvent } from "./events.js";
export type {
  FormQuestion,
  InputAnswer,
  InputChoice,
  InputField,
  InputQuestion,
  InputValues,
  OnInput,
  UrlQuestion,
} from "./input-question.js";
export type { Progress } from "../client/session.js";
export {
  type ContentBlock,
  type ToolContent,
  ToolCallError,
  type Result,
  type ToolError,
  type ToolErrorCode,
} from "./result.js";
export type { Issue, Schema, Validated } from "../schema/validation/schema.js";
export {
  defineServer,
  type ServerDefinition,
  isTool,
  type AnyTool,
  type ServerTool,
  type CallAdapter,
  type Tool,
  type ToolDefinition,
  type ToolDescription,
  type ToolMembers,
} from "./tool.js";
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
