import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import type { SchemaIR } from "../../contract/schema-ir.js";
import type { ArgumentSchema } from "./argument-schema.js";
import type { ArgumentPath } from "./draft.js";
import { isIndex, joinFlagName } from "./flag-names.js";
import { printText, readText } from "./accepted.js";

/** Arguments as words of a command line. */
export interface PrintedFlags {
  /** The arguments that flags cannot express, for `--input`. */
  readonly input?: JsonObject;
  readonly words: readonly string[];
}

/** Prints arguments as words that `readFlags` reads back. */
export function printFlags(args: JsonObject, schema: ArgumentSchema): PrintedFlags {
  const rest: [string, JsonValue][] = [];
  const words = Object.entries(args).flatMap(([key, value]) => {
    const node = schema.property(schema.root, key);
    const flags = node === undefined ? undefined : printPart(value, [key], node, schema);
    if (flags === undefined) rest.push([key, value]);
    return flags ?? [];
  });
  return { ...(rest.length > 0 && { input: Object.fromEntries(rest) }), words };
}

/** Returns the flags that set a value at a path; undefined if flags cannot express it. */
function printPart(
  value: JsonValue,
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  const parts = Array.isArray(value)
    ? printItems(value as readonly JsonValue[], path, node, schema)
    : isJsonObject(value)
      ? printMembers(value, path, node, schema)
      : undefined;
  if (parts !== undefined) return parts;
  const text = printText(value, schema.accepted(node));
  return text === undefined ? undefined : [printFlag(path, text)];
}

function printMembers(
  value: JsonObject,
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  const words: string[] = [];
  for (const [key, item] of entries) {
    const inner = isIndex(key, node, schema) ? undefined : schema.property(node, key);
    const flags = inner === undefined ? undefined : printPart(item, [...path, key], inner, schema);
    if (flags === undefined) return undefined;
    words.push(...flags);
  }
  return words;
}

/** Repeats the flag for each item if all items are scalar, or else uses a flag with an index for each. */
function printItems(
  items: readonly JsonValue[],
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  if (items.length === 0 || !schema.accepted(node).types.has("array")) return undefined;
  return printRepeated(items, path, node, schema) ?? printNumbered(items, path, node, schema);
}

function printRepeated(
  items: readonly JsonValue[],
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  const whole = schema.accepted(node);
  const words: string[] = [];
  for (const [index, item] of items.entries()) {
    if (typeof item === "object" && item !== null) return undefined;
    const inner = schema.item(node, index);
    const text = inner === undefined ? undefined : printText(item, schema.accepted(inner));
    if (text === undefined) return undefined;
    const read = readText(text, whole);
    // This would be read as several items, or as a value instead of the list.
    if ("value" in read && (items.length === 1 || Array.isArray(read.value))) return undefined;
    words.push(printFlag(path, text));
  }
  return words;
}

function printNumbered(
  items: readonly JsonValue[],
  path: ArgumentPath,
  node: SchemaIR,
  schema: ArgumentSchema,
): readonly string[] | undefined {
  const words: string[] = [];
  for (const [index, item] of items.entries()) {
    if (!isIndex(String(index), node, schema)) return undefined;
    const inner = schema.item(node, index);
    const flags = inner === undefined ? undefined : printPart(item, [...path, index], inner, schema);
    if (flags === undefined) return undefined;
    words.push(...flags);
  }
  return words;
}

function printFlag(path: ArgumentPath, text: string): string {
  return `--${joinFlagName(path)}=${text}`;
}
