import type { Change } from "../../core/change.js";
import {
  ANY_STEP,
  type ConsumedCall,
  type ConsumedTool,
  joinProperty,
  type PassedProperty,
  splitPath,
} from "../../core/consumer.js";
import type { ConsumerVerdict } from "../../core/diagnostic.js";
import { findAt, splitPointer } from "../../core/json-pointer.js";
import { canonicalJson, findOwn, isJsonArray, isJsonObject, type JsonValue } from "../../core/json.js";
import type { ChangeTarget } from "../changes.js";
import { judgeValue } from "../judge-value.js";
import type { SchemaPaths } from "./schema-paths.js";

export interface JudgedSchemas {
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly beforePaths: SchemaPaths;
  readonly afterPaths: SchemaPaths;
}

/** Judges a change of an input by the arguments of a consumer's calls. */
export function judgeInput(
  change: Change,
  target: ChangeTarget,
  { calls, unknown = [] }: ConsumedTool,
  schemas: JudgedSchemas,
): ConsumerOutcome {
  const hidden = unknown.map((reason): ConsumedCall => ({
    places: 1,
    passes: [{ path: "", unknown: reason }],
  }));
  const judge = judgeOf(change);
  const outcomes = [...calls, ...hidden].map((call) => {
    const passes = call.input === undefined ? (call.passes ?? []) : passesOf(call.input);
    return { ...judge({ change, target, schemas, call, passes }), places: call.places };
  });
  return worstOf(outcomes, `does not pass ${quoteShort(target.label)}`);
}

interface Judged {
  readonly change: Change;
  readonly target: ChangeTarget;
  readonly schemas: JudgedSchemas;
  readonly call: ConsumedCall;
  readonly passes: readonly PassedProperty[];
}

type Judge = (judged: Judged) => UseVerdict;

function judgeOf({ rule }: Change): Judge {
  if (/-property-(?:removed|renamed)$/.test(rule)) return judgeRemoved;
  if (/-(?:required-property-added|property-became-required)$/.test(rule)) return judgeRequired;
  if (rule.endsWith("-additional-properties-closed")) return judgeClosed;
  return judgeValues;
}

function judgeRemoved({ target, schemas, passes }: Judged): UseVerdict {
  const name = quoteShort(target.label);
  const hits = passes.filter(({ path }) => path !== "" && isAt(path, target, schemas));
  // A value of a wider type still compiles, and a server may ignore the property.
  if (hits.length > 0)
    return {
      effect: hits.every(({ sometimes }) => sometimes) ? "may-break" : "breaks",
      says: `passes ${name}`,
    };
  return hiddenAt(target, schemas, passes) ?? { effect: "none", says: `does not pass ${name}` };
}

function judgeRequired(judged: Judged): UseVerdict {
  const { target, schemas, call, passes } = judged;
  const { property, label } = target;
  const always = { effect: "none", says: `passes ${quoteShort(label)}` } as const;
  if (property === undefined) return judgeWhole(judged);
  const parents = ["", ...passes.map(({ path }) => path)].filter((path) =>
    isNamed(path, property.parent, schemas),
  );
  const missing = parents.map((parent): UseVerdict => {
    const passed = passes.find(({ path }) => path === joinProperty(parent, property.name));
    if (passed !== undefined && passed.sometimes !== true) return always;
    const isHidden = passes.some(({ path, unknown }) => unknown !== undefined && isWithin(parent, path));
    const isSure =
      rejectsWhole(call, schemas) || (passed === undefined && !isHidden && !isBranch(property.parent));
    if (isSure) return { effect: "breaks", says: `does not pass ${quoteShort(label)}` };
    return { effect: "may-break", says: `may not pass ${quoteShort(label)}` };
  });
  const [worst] = missing.filter(({ effect }) => effect !== "none");
  if (worst === undefined && parents.length > 0) return always;
  if (worst === undefined)
    return (
      hiddenAt({ ...target, pointer: property.parent }, schemas, passes) ?? {
        effect: "none",
        says: `does not pass an object around ${quoteShort(label)}`,
      }
    );
  return worst.effect === "may-break" && fitsWhole(call, schemas)
    ? always
    : (missing.find(({ effect }) => effect === "breaks") ?? worst);
}

