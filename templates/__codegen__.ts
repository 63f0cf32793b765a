// Stands for mcp-codegen/codegen, with a place for the checks that a tool's schemas import from it.
export * from "mcp-codegen/codegen";
export declare const __check__: (value: unknown) => boolean;
