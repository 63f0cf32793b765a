export { cacheTools, type CachedToolDiscovery } from "./cache-tools.js";
export { discoverTools, discoverToolsStream, type DiscoveryOptions } from "./discover-tools.js";
export type { DiscoveryContext, DiscoveryWatch, RootDiscovery, ToolDiscovery } from "./discovery.js";
export { globTools, type GlobToolsOptions } from "./glob-tools.js";
export { importTools } from "./import-tools.js";
export { chainRoots, defaultRoots, explicitRoots } from "./roots.js";
export { toRegistryOptions } from "./to-registry-options.js";
export { watchTools } from "./watch-tools.js";
