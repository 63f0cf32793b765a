/** The imports of code that calls tools: definitions of servers, errors, and the types of calls. */
export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export type { AuthProvider } from "../core/connection.js";
export type { AuthSettings, OAuthSettings, SettingText } from "../core/connection-settings.js";
export type { RecordedCall } from "./call-recorder.js";
export { abilitiesClient, type AbilitiesModule } from "./abilities.js";
export type { Connection } from "./define-tool.js";
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
export type { ServerDefinition, AnyTool, Tool } from "../core/tool.js";
export { defineServer } from "./tool.js";
export {
  type RequestError,
  type RequestErrorCode,
  ServerRequestError,
  type Prompt,
  type PromptMessage,
  type PromptResult,
  type Resource,
  type ResourceContent,
  type ResourceResult,
  type ResourceTemplate,
} from "./server-entry.js";
export type { ToolAnnotations } from "../core/snapshot.js";
