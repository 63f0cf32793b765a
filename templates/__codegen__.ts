// Represents mcp-codegen/codegen, with a placeholder for the checks that a tool's schemas import.
export * from "mcp-codegen/codegen";
export declare const __check__: (value: unknown) => boolean;
