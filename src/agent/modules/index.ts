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
  discoverToolsStream,
  type DiscoveryOptions,
  toRegistryOptions,
  watchTools,
} from "./discovery/discover-tools.js";
export {
  type DiscoveryContext,
  type DiscoveryWatch,
  importTools,
  type RootDiscovery,
  type ToolDiscovery,
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
export type { LineFile } from "../../files/line-file.js";
