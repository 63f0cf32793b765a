import { ts } from "ts-morph";
import { type CallSite, type Change, CLOSED_INPUT } from "../core/change.js";
import { type JsonObject, type JsonValue, getOwn, isJsonObject } from "../core/json.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import { type ChangePlace, propertyNamesOf, placeOfChange } from "./changes.js";
import { describeExtra, describeRejected } from "./describe-hit.js";
import type { ToolCall } from "./tool-finder.js";
import { type PassedValue, findValues } from "./find-values.js";
import { findAt, joinPointer } from "../core/json-pointer.js";
import { OutOfStepsError, Steps } from "../core/steps.js";
import { parseSchema } from "../schema/ir/parse-schema.js";
import { matchPattern } from "../schema/pattern/match-pattern.js";
import { printJsonSchema } from "../schema/print/print-json-schema.js";
import { createJudge } from "../schema/validation/fits-json-schema.js";
import type { JsonSchema } from "../schema/validation/json-schema.js";

/** A place that a change affects. */
export interface Hit {
  readonly change: Change;
  readonly node: ts.Node;
  readonly says: string;
  readonly effect: CallSite["effect"];
}

interface Judgement {
  readonly changes: readonly Change[];
  /** The tool's current definition. */
  readonly after: ToolSnapshot;
  /** Whether its types did not change, so that the compiler reports nothing. */
  readonly hasSameTypes: boolean;
  readonly checker: ts.TypeChecker;
}

/** Finds values in a call that the new input schema rejects but the compiler may not report. */
export function findRejected(call: ToolCall, judgement: Judgement): readonly Hit[] {
  const { changes, after, checker } = judgement;
  const [argument] = call.node.arguments;
  if (argument === undefined || ts.isSpreadElement(argument)) return [];
  const { definition: before } = call.tool;
  const schemas = { before: getOwn(before, "inputSchema"), after: getOwn(after, "inputSchema") };
  const [whole] = findValues(argument, [], checker);
  const input = whole?.values?.length === 1 ? whole.values[0] : undefined;
  const isStillAccepted = input !== undefined && judgeValue(schemas.after, [], input) === true;
  const closed = changes.flatMap((change): readonly Hit[] => {
    const place = change.rule === CLOSED_INPUT ? placeOfChange(change) : undefined;
    if (place === undefined) return [];
    return findExtra(passedAt(argument, place, checker), change, place, schemas, checker);
  });
  // The value was rejected before, so the change did not break it.
  if (input !== undefined && judgeValue(schemas.before, [], input) === false) return [];
  const hits = changes.flatMap((change): readonly Hit[] => {
    const place = placeOfChange(change);
    if (closed.some((hit) => hit.change === change)) return [];
    if (place?.side !== "input" || change.class === "safe") return [];
    if (/-property-(?:removed|renamed)$/.test(change.rule))
      return findRemoved(passedAt(argument, place, checker), change, place, schemas.after);
    if (isStillAccepted || !JUDGED_BY_VALUE.test(change.rule)) return [];
    // If types changed with the schema, the compiler has already accepted values that are not known.
    const isOpen =
      change.class === "breaking" && (judgement.hasSameTypes || !change.impacts.includes("types"));
    return passedAt(argument, place, checker).flatMap((passed) =>
      judgePassed(passed, { change, place, isOpen, ...schemas }),
    );
  });
  return [...closed, ...hits];
}

const JUDGED_BY_VALUE =
  /^input-(?:type|null|enum|const|bound|pattern|format|multiple-of|unique-items|additional-properties|union-branch|constraint|schema)-/;

function judgePassed(
  { node, values }: PassedValue,
  judged: {
    readonly change: Change;
    readonly place: ChangePlace;
    /** Whether an unknown value counts as possibly rejected. */
    readonly isOpen: boolean;
    readonly before: JsonValue | undefined;
    readonly after: JsonValue | undefined;
  },
): readonly Hit[] {
  const { change, place, isOpen, before, after } = judged;
  const name = propertyNamesOf(place).at(-1);
  const maybe: readonly Hit[] =
    isOpen && name !== undefined
      ? [{ change, node, says: describeRejected(name, change), effect: "may-be-rejected" }]
      : [];
  if (values === undefined) return maybe;
  const lost = values.filter(
    (value) =>
      judgeValue(after, place.schema, value) === false && judgeValue(before, place.schema, value) !== false,
  );
  const [value] = lost;
  if (value === undefined) return [];
  if (lost.length < values.length || place.isInBranch) return maybe;
  return [{ change, node, says: describeRejected(name, change, value), effect: "rejected" }];
}

