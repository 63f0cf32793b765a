import type { Change } from "../contract/change.js";
import { ENTRY_LISTS, findEntry } from "../contract/entries.js";
import { printable } from "../contract/printable.js";
import { splitPointer } from "../contract/json-pointer.js";

/** JSON Schema keywords that hold schemas by name, with the text that precedes the name. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ["properties", "."],
  ["patternProperties", " patternProperties "],
  ["dependentSchemas", " dependentSchemas "],
  ["dependencies", " dependencies "],
  ["$defs", " $defs "],
  ["definitions", " definitions "],
]);
const BY_INDEX: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);
const SINGLE: ReadonlySet<string> = new Set(["not", "if", "then", "else", "contains", "propertyNames"]);
const SCHEMAS: ReadonlyMap<string, string> = new Map([
  ["inputSchema", "input"],
  ["outputSchema", "output"],
]);

/** Lists of entries whose items have a name. */
const ITEMS: ReadonlyMap<string, string> = new Map([
  ["arguments", "argument"],
  ["resources", "file"],
]);

/**
 * A place in a definition in readable form: `/inputSchema/properties/tags/items/maxLength` gives `input.tags[]
 * maxLength`. Empty for the definition itself. An item of a list is named by `item`, not by its index. The names in it
 * come from a server, so the result is one printable line.
 */
export function describePlace(pointer: string, item?: string): string {
  // The subject names the entry.
  const steps = splitPointer(findEntry(pointer)?.path ?? pointer);
  const [first, ...rest] = steps;
  const noun = ITEMS.get(first ?? "");
  if (item !== undefined && noun !== undefined)
    return printable([noun, printName(item), ...rest.slice(1)].join(" "), 160);
  if (first === undefined) return "";
  const side = SCHEMAS.get(first);
  const text = side === undefined ? steps.reduce(joinStep) : side + describeSteps(rest);
  return printable(text, 160);
}

function joinStep(text: string, step: string): string {
  return /^\d{1,9}$/.test(step) ? `${text}[${step}]` : `${text} ${step}`;
}

/**
 * Names what a change is about: a tool, an entry such as `prompt review`, or undefined for the server itself. The name
 * comes from a server.
 */
export function subjectOf({ tool, path }: Pick<Change, "tool" | "path">): string | undefined {
  if (tool !== undefined) return tool;
  const entry = findEntry(path);
  return entry && `${ENTRY_LISTS[entry.list].noun} ${entry.id}`;
}

function describeSteps(steps: readonly string[]): string {
  let text = "";
  for (let at = 0; at < steps.length; at += 1) {
    const [keyword = "", next] = steps.slice(at, at + 2);
    const lead = BY_NAME.get(keyword);
    if (lead !== undefined && next !== undefined) {
      text += lead + printName(next);
      at += 1;
    } else if (keyword === "items" || keyword === "prefixItems") {
      const isIndex = next !== undefined && /^\d{1,9}$/.test(next);
      text += isIndex ? `[${next}]` : "[]";
      if (isIndex) at += 1;
    } else if (keyword === "additionalProperties" && next !== undefined) {
      text += ".*";
    } else if (BY_INDEX.has(keyword) && next !== undefined) {
      text += ` ${keyword}[${next}]`;
      at += 1;
    } else if (SINGLE.has(keyword)) {
      text += ` ${keyword}`;
    } else {
      // Any other keyword holds values, not schemas.
      return `${text} ${steps.slice(at).join(" ")}`;
    }
  }
  return text;
}

function printName(name: string): string {
  return /^[\w$-]{1,80}$/.test(name) ? name : JSON.stringify(name);
}
