/** What generated code's users need of Node: the disk. */
export { openChangeFile, readChanges, type ChangeFile, type ChangeFileOptions } from "./change-file.js";
export {
  cacheTools,
  chainRoots,
  defaultRoots,
  discoverTools,
  discoverToolsStream,
  explicitRoots,
  globTools,
  importTools,
  toRegistryOptions,
  watchTools,
  type CachedToolDiscovery,
  type DiscoveryContext,
  type DiscoveryOptions,
  type DiscoveryWatch,
  type GlobToolsOptions,
  type RootDiscovery,
  type ToolDiscovery,
} from "./discovery/index.js";
export { openJournal } from "./open-journal.js";
export type { LineFile } from "../files/line-file.js";
