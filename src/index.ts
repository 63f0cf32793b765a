/** The build-time API: what configurations, scripts and other tools import. The runtime is `mcp-codegen/runtime`. */
export { defineConfig, type Config, type ServerConfig } from "./config/config.js";
export { readVariables } from "./config/read-variables.js";
export { loadConfig, type LoadedConfig } from "./config/load-config.js";
export type { AbilitySnapshot, LockedAbility, WordPressListing } from "./contract/ability.js";
export type { Change, ChangeClass, FailOn, Impact } from "./contract/change.js";
export type { Diagnostic, DiagnosticCode } from "./contract/diagnostic.js";
export { McpCodegenError, type ErrorCode } from "./contract/errors.js";
export type { GeneratedFile } from "./contract/generated-file.js";
export type { LockedServer, LockedTool, Lockfile } from "./contract/lockfile.js";
export { formatLockfile, parseLockfile } from "./contract/lockfile-text.js";
export type { CheckReport, GenerateReport, PullReport } from "./pipeline/reports.js";
export type { ServerSnapshot, ToolSnapshot } from "./contract/snapshot.js";
export { diffTools } from "./drift/diff-tools.js";
export { explain } from "./drift/explain.js";
export { emit } from "./emit/emit.js";
export { check, generate, pull } from "./pipeline.js";
export { printTypes } from "./schema/print-types.js";
export { printZodModule } from "./schema/print-zod-module.js";
