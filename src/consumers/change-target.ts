import type { Change } from "../contract/change.js";
import { joinPointer, splitPointer } from "../contract/json-pointer.js";
import { namesOf, placeOf } from "../impact/change-place.js";

/** What a change of a schema is about. */
export interface ChangeTarget {
  readonly side: "input" | "output";
  /** The changed subschema: a JSON Pointer in the input or output schema. A renamed property keeps its old name. */
  readonly pointer: string;
  /** The object that the changed property is in, and its name; absent for other subschemas. */
  readonly property?: { readonly parent: string; readonly name: string };
  /** How sentences name it: `order.total`. */
  readonly label: string;
}

/** Keywords with a schema, and with schemas by name or index. */
const SINGLE: ReadonlySet<string> = new Set([
  ...[
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
  ],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);
const NAMED: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"],
  ...["allOf", "anyOf", "oneOf", "prefixItems"],
]);

/** Returns the target of a change; undefined when the change is not about a schema. */
export function targetOf(change: Change): ChangeTarget | undefined {
  const place = placeOf(change);
  if (place === undefined) return undefined;
  const segments = splitPointer(change.path).slice(1);
  let end = 0;
  while (end < segments.length) {
    const [keyword = "", next] = segments.slice(end, end + 2);
    if (NAMED.has(keyword) && next !== undefined) end += 2;
    else if (keyword === "items" && next !== undefined && /^\d+$/.test(next)) end += 2;
    else if (SINGLE.has(keyword)) end += 1;
    else break;
  }
  const { rule, before } = change;
  const isRenamed = rule.endsWith("-property-renamed") && typeof before === "string";
  const steps = isRenamed ? [...segments.slice(0, end - 1), before] : segments.slice(0, end);
  const name = steps.at(-2) === "properties" ? steps.at(-1) : undefined;
  const names = namesOf(place);
  return {
    side: place.side,
    pointer: joinPointer("", ...steps),
    ...(name !== undefined && { property: { parent: joinPointer("", ...steps.slice(0, -2)), name } }),
    label: names.length > 0 ? names.join(".") : place.side === "input" ? "the input" : "the answer",
  };
}
