import { dirname, join, resolve } from "node:path";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import { LOCKFILE_NAME } from "../../contract/lockfile.js";
import type { Dialect } from "../../contract/schema-ir.js";
import { createToolNames } from "../../agent/registry/tool-names.js";
import { readBounded } from "../../files/read-bounded.js";

/** The parts of a locked tool that completion needs. */
export interface NamedTool {
  /** The name to complete: as short as possible. */
  readonly shown: string;
  /** `server__tool`. */
  readonly name: string;
  readonly server: string;
  readonly description?: string;
  readonly inputSchema: JsonValue;
  readonly dialect?: Dialect;
}

/** The names in a lock. */
export interface LockedNames {
  readonly servers: readonly string[];
  readonly tools: readonly NamedTool[];
  /** Returns the tool with this name; undefined if there is none, or more than one. */
  find(name: string): NamedTool | undefined;
}

/**
 * Returns the names in the lock next to a configuration, or in the nearest lock from `cwd` upward. To be fast, does not
 * verify digests. A missing lock has no names.
 */
export async function readLockedNames(cwd: string, config: string | undefined): Promise<LockedNames> {
  const text =
    config === undefined ? await findUpward(resolve(cwd)) : await read(dirname(resolve(cwd, config)));
  return namesIn(text === undefined ? undefined : (JSON.parse(text) as JsonValue));
}

async function findUpward(folder: string): Promise<string | undefined> {
  const text = await read(folder);
  const parent = dirname(folder);
  return text !== undefined || parent === folder ? text : findUpward(parent);
}

async function read(folder: string): Promise<string | undefined> {
  return readBounded(join(folder, LOCKFILE_NAME)).then(String, () => undefined);
}

function namesIn(lock: JsonValue | undefined): LockedNames {
  const servers = objectIn(lock, "servers");
  const tools = Object.entries(servers).flatMap(([server, block]) =>
    Object.entries(objectIn(block, "tools")).flatMap(([name, tool]) => toTool(server, name, block, tool)),
  );
  const names = createToolNames(tools);
  const shown = tools.map((tool) => ({ ...tool, shown: names.nameOf(tool) }));
  return {
    servers: Object.keys(servers),
    tools: shown,
    find: (name) => {
      const [found, other] = names.find(name);
      return other === undefined ? shown.find((tool) => tool.name === found?.name) : undefined;
    },
  };
}

function toTool(
  server: string,
  name: string,
  block: JsonValue,
  tool: JsonValue,
): readonly Omit<NamedTool, "shown">[] {
  if (!isJsonObject(tool) || getOwn(tool, "unusable") !== undefined) return [];
  const definition = objectIn(tool, "definition");
  const description = getOwn(definition, "description");
  const isWordPress = isJsonObject(block) && getOwn(block, "wordpress") !== undefined;
  return [
    {
      name: `${server}__${name}`,
      server,
      ...(typeof description === "string" && { description }),
      inputSchema: getOwn(definition, "inputSchema") ?? { type: "object" },
      ...(isWordPress && { dialect: "wordpress" }),
    },
  ];
}

function objectIn(value: JsonValue | undefined, key: string): { readonly [key: string]: JsonValue } {
  const inner = isJsonObject(value) ? getOwn(value, key) : undefined;
  return isJsonObject(inner) ? inner : {};
}
