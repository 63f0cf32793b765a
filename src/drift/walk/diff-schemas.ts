import type { ChangeClass } from "../../core/change.js";
import { once } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { findOwn, type JsonValue } from "../../core/json.js";
import type { Dialect, ParsedSchema } from "../../core/schema-ir.js";
import { findAt, isSameJson, joinPointer } from "../../core/json-pointer.js";
import { listSchemas } from "../../core/subschemas.js";
import { type ParseOptions, parseSchema } from "../../schema/ir/parse-schema.js";
import {
  type ChangeDetails,
  type UnconfirmedChange,
  makeChange,
  type SchemaReading,
  withoutWire,
  type WitnessPair,
} from "../unconfirmed-change.js";
import { Prover } from "../inclusion/prover.js";
import { TermTable } from "../inclusion/term.js";
import { flattenSchema } from "./flatten-schema.js";
import type { RenameEvidence } from "../renames/rename-evidence.js";
import { type RuleName, SIDED_RULES, type SidedRuleName } from "../rules.js";
import type { ToolSide } from "../rules/named-rules.js";
import { SchemaSide } from "./schema-side.js";
import { diffNotes, diffUnreadNotes } from "./diff-notes.js";
import { diffObjects } from "./diff-objects.js";
import { diffAsUnion, diffConstraints, diffUnions } from "./diff-unions.js";
import { diffArrays, diffValues } from "./diff-values.js";
import { type PendingChange, type PlacePair, Walk, WHOLE } from "./walk.js";
import { TermCompiler } from "../inclusion/compile-term.js";

/** Where the two schemas are. */
export interface SchemaPlace {
  readonly server: string;
  readonly tool: string;
  /** JSON Pointer of the schema in the definition. */
  readonly pointer: string;
  readonly side: ToolSide;
  readonly reading: SchemaReading;
  /** Evidence for renamed properties from the other tools of the server. */
  readonly evidence?: RenameEvidence | undefined;
}

/**
 * Returns the findings between two schemas; empty only if they are equal, or proved equivalent with the same texts. The
 * search for witnesses uses the schemas of `pair`: in `before`, properties may have their new names already.
 */
export function diffSchemas(
  before: JsonValue,
  after: JsonValue,
  place: SchemaPlace,
  pair: WitnessPair,
): readonly UnconfirmedChange[] {
  if (isSameJson(before, after)) return [];
  const { dialect: defaultDialect, formats } = place.reading;
  const parsedBefore = read(before, { defaultDialect, formats });
  const parsedAfter = read(after, { defaultDialect, formats });
  if ("problem" in parsedBefore || "problem" in parsedAfter)
    return diffUnreadable(before, after, parsedBefore, parsedAfter, place);
  const table = new TermTable();
  const sides = [
    new SchemaSide(before, parsedBefore, table, "old "),
    new SchemaSide(after, parsedAfter, table, "now "),
  ] as const;
  const compare = { notes: diffNotes, rules: diffRules };
  const walk = new Walk(place.side, sides, new Prover(table), place.reading, compare);
  const make = (rule: RuleName, at: string, details: ChangeDetails = {}): UnconfirmedChange => ({
    change: makeChange(rule, { ...place, path: place.pointer + at }, details),
  });
  const ignored = diffIgnored(walk, make);
  const dialects = (others: readonly UnconfirmedChange[]): readonly UnconfirmedChange[] => {
    const open = others.filter(({ change }) => change.class === "breaking" || change.class === "unknown");
    const makeDialect: MakeDialectFinding = (details) => make("schema-dialect-changed", "/$schema", details);
    return [...diffDialects(walk, makeDialect, place.reading, open.length > 0 ? undefined : pair), ...others];
  };
  if (place.side === "output" && isRootTypeChanged(walk)) {
    const types = { before: findOwn(before, "type"), after: findOwn(after, "type") };
    const { change } = make("output-root-type-changed", "/type", types);
    // This is the only change of the pair, so the search needs no rule to separate it from others.
    return dialects([...ignored, { change, request: { ...pair, at: "" }, unwitnessed: "breaking" }]);
  }
  const walked = walk.diff(parsedBefore.ir, parsedAfter.ir, WHOLE);
  const pendingChanges = [...walked, ...diffUnreadNotes(walked, walk)];
  const cut = [
    ...(walk.isCut ? [make("schema-ref-too-deep", "")] : []),
    ...(walk.limit === undefined ? [] : [make(`${place.side}-schema-changed`, "", { reason: walk.limit })]),
  ];
  const worst = worstOfEach(pendingChanges);
  // If types break anyway, a proof that nothing is rejected saves a search that cannot succeed.
  const isOfTypes = worst.some((each) => each.class === "breaking" && each.unwitnessed === "breaking");
  const isShowable = !(isOfTypes && walk.refusesNothing());
  const quiet = worst.filter(
    (pending) => pending.class === "dangerous" && SIDED_RULES[pending.name].isProved === true,
  ).length;
  // What the walk calls safe is proved for the whole, so that no break is silent because a rule was not compared.
  const isDecided = worst.some(
    ({ class: judged, isAssumed }) => judged === "breaking" || judged === "unknown" || isAssumed === true,
  );
  const isProvable = !isDecided && quiet + cut.length === 0 && !table.hasOpaque;
  const unproved = isProvable && !walk.mayBeSafe() ? walk.report("schema-changed", "", {}, WHOLE) : [];
  const findings = [...worst, ...unproved].map((pending) =>
    asFinding(pending, place, { ...pair, quiet }, isShowable),
  );
  return dialects([...ignored, ...cut, ...findings]);
}

