import type { AnyTool } from "../../runtime/tool.js";
import type { ToolDiscovery } from "./discovery.js";

/** A strategy that looks once and remembers, until `clear()` or while tools are watched. */
export type CachedToolDiscovery = ToolDiscovery & {
  /** Forgets what was found. */
  clear(): void;
};

/** Remembers what a strategy found in each root. A search that failed or was left before its end is not remembered. */
export function cacheTools(discovery: ToolDiscovery): CachedToolDiscovery {
  const remembered = new Map<string, readonly AnyTool[]>();
  const cached: ToolDiscovery = async function* (root, context) {
    const known = context?.watch === undefined ? remembered.get(root) : undefined;
    if (known !== undefined) {
      yield* known;
      return;
    }
    const tools: AnyTool[] = [];
    for await (const tool of discovery(root, context)) {
      tools.push(tool);
      yield tool;
    }
    remembered.set(root, tools);
  };
  return Object.assign(cached, {
    clear() {
      remembered.clear();
    },
  });
}
