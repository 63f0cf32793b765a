import type { SchemaIR } from "../../contract/schema-ir.js";
import type { ArgumentSchema } from "./argument-schema.js";
import type { ArgumentPath } from "./draft.js";

/** Where the keys of a flag lead, and the schema of what is there. */
export interface Place {
  readonly path: ArgumentPath;
  readonly schema: SchemaIR;
}

/** A key that leads nowhere: the schema of what it was looked for in, and the way there. */
export interface DeadEnd {
  readonly path: ArgumentPath;
  readonly within: SchemaIR;
}

/** Follows the keys of a flag into a schema. A number leads into a list, where there can be one. */
export function findPlace(keys: readonly string[], schema: ArgumentSchema): Place | DeadEnd {
  const path: (string | number)[] = [];
  let node = schema.root;
  for (const key of keys) {
    // Arguments are an object, whatever the schema says.
    const step = path.length > 0 && isIndex(key, node, schema) ? Number(key) : key;
    const inner = typeof step === "number" ? schema.item(node, step) : schema.property(node, step);
    if (inner === undefined) return { path, within: node };
    path.push(step);
    node = inner;
  }
  return { path, schema: node };
}

/** Whether a key is the number of an item, and no property. */
export function isIndex(key: string, node: SchemaIR, schema: ArgumentSchema): boolean {
  return (
    /^(?:0|[1-9]\d{0,6})$/.test(key) &&
    schema.accepted(node).types.has("array") &&
    !schema.members(node).has(key)
  );
}
