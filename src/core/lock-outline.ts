import { Buffer } from "node:buffer";
import { sha256 } from "./digest.js";
import { McpCodegenError } from "./errors.js";
import { custom, readFormat } from "./format.js";
import { getOwn, isJsonObject, isNamedObject, mapEntries, type JsonObject, type JsonValue } from "./json.js";
import { LOCKFILE_NAME, type Lockfile } from "./lockfile.js";
import { checkEntry, createLockFormat } from "./lockfile-text.js";
import type { ToolSnapshot } from "./snapshot.js";

/** The parts of a definition that planning needs. */
export interface DefinitionOutline {
  /** Hexadecimal SHA-256 of the definition's text in a lockfile, in which the order of keys matters. */
  readonly text: string;
  readonly hasOutput: boolean;
  /** Whether `readOnlyHint` of its annotations is true. */
  readonly isReadOnly: boolean;
}

/** A lock without the definitions of its tools. Those of prompts and resources are small, and needed. */
export type LockOutline = Lockfile<DefinitionOutline>;

export function outlineOf(lock: Lockfile): LockOutline {
  const servers = mapEntries(lock.servers, (server) => ({
    ...server,
    tools: mapEntries(server.tools, (tool) => ({ ...tool, definition: outlineDefinition(tool.definition) })),
  }));
  return { ...lock, servers };
}

function outlineDefinition(definition: ToolSnapshot): DefinitionOutline {
  const text = JSON.stringify(definition, null, 2).replaceAll("\n", `\n${INDENT}`);
  const annotations = getOwn(definition, "annotations");
  return {
    text: sha256(text),
    hasOutput: isJsonObject(getOwn(definition, "outputSchema")),
    isReadOnly: isJsonObject(annotations) && getOwn(annotations, "readOnlyHint") === true,
  };
}

type IsPicked = (server: string, tool: string) => boolean;

/** Returns a lock with those tools only. */
export function pickTools(lock: Lockfile, isPicked: IsPicked): Lockfile {
  return mapTools(lock, isPicked, (definition) => definition);
}

/** As {@link pickTools}, for an outline that {@link readOutline} returned. */
export function pickFromOutline(outline: LockOutline, isPicked: IsPicked): Lockfile {
  return mapTools(outline, isPicked, (outlined, tool) => {
    const definition = JSON.parse(bytesOf.get(outlined)?.toString() ?? "null") as JsonValue;
    if (isNamedObject(definition) && definition.name === tool) return definition;
    throw new McpCodegenError(
      "LOCK_INVALID",
      `"${LOCKFILE_NAME}" has another name in the definition of tool ${JSON.stringify(tool)}.`,
    );
  });
}

function mapTools<Definition>(
  lock: Lockfile<Definition>,
  isPicked: IsPicked,
  read: (definition: Definition, tool: string) => ToolSnapshot,
): Lockfile {
  const servers = mapEntries(lock.servers, (server, name) => {
    const picked = Object.entries(server.tools).filter(([tool]) => isPicked(name, tool));
    return {
      ...server,
      tools: Object.fromEntries(
        picked.map(([tool, locked]) => [tool, { ...locked, definition: read(locked.definition, tool) }]),
      ),
    };
  });
  return { ...lock, servers };
}

/** The indentation of a definition in a lockfile, as `formatLockfile` writes it. */
const INDENT = " ".repeat(10);
const KEY = Buffer.from(`\n${INDENT}"definition": `);
const START = Buffer.from(`${KEY.toString()}{\n`);
const END = Buffer.from(`\n${INDENT}}`);
const OUTPUT = Buffer.from(`\n${INDENT}  "outputSchema": {`);
const ANNOTATIONS = Buffer.from(`\n${INDENT}  "annotations": {\n`);
const ANNOTATIONS_END = Buffer.from(`\n${INDENT}  }`);
const READ_ONLY = Buffer.from(`\n${INDENT}    "readOnlyHint": true`);

/**
 * Returns the outline of a lockfile's bytes, in a tenth of the time of parsing: definitions are only hashed, and not verified.
 * Undefined when `formatLockfile` would write the file in another way, or it is not valid: parsing then reports the error.
 */
export function readOutline(lockfile: Buffer): LockOutline | undefined {
  const definitions: Buffer[] = [];
  let rest = "";
  let end = 0;
  for (let at = lockfile.indexOf(START); at !== -1; at = lockfile.indexOf(START, end)) {
    const start = at + KEY.length;
    const last = lockfile.indexOf(END, start);
    if (last === -1) return undefined;
    // A number replaces the definition.
    rest += `${lockfile.toString("utf8", end, start)}${definitions.length}`;
    end = last + END.length;
    definitions.push(lockfile.subarray(start, end));
  }
  rest += lockfile.toString("utf8", end);
  return parseRest(rest, definitions);
}

/** The text of each definition that {@link readOutline} returned. */
const bytesOf = new WeakMap<DefinitionOutline, Buffer>();

function outlineBytes(bytes: Buffer): DefinitionOutline {
  const outline = {
    text: sha256(bytes),
    hasOutput: bytes.includes(OUTPUT),
    isReadOnly: hasReadOnlyHint(bytes),
  };
  bytesOf.set(outline, bytes);
  return outline;
}

/** The indentation identifies keys of the definition itself: deeper keys are indented more, and strings have no line ends. */
function hasReadOnlyHint(bytes: Buffer): boolean {
  const start = bytes.indexOf(ANNOTATIONS);
  if (start === -1) return false;
  const end = bytes.indexOf(ANNOTATIONS_END, start + ANNOTATIONS.length);
  return bytes.subarray(start, end).includes(READ_ONLY);
}

function parseRest(text: string, definitions: readonly Buffer[]): LockOutline | undefined {
  let taken = 0;
  try {
    const take = (value: JsonValue | undefined): Buffer => {
      const bytes = typeof value === "number" ? definitions[value] : undefined;
      if (bytes === undefined) throw new SyntaxError("This is not the number of a definition.");
      taken += 1;
      return bytes;
    };
    const format = createLockFormat<DefinitionOutline>(
      custom({}, (value) => outlineBytes(take(value))),
      custom({}, (value, path) => checkEntry(JSON.parse(take(value).toString()) as JsonObject, path)),
    );
    const lock = readFormat(format, JSON.parse(text) as JsonValue, LOCKFILE_NAME);
    // A definition that is left over belongs to a repeated tool, or is not a definition.
    return taken === definitions.length ? lock : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof McpCodegenError) return undefined;
    throw error;
  }
}
