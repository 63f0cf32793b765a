import type { Change } from "../contract/change.js";
import { joinPointer, splitPointer } from "../contract/json-pointer.js";
import { namesOf, placeOf } from "../impact/change-place.js";

/** What a change of a schema is about. */
export interface ChangeTarget {
  readonly side: "input" | "output";
  /**
   * The schema of the changed value: a JSON Pointer in the input or output schema. Branches of a union belong to its
   * value, and a renamed property keeps its old name.
   */
  readonly pointer: string;
  /** The object that the changed property is in, and its name; absent for other subschemas. */
  readonly property?: { readonly parent: string; readonly name: string };
  /** How sentences name it: `order.total`. */
  readonly label: string;
}

/** Keywords whose schema applies to a part of the value: one schema, and schemas by name or index. */
const PARTS: ReadonlySet<string> = new Set([
  ...["additionalItems", "additionalProperties", "contains", "items"],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);
const NAMED_PARTS: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "patternProperties", "prefixItems", "properties"],
]);
/** Keywords whose schemas apply to the same value. Below others, such as `not`, a schema says nothing alone. */
const BRANCHES: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);

/** Returns the target of a change; undefined when the change is not about a schema. */
export function targetOf(change: Change): ChangeTarget | undefined {
  const place = placeOf(change);
  if (place === undefined) return undefined;
  const segments = splitPointer(change.path).slice(1);
  let end = 0;
  for (let at = 0; at < segments.length;) {
    const [keyword = "", next] = segments.slice(at, at + 2);
    const isList = keyword === "items" && next !== undefined && /^\d+$/.test(next);
    const isNamed = NAMED_PARTS.has(keyword) && next !== undefined;
    if (BRANCHES.has(keyword) && next !== undefined) at += 2;
    else if (isNamed || isList) end = at += 2;
    else if (PARTS.has(keyword)) end = at += 1;
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
