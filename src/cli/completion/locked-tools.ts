import { dirname, join, resolve } from "node:path";
import { createToolNames } from "../../agent/registry/tool-names.js";
import { findOwn, type JsonObject, type JsonValue, objectOrEmpty } from "../../core/json.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import type { Dialect, SchemaIR } from "../../core/schema-ir.js";
import { findFileText, upwards } from "../../files/read-files.js";
import { parseSchema } from "../../schema/ir/parse-schema.js";
import { isAccepted, printText } from "../commands/call/flags/accepted-values.js";
import { ArgumentSchema } from "../commands/call/flags/argument-schema.js";
import { findPlace, joinFlagName, splitFlag, splitFlagName } from "../commands/call/flags/flag-paths.js";

interface NamedDefinition {
  /** `server__tool`. */
  readonly name: string;
  readonly server: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonValue;
  readonly dialect?: Dialect | undefined;
}

interface CompletableTool extends NamedDefinition {
  /** The name to complete: as short as possible. */
  readonly shown: string;
}

export interface LockedNames {
  readonly servers: readonly string[];
  readonly tools: readonly CompletableTool[];
  /** Returns the tool with this name; undefined if there is none, or more than one. */
  find(name: string): CompletableTool | undefined;
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

function toTool(server: string, name: string, block: JsonValue, tool: JsonValue): readonly NamedDefinition[] {
  if (findOwn(tool, "unusable") !== undefined) return [];
  const definition = objectIn(tool, "definition");
  const description = findOwn(definition, "description");
  return [
    {
      ...{ name: `${server}__${name}`, server },
      description: typeof description === "string" ? description : undefined,
      inputSchema: findOwn(definition, "inputSchema") ?? { type: "object" },
      dialect: findOwn(block, "wordpress") === undefined ? undefined : "wordpress",
    },
  ];
}

function objectIn(value: JsonValue | undefined, key: string): JsonObject {
  return objectOrEmpty(findOwn(value, key));
}

/** A word to insert at the cursor, with a description. */
export interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

interface ToolFlags {
  /** Whether the tool has a parameter of this name. */
  has(name: string): boolean;
  /** The flags that may begin with the word. */
  names(word: string): readonly Candidate[];
  /** The values of a flag; undefined for an unknown flag. */
  values(flag: string): readonly Candidate[] | undefined;
}

/** Completes the flags of a tool; nested flags after the name of their object is typed. */
export function completeFlags({ inputSchema, dialect }: CompletableTool): ToolFlags {
  const schema = new ArgumentSchema(parseSchema(inputSchema, { defaultDialect: dialect }));
  return {
    has: (name) => schema.members(schema.root).has(name),
    names: (word) => namesFor(word, schema),
    values: (flag) => {
      const place = findPlace(splitFlagName(splitFlag(flag).name), schema);
      return "within" in place ? undefined : valuesOf(place.schema, schema);
    },
  };
}

function namesFor(word: string, schema: ArgumentSchema): readonly Candidate[] {
  const isNegated = word.startsWith("--no-");
  const above = splitFlagName(word.slice(isNegated ? "--no-".length : "--".length)).slice(0, -1);
  const place = findPlace(above, schema);
  const members = "within" in place ? [] : listMembers(place.schema, place.path, schema);
  const negated = members
    .filter(({ node }) => isNegated && isAccepted(false, schema.accepted(node)))
    .map((one) => ({ ...one, flag: one.flag.replace("--", "--no-") }));
  const plain = isNegated && above.length > 0 ? [] : members;
  return [...plain, ...negated].map(({ flag, node }) => {
    return { value: flag, about: schema.annotation(node, "description") };
  });
}

interface NamedFlag {
  readonly flag: string;
  readonly node: SchemaIR;
}

function listMembers(
  node: SchemaIR,
  path: readonly (string | number)[],
  schema: ArgumentSchema,
): readonly NamedFlag[] {
  return [...schema.members(node)].map(([key, member]) => ({
    flag: `--${joinFlagName([...path, key])}`,
    node: member.schema,
  }));
}

/** Returns the values of `enum` and `const`, and `true` and `false` for booleans; for a list, those of its items. */
function valuesOf(node: SchemaIR, schema: ArgumentSchema): readonly Candidate[] | undefined {
  const own = schema.accepted(node);
  const item = own.types.has("array") ? schema.item(node, 0) : undefined;
  const accepted = item === undefined ? own : schema.accepted(item);
  const isAny = accepted.types.size >= 6;
  const switches = accepted.types.has("boolean") && !isAny ? [true, false] : [];
  return [...accepted.literals.values(), ...switches].flatMap((value) => {
    const text = printText(value, accepted);
    return text === undefined ? [] : [{ value: text }];
  });
}
