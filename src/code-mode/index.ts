/** Code mode: models write scripts that are type-checked against the tools before anything is called. */
export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export type { ScriptIssue } from "./check-script.js";
export { createCodeTools, type CodeTools, type CodeToolsOptions } from "./create-code-tools.js";
export type { CodeExecutor, CodeOutcome, CodeTask } from "./executor.js";
export type { CodeLimits } from "./limits.js";
