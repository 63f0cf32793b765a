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
export { defineTool } from "./define-tool.js";
export { throughAbility, type Wrapped } from "./through-ability.js";
export type { AnyTool, Through, Tool, ToolAnnotations, ToolDefinition } from "./tool.js";
export * from "./checks/index.js";