function judgeWhole({ target, schemas, call }: Judged): UseVerdict {
  if (fitsWhole(call, schemas))
    return {
      effect: "none",
      says: `passes only values of ${quoteShort(target.label)} that are still accepted`,
    };
  return { effect: "may-break", says: `passes ${quoteShort(target.label)}` };
}

function judgeClosed({ target, schemas, passes }: Judged): UseVerdict {
  const object = target.pointer.replace(/\/(?:additional|unevaluated)Properties$/, "");
  const declared = findOwn(findAt(schemas.after, object), "properties");
  const names = new Set(isJsonObject(declared) ? Object.keys(declared) : []);
  const parents = new Set(
    ["", ...passes.map(({ path }) => path)].filter((path) => isNamed(path, object, schemas)),
  );
  const extra = passes.find(({ path }) => {
    const step = splitPath(path).at(-1);
    const isChild = path !== "" && parents.has(path.slice(0, path.lastIndexOf("/")));
    return isChild && step !== undefined && !names.has(step);
  });
  if (extra !== undefined)
    return {
      effect: "breaks",
      says: `passes ${quoteShort(String(splitPath(extra.path).at(-1)))}, which is not declared`,
    };
  const hidden = passes.find(
    ({ path, unknown }) =>
      unknown !== undefined &&
      [...parents].some((parent) => isWithin(parent, path) || isWithin(path, parent)),
  );
  return hidden === undefined
    ? { effect: "none", says: "passes only declared properties" }
    : { effect: "may-break", says: "may pass other properties", more: hidden.unknown };
}

/** Rules after which no value of the old type is accepted. */
const REJECTS_ALL = /-(?:type-changed|const-changed)$/;

function judgeValues(judged: Judged): UseVerdict {
  const { change, target, schemas, call, passes } = judged;
  const name = quoteShort(target.label);
  const still = { effect: "none", says: `passes only values of ${name} that are still accepted` } as const;
  // Values that the new schema rejects beside a safe change are rejected by another change.
  if (change.class === "safe") return still;
  const hits = passes.filter(({ path }) => isAt(path, target, schemas));
  const isRoot = isNamed("", target.pointer, schemas);
  if (hits.length === 0 && !isRoot)
    return hiddenAt(target, schemas, passes) ?? { effect: "none", says: `does not pass ${name}` };
  if (call.input !== undefined && fitsWhole(call, schemas)) return still;
  if (hits.length === 0) return judgeWhole(judged);
  const found = hits.map(({ values }): UseVerdict => {
    if (values === undefined) {
      const isSure = REJECTS_ALL.test(change.rule) && !isBranch(target.pointer);
      return isSure
        ? { effect: "breaks", says: `passes ${name}` }
        : { effect: "may-break", says: `passes ${name}`, more: "with values that are not literals" };
    }
    const [lost, unsure] = [false, undefined].map((verdict) =>
      values.filter((value) => isAccepted(value, target, schemas) === verdict),
    );
    if (lost === undefined || unsure === undefined || lost.length + unsure.length === 0) return still;
    const says = `passes ${name}: ${lost.concat(unsure).slice(0, 3).map(showShort).join(", ")}`;
    // A known input that does not fit is rejected, whatever the branches of unions accept.
    const isSure =
      rejectsWhole(call, schemas) || (lost.length === values.length && !isBranch(target.pointer));
    return { effect: isSure ? "breaks" : "may-break", says };
  });
  const [worst = still] = found.toSorted((a, b) => RANKS[b.effect] - RANKS[a.effect]);
  return worst;
}

/** Whether the new schema accepts a value that the old one accepted; undefined when that is unknown. */
function isAccepted(
  value: JsonValue,
  { pointer }: ChangeTarget,
  schemas: JudgedSchemas,
): boolean | undefined {
  const segments = splitPointer(pointer);
  if (judgeValue(schemas.before, segments, value) === false) return true;
  return judgeValue(schemas.after, segments, value);
}

function rejectsWhole({ input }: ConsumedCall, { before, after }: JudgedSchemas): boolean {
  return (
    input !== undefined && judgeValue(after, [], input) === false && judgeValue(before, [], input) !== false
  );
}

