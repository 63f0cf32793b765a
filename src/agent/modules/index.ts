/** Files and module discovery for programs on Node. */
export {
  type ChangeFile,
  type ChangeFileOptions,
  keepVectors,
  openChangeFile,
  openJournal,
  readChanges,
  type VectorFileOptions,
} from "./module-files.js";
export {
  discoverTools,
  type DiscoveryOptions,
  toRegistryOptions,
  watchTools,
} from "./discovery/discover-tools.js";
export {
  type CachedToolDiscovery,
  cacheTools,
  defaultRoots,
  type DiscoveryContext,
  type DiscoveryWatch,
  explicitRoots,
  globTools,
  type GlobToolsOptions,
  importTools,
  type RootDiscovery,
  type ToolDiscovery,
} from "./discovery/strategies.js";
export type { LineFile } from "../../files/line-file.js";