function diffRules(place: PlacePair, walk: Walk): readonly PendingChange[] {
  const asUnion = diffAsUnion(place, walk);
  if (asUnion !== undefined) return asUnion;
  const parts = [diffValues, diffObjects, diffArrays, diffUnions, diffConstraints];
  return parts.flatMap((diff) => diff(place, walk));
}

type Make = (rule: RuleName, at: string, details?: ChangeDetails) => UnconfirmedChange;

/** Why a schema cannot be read: it is too deep, too large, endless, or refers to another document. */
interface Unreadable {
  readonly problem: string;
}

function read(schema: JsonValue, options: ParseOptions): ParsedSchema | Unreadable {
  try {
    return parseSchema(schema, options);
  } catch (error) {
    if (error instanceof McpCodegenError) return { problem: error.message };
    throw error;
  }
}

function diffUnreadable(
  rawBefore: JsonValue,
  rawAfter: JsonValue,
  before: ParsedSchema | Unreadable,
  after: ParsedSchema | Unreadable,
  { pointer, side, ...place }: SchemaPlace,
): readonly UnconfirmedChange[] {
  const names = new Set(findExternal(rawBefore).map(({ ref }) => ref));
  // A reference leaves the schema too if the address of the schema changed.
  const isNew = ({ ref }: { readonly ref: string }, problem: string): boolean =>
    !names.has(ref) || (!("problem" in before) && problem.includes(JSON.stringify(ref)));
  const external =
    "problem" in after ? findExternal(rawAfter).filter((each) => isNew(each, after.problem)) : [];
  const changes = external.map(({ ref, at }): UnconfirmedChange => ({
    change: makeChange("schema-ref-external", { ...place, path: pointer + at }, { after: ref }),
  }));
  if (!("problem" in before) && "problem" in after && changes.length === 0)
    changes.push({ change: makeChange("schema-ref-too-deep", { ...place, path: pointer }) });
  const [which, problem] =
    "problem" in after ? ["new", after.problem] : ["old", "problem" in before ? before.problem : ""];
  const reason = `The ${which} schema cannot be compared: ${problem}`;
  const changed = makeChange(`${side}-schema-changed`, { ...place, path: pointer }, { reason });
  return [...changes, { change: changed }];
}

function findExternal(schema: JsonValue): readonly { readonly ref: string; readonly at: string }[] {
  const references: { readonly ref: string; readonly at: string }[] = [];
  const open: (readonly [JsonValue, string])[] = [[schema, ""]];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [value, at] = entry;
    if (typeof value !== "object" || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      const pointer = joinPointer(at, key);
      if (key === "$ref" && typeof item === "string" && !item.startsWith("#"))
        references.push({ ref: item, at: pointer });
      open.push([item, pointer]);
    }
  }
  return references.reverse();
}

const FORMAT = "/format";

/** Reports changes of keywords that the parser ignored: a reference to nothing, or a keyword with an invalid value. */
function diffIgnored(walk: Walk, make: Make): UnconfirmedChange[] {
  const { before, after } = walk;
  const paths = new Set([...before.parsed.diagnostics, ...after.parsed.diagnostics].map(({ path }) => path));
  const schemas = once(() => [before.raw, after.raw].map(listSchemas));
  return [...paths].flatMap((path): readonly UnconfirmedChange[] => {
    const values = { before: findAt(before.raw, path), after: findAt(after.raw, path) };
    const isSame = isSameJson(values.before, values.after);
    if (isSame && !path.endsWith("/$ref")) return [];
    const isBroken = (side: SchemaSide): boolean =>
      side.parsed.diagnostics.some((item) => item.path === path);
    if (path.endsWith("/$ref") && isBroken(after))
      return isBroken(before) && isSame ? [] : [make("schema-ref-unresolved", path, values)];
    // `diffNotes` reports a format that cannot be checked. A property may have its name.
    const isFormat = path.endsWith(FORMAT) && typeof (values.after ?? values.before) === "string";
    if (isSame || (isFormat && schemas().some((each) => each.has(path.slice(0, -FORMAT.length))))) return [];
    // A number that loses digits is kept as text.
    const hasTooManyDigits = Object.values(values).some(
      (value) => typeof value === "string" && /^-?\d{16,}$/.test(value),
    );
    const reason = hasTooManyDigits
      ? "The number has more digits than JavaScript keeps, so it is not compared."
      : "JSON Schema does not define the meaning of the keyword's value.";
    return [make(`${walk.side}-keyword-changed`, path, { ...values, reason })];
  });
}

