import { findOwn, isEqual, isJsonArray, type JsonValue } from "../../core/json.js";
import type { Change } from "../../core/change.js";
import type { ConsumedTool, ReadProperty } from "../../core/consumer.js";
import { findAt } from "../../core/json-pointer.js";
import type { ChangeTarget } from "../changes.js";
import {
  type ConsumerOutcome,
  isAt,
  type JudgedSchemas,
  quoteShort,
  showShort,
  type UseVerdict,
  worstOf,
} from "./judge-input.js";

export function judgeOutput(
  change: Change,
  target: ChangeTarget,
  { reads, unknown = [] }: ConsumedTool,
  schemas: JudgedSchemas,
): ConsumerOutcome {
  if (ADDS_KEYS.test(change.rule))
    return { effect: "none", says: `does not read ${quoteShort(target.label)}`, places: 0 };
  const hidden = unknown.map((reason): ReadProperty => ({ path: "", places: 1, unknown: reason }));
  // Reading `order.total` also reads `order`. Only the longer path counts, if it is read.
  const direct = reads.filter(({ path }) => isAt(path, target, schemas));
  const others = reads.filter(
    ({ path, unknown: reason }) => reason !== undefined && !isReadAt(path, target, schemas),
  );
  const outcomes = [...(direct.length > 0 ? [...direct, ...others] : reads), ...hidden].map((read) => ({
    ...judgeRead(change, target, read, schemas),
    places: read.places,
  }));
  return worstOf(outcomes, `does not read ${quoteShort(target.label)}`);
}

/** Rules after which answers have keys that no code reads, or more often those that it reads. */
const ADDS_KEYS =
  /-(?:additional-properties-\w+|required-property-added|optional-property-added|property-added-to-closed|property-became-required)$/;

function judgeRead(
  change: Change,
  target: ChangeTarget,
  read: ReadProperty,
  schemas: JudgedSchemas,
): UseVerdict {
  const name = quoteShort(target.label);
  const none = { effect: "none", says: `does not read ${name}` } as const;
  if (isReadAt(read.path, target, schemas)) return judgeTouched(change, name, read, schemas, target);
  // Answers that hold less break only comparisons, which the compiler does not see in code that takes anything.
  const isHidden =
    read.unknown !== undefined && change.class !== "safe" && isBelow(read.path, target, schemas);
  if (!isHidden) return none;
  return { effect: "may-break", says: `may read ${name}`, more: read.unknown };
}

function judgeTouched(
  change: Change,
  name: string,
  { path, compares = [], unknown }: ReadProperty,
  schemas: JudgedSchemas,
  target: ChangeTarget,
): UseVerdict {
  const isWhole = isAt(path, target, schemas);
  const { pointer } = target;
  const values = isWhole ? compares : [];
  if (/-(?:enum-value-removed|enum-introduced|const-introduced|type-narrowed)$/.test(change.rule)) {
    const left = valuesAt(schemas.after, pointer);
    const lost = values.filter((value) => left?.every((other) => !isEqual(other, value)));
    return lost.length === 0
      ? { effect: "none", says: `compares ${name} with no value that was removed` }
      : { effect: "breaks", says: `compares ${name} with ${list(lost)}` };
  }
  if (/-(?:enum-value-added|enum-dropped)$/.test(change.rule)) {
    const [old, now] = [schemas.before, schemas.after].map((schema) => valuesAt(schema, pointer));
    const added = now?.filter((value) => !(old ?? []).some((other) => isEqual(other, value)));
    if (added?.every((value) => values.some((other) => isEqual(other, value))) === true && added.length > 0)
      return { effect: "none", says: `compares ${name} with ${list(added)} already` };
    const says = values.length === 0 ? `reads ${name}` : `compares ${name} with ${list(values)}`;
    return { effect: "may-break", says };
  }
  const isGone = /-property-(?:removed|renamed)$/.test(change.rule);
  if (unknown !== undefined && isWhole && !isGone)
    return { effect: "may-break", says: `reads ${name}`, more: unknown };
  // Integers and numbers have one type in TypeScript.
  const isTyped =
    change.impacts.includes("types") && !(change.before === "integer" && change.after === "number");
  return { effect: isTyped && change.class === "breaking" ? "breaks" : "may-break", says: `reads ${name}` };
}

function valuesAt(schema: JsonValue, pointer: string): readonly JsonValue[] | undefined {
  const part = findAt(schema, pointer);
  const [values, only] = ["enum", "const"].map((key) => findOwn(part, key));
  if (isJsonArray(values)) return values;
  return only === undefined ? undefined : [only];
}

/** Whether a path is the target or below it: then the code reads the target on its way. */
function isReadAt(path: string, target: ChangeTarget, schemas: JudgedSchemas): boolean {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf("/"))) {
    if (isAt(at, target, schemas)) return true;
    if (at === "") return false;
  }
}

function isBelow(
  path: string,
  { pointer }: ChangeTarget,
  { beforePaths, afterPaths }: JudgedSchemas,
): boolean {
  return beforePaths.below(path).has(pointer) || afterPaths.below(path).has(pointer);
}

function list(values: readonly JsonValue[]): string {
  const rest = values.length - 5;
  return [...values.slice(0, 5).map(showShort), ...(rest > 0 ? [`${rest} others`] : [])].join(", ");
}
