/** Files and module discovery for programs on Node. */
export { McpCodegenError, type ErrorCode } from "../../core/errors.js";
export { keepVectors, openChangeFile, openJournal, readChanges } from "./module-files.js";
export {
  discoverTools,
  type DiscoveryOptions,
  type RootDiscovery,
  type ToolDiscovery,
  watchTools,
} from "./discover-tools.js";
