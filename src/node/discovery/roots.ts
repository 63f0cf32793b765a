import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { RootDiscovery } from "./discovery.js";

/** The directory of the nearest package.json, from where the process runs upwards; without one, where it runs. */
// eslint-disable-next-line @typescript-eslint/require-await -- A strategy that reads the disk would wait.
export const defaultRoots: RootDiscovery = async function* () {
  const start = process.cwd();
  let folder = start;
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) {
      yield start;
      return;
    }
    folder = parent;
  }
  yield folder;
};

/** These folders, in this order; relative ones from where the process runs. */
export function explicitRoots(...folders: readonly string[]): RootDiscovery {
  // eslint-disable-next-line @typescript-eslint/require-await -- As above.
  return async function* () {
    for (const folder of folders) yield resolve(folder);
  };
}

/** What all the strategies find, in their order, each folder once. */
export function chainRoots(...strategies: readonly RootDiscovery[]): RootDiscovery {
  return async function* () {
    const seen = new Set<string>();
    for (const strategy of strategies) {
      for await (const root of strategy()) {
        if (seen.has(root)) continue;
        seen.add(root);
        yield root;
      }
    }
  };
}
