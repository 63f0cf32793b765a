// Represents the module of any tool.
export * from "./tool.js";
