export { McpCodegenError, type ErrorCode } from "../contract/errors.js";
export type {
  AuthSettings,
  ConnectionSettings,
  EndpointSettings,
  SettingText,
} from "../contract/connection.js";
export type { CallOptions, ConnectionOptions, ToolCaller } from "./call-options.js";
export { connectTools, type Connection } from "./connect-tools.js";
export type { Logger, RuntimeEvent } from "./events.js";
export type { ContentBlock, ToolContent } from "./content.js";
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
export { throughAbility, type Wrapped } from "./through-ability.js";
export type {
  AnyTool,
  ServerTool,
  Through,
  Tool,
  ToolAnnotations,
  ToolDefinition,
  ToolDescription,
} from "./tool.js";
export * from "./checks/index.js";