/** The places of a removed property; only written properties count, not types. */
function findRemoved(
  passed: readonly PassedValue[],
  change: Change,
  place: ChangePlace,
  after: JsonValue | undefined,
): readonly Hit[] {
  const name = propertyNamesOf(place).at(-1);
  const parent = place.schema.slice(0, -2);
  return passed.flatMap(({ node, values = [] }): readonly Hit[] => {
    if (name === undefined || !ts.isPropertyName(node) || !ts.isObjectLiteralElement(node.parent)) return [];
    const accepted = judgeValue(after, parent, Object.fromEntries([[name, values[0] ?? null]]));
    const isClosed = accepted === false && judgeValue(after, parent, {}) !== false;
    const effect = isClosed ? "rejected" : "may-be-rejected";
    return [{ change, node, says: describeRejected(name, change), effect }];
  });
}

/** The values that an argument passes at a place, whose steps start at the argument or at any literal in it. */
function passedAt(
  argument: ts.Expression,
  { isAnywhere, steps }: ChangePlace,
  checker: ts.TypeChecker,
): readonly PassedValue[] {
  if (!isAnywhere) return findValues(argument, steps, checker);
  const values: PassedValue[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) values.push(...findValues(node, steps, checker));
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  if (steps.length > 0) visit(argument);
  return values;
}

/**
 * Finds calls that pass properties which a newly closed input schema never declared. TypeScript accepts a variable
 * whose type has more properties, and the call sends all of them.
 */
function findExtra(
  passed: readonly PassedValue[],
  change: Change,
  place: ChangePlace,
  schemas: { readonly before: JsonValue | undefined; readonly after: JsonValue | undefined },
  checker: ts.TypeChecker,
): readonly Hit[] {
  const [before, after] = [schemas.before, schemas.after].map((schema) => objectAt(schema, place.schema));
  if (before === undefined || after === undefined) return [];
  return passed.flatMap(({ node }): readonly Hit[] => {
    const extra = propertiesOf(expressionOf(node), checker).filter(
      ({ name }) => !names(before, name) && !names(after, name),
    );
    const [first] = [...extra].sort((a, b) => Number(a.isOptional) - Number(b.isOptional));
    if (first === undefined) return [];
    const effect = first.isOptional ? "may-be-rejected" : "rejected";
    return [{ change, node, says: describeExtra(extra.map(({ name }) => name)), effect }];
  });
}

function objectAt(schema: JsonValue | undefined, segments: readonly string[]): JsonObject | undefined {
  const subschema = schema === undefined ? undefined : findAt(schema, joinPointer("", ...segments));
  return isJsonObject(subschema) ? subschema : undefined;
}

/** Whether a schema declares a property, by name or possibly by a pattern. */
function names(schema: JsonObject, name: string): boolean {
  const properties = getOwn(schema, "properties");
  return (
    (isJsonObject(properties) && Object.hasOwn(properties, name)) ||
    Object.hasOwn(schema, "patternProperties")
  );
}

function expressionOf(node: ts.Node): ts.Node {
  const { parent } = node;
  return ts.isPropertyAssignment(parent) && parent.name === node ? parent.initializer : node;
}

interface ArgumentProperty {
  readonly name: string;
  /** Whether the property is optional. */
  readonly isOptional: boolean;
}

function propertiesOf(node: ts.Node, checker: ts.TypeChecker): readonly ArgumentProperty[] {
  const type = checker.getTypeAtLocation(node);
  const parts = type.isUnion() ? type.types : [type];
  return parts
    .filter((part) => (part.flags & ts.TypeFlags.Object) !== 0 && !checker.isArrayLikeType(part))
    .flatMap((part) => part.getProperties())
    .map((symbol) => ({
      name: symbol.getName(),
      isOptional: parts.length > 1 || (symbol.flags & ts.SymbolFlags.Optional) !== 0,
    }));
}

/** More steps than any value takes that people write in code. */
const MOST_STEPS = 1_000_000;

/** Whether the subschema at a pointer accepts a value; undefined when that is unknown. */
export function judgeValue(
  schema: JsonValue | undefined,
  segments: readonly string[],
  value: JsonValue,
): boolean | undefined {
  const part = schema === undefined ? undefined : partAt(schema, segments);
  if (part === undefined) return undefined;
  try {
    const { ir, definitions } = parseSchema(part);
    const judge = createJudge(printJsonSchema(ir, definitions) as JsonSchema, {
      matches,
      spend: new Steps(MOST_STEPS).spend,
    });
    return judge(value).length === 0;
  } catch {
    // The schema is invalid, or the judgement takes too many steps.
    return undefined;
  }
}

function matches(pattern: string, text: string): boolean {
  const isMatch = matchPattern(pattern, text);
  if (isMatch === undefined) throw new OutOfStepsError("The match takes too many steps.");
  return isMatch;
}

/** The subschema, with the definitions that it may refer to. */
function partAt(schema: JsonValue, segments: readonly string[]): JsonValue | undefined {
  const part = findAt(schema, joinPointer("", ...segments));
  if (!isJsonObject(part) || !isJsonObject(schema)) return part;
  const shared = ["$schema", "$defs", "definitions"].flatMap((key) => {
    const value = getOwn(schema, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...Object.fromEntries(shared), ...part };
}
