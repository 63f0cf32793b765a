import { canonicalJson } from "../contract/canonical-json.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { findAt, splitPointer } from "../schema/json-pointer.js";
import { parentOf } from "./schema-side.js";
import type { Draft } from "./schema-walk.js";
import type { SidedRuleName } from "./sided-rules.js";

/**
 * The old schema with this one change and no other, so that what shows the change to be breaking is not owed to
 * another. Undefined where the two schemas are not written alike around it.
 */
export function isolateChange(old: JsonValue, now: JsonValue, draft: Draft): JsonValue | undefined {
  const { name, at } = draft;
  const holder = parentOf(at);
  if (at === "" || !isContainer(findAt(old, holder)) || !isContainer(findAt(now, holder))) return undefined;
  if (REQUIREMENTS.has(name)) return isolateRequirement(old, now, name, at);
  if (name !== "enum-value-removed" && name !== "enum-value-added") return replaceGroup(old, now, at);
  const values = findAt(old, at);
  if (!Array.isArray(values)) return undefined;
  const gone = draft.before === undefined ? undefined : canonicalJson(draft.before);
  const kept = (values as readonly JsonValue[]).filter((value) => canonicalJson(value) !== gone);
  return replaceAt(old, at, draft.after === undefined ? kept : [...kept, draft.after]);
}

/** Keywords that say one thing together, or the same in two ways. */
const GROUPS: readonly (readonly string[])[] = [
  ["const", "enum"],
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
];

function replaceGroup(old: JsonValue, now: JsonValue, at: string): JsonValue | undefined {
  const holder = parentOf(at);
  const key = at.slice(holder.length + 1);
  const group = GROUPS.find((keys) => keys.includes(key)) ?? [key];
  return group.reduce<JsonValue | undefined>((schema, one) => {
    const pointer = `${holder}/${one}`;
    return schema === undefined ? undefined : replaceAt(schema, pointer, findAt(now, pointer));
  }, old);
}

const REQUIREMENTS: ReadonlySet<SidedRuleName> = new Set([
  "property-became-required",
  "property-became-optional",
  "required-property-added",
]);

/** Whether a property is required is said beside the properties, and by a pointer to that, or to the property. */
function isolateRequirement(
  old: JsonValue,
  now: JsonValue,
  name: SidedRuleName,
  at: string,
): JsonValue | undefined {
  const isOfAll = at.endsWith("/required");
  const site = isOfAll ? parentOf(at) : parentOf(parentOf(at));
  const property = splitPointer(at).at(-1) ?? "";
  const isMeant = (one: string): boolean => isOfAll || one === property;
  const required = [
    ...requiredOf(findAt(old, site)).filter((one) => !isMeant(one)),
    ...requiredOf(findAt(now, site)).filter(isMeant),
  ];
  const withProperty = name === "required-property-added" ? replaceAt(old, at, findAt(now, at)) : old;
  return (
    withProperty && replaceAt(withProperty, `${site}/required`, required.length === 0 ? undefined : required)
  );
}

function isContainer(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null;
}

function requiredOf(schema: JsonValue | undefined): readonly string[] {
  const value = isJsonObject(schema) ? getOwn(schema, "required") : undefined;
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

/** A copy with another value at a pointer, or with none there. */
function replaceAt(root: JsonValue, pointer: string, value: JsonValue | undefined): JsonValue | undefined {
  const replace = (part: JsonValue, steps: readonly string[]): JsonValue | undefined => {
    const [step, ...rest] = steps;
    if (step === undefined) return value;
    if (Array.isArray(part)) {
      const items = (part as readonly JsonValue[]).map((item, index) =>
        String(index) === step ? replace(item, rest) : item,
      );
      const isNew = rest.length === 0 && Number(step) >= items.length && value !== undefined;
      return [...items, ...(isNew ? [value] : [])].filter((item) => item !== undefined);
    }
    if (!isJsonObject(part)) return undefined;
    const known: JsonObject = part;
    const inner = rest.length === 0 ? value : replace(getOwn(known, step) ?? {}, rest);
    const others = Object.entries(known).filter(([key]) => key !== step);
    return Object.fromEntries(inner === undefined ? others : [...others, [step, inner]]);
  };
  return replace(root, splitPointer(pointer));
}
