import type { SchemaIR } from "../../contract/schema-ir.js";
import type { ArgumentSchema } from "./argument-schema.js";
import type { ArgumentPath } from "./draft.js";

/**
 * Splits the name of a flag into keys: `meta.key` is `key` in `meta`. A backslash escapes the next character, so
 * `odd\.name` is one key.
 */
export function splitFlagName(name: string): readonly string[] {
  const keys = [""];
  for (let at = 0; at < name.length; at += 1) {
    const character = name.charAt(at);
    if (character === ".") keys.push("");
    else {
      const isEscape = character === "\\" && at + 1 < name.length;
      if (isEscape) at += 1;
      keys.push(`${keys.pop() ?? ""}${name.charAt(at)}`);
    }
  }
  return keys;
}

/** Returns the name of the flag with these keys. */
export function joinFlagName(keys: readonly (string | number)[]): string {
  return keys.map((key) => String(key).replace(/[\\.=]/g, "\\$&")).join(".");
}

/** Splits a word that begins with `--` at its first unescaped `=`. */
export function splitFlag(word: string): { readonly name: string; readonly text?: string } {
  const body = word.slice(2);
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === "\\") at += 1;
    else if (body[at] === "=") return { name: body.slice(0, at), text: body.slice(at + 1) };
  }
  return { name: body };
}

/** The path that a flag's keys lead to, and its schema. */
export interface Place {
  readonly path: ArgumentPath;
  readonly schema: SchemaIR;
}

/** The first key that does not exist: the schema that lacks it, and the path to that schema. */
export interface DeadEnd {
  readonly path: ArgumentPath;
  readonly within: SchemaIR;
}

/** Follows a flag's keys into a schema. A number is an array index if the value may be an array. */
export function findPlace(keys: readonly string[], schema: ArgumentSchema): Place | DeadEnd {
  const path: (string | number)[] = [];
  let node = schema.root;
  for (const key of keys) {
    // Arguments are always an object, so the first key is never an index.
    const step = path.length > 0 && isIndex(key, node, schema) ? Number(key) : key;
    const inner = typeof step === "number" ? schema.item(node, step) : schema.property(node, step);
    if (inner === undefined) return { path, within: node };
    path.push(step);
    node = inner;
  }
  return { path, schema: node };
}

/** Whether a key is an array index and not a declared property. */
export function isIndex(key: string, node: SchemaIR, schema: ArgumentSchema): boolean {
  return (
    /^(?:0|[1-9]\d{0,6})$/.test(key) &&
    schema.accepted(node).types.has("array") &&
    !schema.members(node).has(key)
  );
}
