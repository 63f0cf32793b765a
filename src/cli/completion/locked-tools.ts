import { dirname, join, resolve } from "node:path";
import { createToolNames } from "../../agent/registry/tool-names.js";
import { findOwn, type JsonObject, type JsonValue, objectOrEmpty } from "../../core/json.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { findFileText, upwards } from "../../files/read-files.js";

/** A word to insert at the cursor, with a description. */
export interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

export interface LockedNames {
  readonly servers: readonly string[];
  /** The names of tools, each as short as possible, with descriptions. */
  readonly tools: readonly Candidate[];
}

/**
 * Returns the names in the lock next to a configuration, or in the nearest lock from `cwd` upward. To be fast, does not
 * verify digests. A missing lock has no names.
 */
export async function readLockedNames(cwd: string, config: string | undefined): Promise<LockedNames> {
  const folders = config === undefined ? upwards(resolve(cwd)) : [dirname(resolve(cwd, config))];
  for (const folder of folders) {
    const text = await findFileText(join(folder, LOCKFILE_NAME)).catch(() => undefined);
    if (text !== undefined) return namesIn(JSON.parse(text) as JsonValue);
  }
  return namesIn(undefined);
}

function namesIn(lock: JsonValue | undefined): LockedNames {
  const servers = objectIn(lock, "servers");
  const tools = Object.entries(servers).flatMap(([server, block]) =>
    Object.entries(objectIn(block, "tools"))
      .filter(([, tool]) => findOwn(tool, "unusable") === undefined)
      .map(([name, tool]) => {
        const description = findOwn(objectIn(tool, "definition"), "description");
        return { name: `${server}__${name}`, server, description };
      }),
  );
  const names = createToolNames(tools);
  return {
    servers: Object.keys(servers),
    tools: tools.map((tool) => ({
      value: names.nameOf(tool),
      about: typeof tool.description === "string" ? tool.description : undefined,
    })),
  };
}

function objectIn(value: JsonValue | undefined, key: string): JsonObject {
  return objectOrEmpty(findOwn(value, key));
}
