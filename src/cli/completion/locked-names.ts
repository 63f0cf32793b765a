import { dirname, join, resolve } from "node:path";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import { LOCKFILE_NAME } from "../../contract/lockfile.js";
import type { Dialect } from "../../contract/schema-ir.js";
import { createToolNames } from "../../agent/toolset/tool-names.js";
import { readBounded } from "../../files/read-bounded.js";

/** A locked tool, as far as its name and its flags go. */
export interface NamedTool {
  /** As it is shown. */
  readonly shown: string;
  /** `server__tool`. */
  readonly name: string;
  readonly server: string;
  readonly description?: string;
  readonly inputSchema: JsonValue;
  readonly dialect?: Dialect;
}

/** What a lock names. */
export interface LockedNames {
  readonly servers: readonly string[];
  readonly tools: readonly NamedTool[];
  /** The tool that a name stands for, if it stands for one. */
  find(name: string): NamedTool | undefined;
}

/**
 * What the lock beside a configuration names, or the nearest lock from `cwd` upward. Whoever waits for completions does
 * not wait for digests to be compared, and hears of no error.
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