function fitsWhole({ input }: ConsumedCall, { before, after }: JudgedSchemas): boolean {
  if (input === undefined) return false;
  return judgeValue(after, [], input) === true || judgeValue(before, [], input) === false;
}

/** The outcome for a value around the target whose content is not known. */
function hiddenAt(
  target: ChangeTarget,
  schemas: JudgedSchemas,
  passes: readonly PassedProperty[],
): UseVerdict | undefined {
  const hidden = passes.find(
    ({ path, unknown }) =>
      unknown !== undefined &&
      (schemas.beforePaths.below(path).has(target.pointer) ||
        schemas.afterPaths.below(path).has(target.pointer)),
  );
  if (hidden === undefined) return undefined;
  return { effect: "may-break", says: `may pass ${quoteShort(target.label)}`, more: hidden.unknown };
}

/** Whether the target is the schema of the value at a path, or the property at it. */
export function isAt(path: string, { pointer, property }: ChangeTarget, schemas: JudgedSchemas): boolean {
  if (isNamed(path, pointer, schemas)) return true;
  // The old name of a property is not in the new schema, and a new one is not in the old.
  if (path === "" || property === undefined || splitPath(path).at(-1) !== property.name) return false;
  return isNamed(path.slice(0, path.lastIndexOf("/")), property.parent, schemas);
}

function isNamed(path: string, pointer: string, { beforePaths, afterPaths }: JudgedSchemas): boolean {
  return beforePaths.at(path).has(pointer) || afterPaths.at(path).has(pointer);
}

function isBranch(pointer: string): boolean {
  return splitPointer(pointer).some((step) => ["anyOf", "oneOf", "if", "then", "else", "not"].includes(step));
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

function passesOf(input: JsonValue): readonly PassedProperty[] {
  const found = new Map<string, JsonValue[]>();
  const visit = (value: JsonValue, path: string): void => {
    if (path !== "") found.set(path, [...(found.get(path) ?? []), value]);
    if (isJsonArray(value)) for (const item of value) visit(item, `${path}/${ANY_STEP}`);
    else if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) visit(member, joinProperty(path, name));
  };
  visit(input, "");
  return [...found].map(([path, values]) => ({ path, values }));
}

/** A value as JSON, of at most 61 characters. */
export function showShort(value: JsonValue): string {
  const text = canonicalJson(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The effect of a change on code that uses a tool. */
export interface UseVerdict {
  readonly effect: ConsumerVerdict["effect"];
  /** Without the number of places: "reads `price`". */
  readonly says: string;
  /** Follows the number of places: "with values that are not literals". */
  readonly more?: string | undefined;
}

/** The same with the number of places in the code. */
export interface ConsumerOutcome extends UseVerdict {
  readonly places: number;
}

const RANKS: Readonly<Record<ConsumerOutcome["effect"], number>> = {
  none: 0,
  "until-pull": 1,
  "may-break": 2,
  breaks: 3,
};

/** Joins the outcomes of several uses: the worst effect, with the places of the uses that have it. */
export function worstOf(outcomes: readonly ConsumerOutcome[], otherwise: string): ConsumerOutcome {
  const rank = Math.max(0, ...outcomes.map(({ effect }) => RANKS[effect]));
  const [first, ...rest] = outcomes.filter(({ effect }) => RANKS[effect] === rank);
  if (first === undefined || rank === 0) return { effect: "none", says: first?.says ?? otherwise, places: 0 };
  const same = rest.filter(({ says, more }) => says === first.says && more === first.more);
  return { ...first, places: [first, ...same].reduce((sum, { places }) => sum + places, 0) };
}

export function sentenceOf({ effect, says, places, more }: ConsumerOutcome): string {
  if (effect === "none" || places === 0) return says;
  const where = `${says} in ${places} ${places === 1 ? "place" : "places"}`;
  return more === undefined ? where : `${where}, ${more}`;
}

/** A name or a value in a sentence. Longer ones are cut. */
export function quoteShort(text: string): string {
  return `\`${text.length > 80 ? `${text.slice(0, 80)}…` : text}\``;
}
