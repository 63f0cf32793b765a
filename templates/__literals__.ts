// Names imported from here are places for JSON, which is always written as a literal.
import type { ServerDefinition, ToolDefinition } from "mcp-codegen/runtime";

export declare const __settings__: ServerDefinition;
export declare const __inputSchema__: ReturnType<ToolDefinition<unknown, unknown>["inputSchema"]>;
export declare const __annotations__: NonNullable<ToolDefinition<unknown, unknown>["annotations"]>;
export declare const __taskSupport__: NonNullable<ToolDefinition<unknown, unknown>["taskSupport"]>;
