// Stands for mcp-codegen/runtime, with a place for the checks that a tool's schemas import from it.
export * from "mcp-codegen/runtime";
export declare const __check__: (value: unknown) => boolean;
