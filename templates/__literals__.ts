// Names imported from here are placeholders for JSON, which is always written as a literal.
import type { PromptDefinition, throughAbility, ToolDefinition } from "mcp-codegen/codegen";
import type { ServerDefinition } from "mcp-codegen/runtime";

export declare const __settings__: ServerDefinition;
type Definition = Required<ToolDefinition<unknown, unknown>>;
export declare const __inputSchema__: string;
export declare const __annotations__: Definition["annotations"];
export declare const __visibility__: Definition["visibility"];
export declare const __observed__: Definition["observed"];
export declare const __defaults__: Definition["defaults"];
export declare const __dialect__: Definition["dialect"];
export declare const __wrapped__: Parameters<typeof throughAbility>[1];
export declare const __arguments__: PromptDefinition["arguments"];
