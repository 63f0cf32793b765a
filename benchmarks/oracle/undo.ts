import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { judgeBy, compile } from "./judge.js";

/** A change of a schema, as the engine reports it. The pointer leads into the schema. */
export interface ReportedChange {
  readonly rule: string;
  readonly at: string;
  readonly value?: JsonValue | undefined;
  /** Old and new name of a renamed property. */
  readonly names?: readonly [string, string] | undefined;
}

export type Aim = "undone" | "alone" | "misdirected";

/**
 * Whether a witness shows its change. `undone`: the rejecting schema accepts it if only that change is
 * undone. `alone`: other changes reject it too, and the accepting schema rejects it with only that change made.
 */
export function aimOf(
  witness: JsonValue,
  accepts: JsonValue,
  rejects: JsonValue,
  change: ReportedChange,
): Aim {
  const isAccepted = (schema: JsonValue): boolean | undefined => {
    const errors = (isJsonObject(schema) ? compile(schema) : judgeBy(schema))?.(witness);
    return errors === undefined ? undefined : errors.length === 0;
  };
  if (copiesOf(change, accepts, rejects).some((schema) => isAccepted(schema) === true)) return "undone";
  return copiesOf(change, rejects, accepts).some((schema) => isAccepted(schema) === false)
    ? "alone"
    : "misdirected";
}

/** A schema that has renamed properties under their new names too, so that a change at a new name has a place. */
export function withNewNames(schema: JsonValue, changes: readonly ReportedChange[]): JsonValue {
  return changes.reduce((whole, { at, names }) => {
    const site = stepsOf(at).slice(0, -1);
    const properties = find(whole, site);
    const [old, now] = names ?? [];
    if (old === undefined || now === undefined || !isJsonObject(properties)) return whole;
    const property = properties[old];
    return property === undefined ? whole : replace(whole, site, { ...properties, [now]: property });
  }, schema);
}

function stepsOf(pointer: string): readonly string[] {
  const steps = pointer === "" ? [] : pointer.slice(1).split("/");
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Copies of `to` that have, at the place of a change, what `from` has there: one for each way to read the change. */
function copiesOf(change: ReportedChange, from: JsonValue, to: JsonValue): readonly JsonValue[] {
  const steps = stepsOf(change.at);
  const [parent, last] = [steps.slice(0, -1), steps.at(-1)];
  if (last === undefined) return [from];
  const [source, target] = [find(from, parent), find(to, parent)];
  const copies: JsonValue[] = [];
  if (steps.at(-2) === "properties") {
    const site = steps.slice(0, -2);
    const [old, now] = [find(from, site), find(to, site)];
    const names: readonly string[] = change.names ?? [last];
    if (isJsonObject(old) && isJsonObject(now)) {
      const required = names.reduce<JsonObject>(
        (schema, name) => withRequired(schema, name, requires(old, name)),
        now,
      );
      copies.push(
        replace(to, site, required),
        replace(
          to,
          site,
          names.reduce<JsonObject>((schema, name) => withProperty(schema, name, old), required),
        ),
      );
    }
  }
  // Under a new name or in a new place, the change adds a keyword.
  if (isJsonObject(source ?? {}) && isJsonObject(target)) {
    const family = FAMILIES.find((keywords) => keywords.includes(last)) ?? [last];
    const kept = Object.entries(target).filter(([key]) => !family.includes(key));
    const copied = Object.entries(source ?? {}).filter(([key]) => family.includes(key));
    copies.push(replace(to, parent, Object.fromEntries([...kept, ...copied])));
  }
  if (Array.isArray(source) && Array.isArray(target)) {
    const branch = find(from, steps) ?? find(to, steps) ?? null;
    copies.push(replace(to, parent, toggle(source, target, branch)), replace(to, parent, source));
  }
  const [list, other] = [find(from, steps), find(to, steps)];
  if (change.value !== undefined && Array.isArray(list) && Array.isArray(other)) {
    copies.unshift(replace(to, steps, toggle(list, other, change.value)));
  }
  return copies.length === 0 || source === undefined || target === undefined
    ? [...copies, ...surroundingsOf(parent, from, to)]
    : copies;
}

/** The smallest schema around a place that both have: a change of structure is undone as a whole. */
function surroundingsOf(steps: readonly string[], from: JsonValue, to: JsonValue): readonly JsonValue[] {
  for (let length = steps.length; length > 0; length--) {
    const site = steps.slice(0, length);
    const [source, target] = [find(from, site), find(to, site)];
    if (isJsonObject(source) && isJsonObject(target) && steps[length - 1] !== "properties")
      return [replace(to, site, source)];
  }
  return [];
}

/** Keywords that belong together. */
const FAMILIES = [
  ["enum", "const", "type"],
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
  ["anyOf", "oneOf", "type", "enum", "const"],
  ["if", "then", "else"],
];

function toggle(
  source: readonly JsonValue[],
  target: readonly JsonValue[],
  item: JsonValue,
): readonly JsonValue[] {
  const text = JSON.stringify(item);
  const others = target.filter((each) => JSON.stringify(each) !== text);
  return source.some((each) => JSON.stringify(each) === text) ? [...others, item] : others;
}

function requires(schema: JsonObject, name: string): boolean {
  const { required } = schema;
  return Array.isArray(required) && required.includes(name);
}

function withRequired(schema: JsonObject, name: string, is: boolean): JsonObject {
  const names = Array.isArray(schema["required"]) ? (schema["required"] as readonly JsonValue[]) : [];
  return { ...schema, required: [...names.filter((each) => each !== name), ...(is ? [name] : [])] };
}

function withProperty(schema: JsonObject, name: string, source: JsonObject): JsonObject {
  const [own, others] = [schema["properties"], source["properties"]];
  const kept = isJsonObject(own) ? Object.entries(own).filter(([key]) => key !== name) : [];
  const copied = isJsonObject(others) ? Object.entries(others).filter(([key]) => key === name) : [];
  return { ...schema, properties: Object.fromEntries([...kept, ...copied]) };
}

function find(value: JsonValue | undefined, steps: readonly string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((at, step) => {
    if (Array.isArray(at)) return (at as readonly JsonValue[])[Number(step)];
    return isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

function replace(value: JsonValue, [step, ...rest]: readonly string[], by: JsonValue): JsonValue {
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    return list.map((item, index) => (index === Number(step) ? replace(item, rest, by) : item));
  }
  return isJsonObject(value) ? { ...value, [step]: replace(value[step] ?? null, rest, by) } : value;
}