function isRootTypeChanged({ before, after }: Walk): boolean {
  const flatBefore = flattenSchema(before.follow(before.parsed.ir), before);
  const flatAfter = flattenSchema(after.follow(after.parsed.ir), after);
  const { types: typesBefore } = flatBefore;
  const { types: typesAfter } = flatAfter;
  // A schema that accepts nothing has no type.
  if (!typesBefore?.size || !typesAfter?.size) return false;
  return ![...typesBefore].some((type) => typesAfter.has(type));
}

const RANK: Readonly<Record<ChangeClass, number>> = { breaking: 3, unknown: 2, dangerous: 1, safe: 0 };

/** Several paths may lead to a shared part. Each of its changes is reported once, with its worst class. */
function worstOfEach(pendingChanges: readonly PendingChange[]): readonly PendingChange[] {
  const kept = new Map<string, PendingChange>();
  for (const pending of pendingChanges) {
    const key = JSON.stringify([pending.name, pending.at, pending.before, pending.after]);
    const change = kept.get(key);
    if (change === undefined || RANK[pending.class] > RANK[change.class]) kept.set(key, pending);
  }
  return [...kept.values()];
}

function asFinding(
  pending: PendingChange,
  { pointer, side, ...place }: SchemaPlace,
  pair: WitnessPair,
  isShowable: boolean,
): UnconfirmedChange {
  const { name, at, before, after, reason, unwitnessed } = pending;
  const change = makeChange(
    ruleNameOf(side, name),
    { ...place, path: pointer + at },
    { before, after, reason, class: pending.class },
  );
  const isOpen = change.class === "breaking" || change.class === "unknown";
  if (!isOpen || !change.impacts.includes("wire")) return { change };
  if (!isShowable && change.class === "unknown") return { change };
  if (!isShowable && unwitnessed === "breaking") return { change: withoutWire(change) };
  const value = ENUMERATED.has(name) ? (side === "input" ? change.before : change.after) : undefined;
  const listed = name.startsWith("property-became-")
    ? [before, after].find((each) => typeof each === "string")
    : undefined;
  const names = listed === undefined ? undefined : [listed];
  return { change, request: { ...pair, at, rule: name, value, names }, unwitnessed };
}

/** @throws RangeError for a rule that the side does not have. */
function ruleNameOf(side: ToolSide, name: SidedRuleName): RuleName {
  const whole = `${side}-${name}` as const;
  if (whole === "input-property-added-to-closed") throw new RangeError(`There is no rule "${whole}".`);
  return whole;
}

/** Changes about one value: no other value can show them. */
const ENUMERATED: ReadonlySet<SidedRuleName> = new Set(["enum-value-removed", "enum-value-added"]);

type MakeDialectFinding = (details: ChangeDetails) => UnconfirmedChange;

/**
 * Returns the finding for a changed dialect. It is safe if the old or the new schema accepts the same values in both
 * dialects: every other difference then comes from another change, which has its own finding. It is also safe if no caller
 * can break. Otherwise it requests a witness, unless there is no `pair`, since the witness might show another finding instead.
 */
function diffDialects(
  walk: Walk,
  make: MakeDialectFinding,
  reading: SchemaReading,
  pair: WitnessPair | undefined,
): readonly UnconfirmedChange[] {
  const { before, after } = walk;
  const dialectBefore = before.parsed.dialect;
  const dialectAfter = after.parsed.dialect;
  if (dialectBefore === dialectAfter) return [];
  const details = { before: findOwn(before.raw, "$schema"), after: findOwn(after.raw, "$schema") };
  if (meansTheSameIn(dialectAfter, before, reading) || meansTheSameIn(dialectBefore, after, reading))
    return [make({ ...details, class: "safe", reason: "The keywords mean the same in both dialects." })];
  if (walk.isSafe(before.parsed.ir, after.parsed.ir)) return [make({ ...details, class: "safe" })];
  const reason = "No proof was found that both schemas accept the same values.";
  const { change } = make({ ...details, reason });
  return [{ change, request: pair && { ...pair, at: "" } }];
}

/** Whether a schema is proved to accept the same values in another dialect. */
function meansTheSameIn(dialect: Dialect, { raw, parsed }: SchemaSide, { formats }: SchemaReading): boolean {
  const other = read(raw, { dialect, formats });
  if ("problem" in other) return false;
  if (textOf(other) === textOf(parsed)) return true;
  const table = new TermTable();
  const prover = new Prover(table);
  const term = new TermCompiler(table, parsed, "old ").compile(parsed.ir);
  const two = new TermCompiler(table, other, "now ").compile(other.ir);
  return prover.isIncluded(term, two) && prover.isIncluded(two, term);
}

/** The parsed schema as text: schemas with equal texts have the same meaning. */
function textOf({ ir, definitions }: ParsedSchema): string {
  return JSON.stringify([ir, [...definitions]]);
}
