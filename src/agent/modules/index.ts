/** Files and module discovery for programs on Node. */
export {
  openChangeFile,
  readChanges,
  type ChangeFile,
  type ChangeFileOptions,
  openJournal,
} from "./change-file.js";
export {
  discoverTools,
  discoverToolsStream,
  toRegistryOptions,
  type DiscoveryOptions,
} from "./discovery/discover-tools.js";
export type {
  DiscoveryContext,
  DiscoveryWatch,
  RootDiscovery,
  ToolDiscovery,
} from "./discovery/import-tools.js";
export {
  cacheTools,
  chainRoots,
  defaultRoots,
  explicitRoots,
  globTools,
  type CachedToolDiscovery,
  type GlobToolsOptions,
} from "./discovery/strategies.js";
export { keepVectors, type VectorFileOptions } from "./vector-file.js";
export { importTools } from "./discovery/import-tools.js";
export { watchTools } from "./discovery/watch-tools.js";
export type { LineFile } from "../../files/line-file.js";
