import { joinPointer } from "../../core/json-pointer.js";
import type { JsonValue } from "../../core/json.js";
import type {
  Annotations,
  AnyOfNode,
  ArrayNode,
  Definitions,
  Dialect,
  IfNode,
  NotNode,
  NumberNode,
  ObjectNode,
  OneOfNode,
  RefNode,
  SchemaIR,
  StringNode,
  TypedNode,
  UnevaluatedNode,
} from "../../core/schema-ir.js";
import { parseSchema } from "../ir/parse-schema.js";
import type { Spend } from "../pattern/pattern-tree.js";
import { matchPattern } from "../pattern/match-pattern.js";
import { samplePattern } from "./sample-pattern.js";

/** What one schema object says about a value: its own nodes, those under `allOf`, and its branches. */
export interface SchemaRules {
  /** The JSON Pointer of the schema object. */
  readonly at: string;
  /** The types that it names; undefined if it names none. */
  readonly types?: readonly string[] | undefined;
  /** The values of `enum` and of `const`. */
  readonly lists: readonly (readonly JsonValue[])[];
  readonly number?: NumberRules | undefined;
  readonly string?: StringRules | undefined;
  readonly array?: ArrayNode | undefined;
  readonly object?: ObjectNode | undefined;
  readonly references: readonly RefNode[];
  readonly allOf: readonly SchemaIR[];
  readonly unions: readonly (AnyOfNode | OneOfNode)[];
  readonly not?: NotNode | undefined;
  readonly condition?: IfNode | undefined;
  readonly unevaluated?: UnevaluatedNode | undefined;
  readonly annotations?: Annotations | undefined;
}

type NumberRules = Partial<NumberNode>;
type StringRules = Partial<StringNode>;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface OwnRules extends Writable<Omit<SchemaRules, "lists" | "references" | "allOf" | "unions">> {
  readonly lists: (readonly JsonValue[])[];
  readonly references: RefNode[];
  readonly allOf: SchemaIR[];
  readonly unions: (AnyOfNode | OneOfNode)[];
}

// A cache: a search reads the rules of the same schemas millions of times.
const RULES = new WeakMap<SchemaIR, SchemaRules>();

export function schemaRules(node: SchemaIR): SchemaRules {
  const rules = RULES.get(node) ?? readRules(node);
  RULES.set(node, rules);
  return rules;
}

/** Returns rules without any rule. */
export function noRules(at: string): OwnRules {
  return { at, lists: [], references: [], allOf: [], unions: [] };
}

function readRules(node: SchemaIR): SchemaRules {
  const whole = node.kind === "unevaluated" ? node.schema : node;
  const rules = noRules(siteOf(whole));
  if (node.kind === "unevaluated") rules.unevaluated = node;
  rules.annotations = node.annotations;
  if (whole.kind !== "allOf") addRules(rules, whole);
  else
    for (const member of whole.members)
      if (siteOf(member) === whole.at) addRules(rules, member);
      else rules.allOf.push(member);
  return rules;
}

/** The pointer of the schema object with a node: that of some kinds leads to their keyword. */
function siteOf({ kind, at }: SchemaIR): string {
  return AT_KEYWORD.has(kind) ? at.slice(0, at.lastIndexOf("/")) : at;
}

const AT_KEYWORD: ReadonlySet<SchemaIR["kind"]> = new Set(["ref", "anyOf", "oneOf", "not", "if"]);

function addRules(rules: OwnRules, node: SchemaIR): void {
  switch (node.kind) {
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "array":
    case "object":
      rules.types = [typeOf(node)];
      addTyped(rules, node);
      return;
    case "types":
      // Of all types: the schema has none of its own.
      if (node.members.length < 6) rules.types = node.members.map(typeOf);
      for (const member of node.members) addTyped(rules, member);
      return;
    case "literal":
      rules.lists.push(node.values);
      return;
    case "ref":
      rules.references.push(node);
      return;
    case "anyOf":
    case "oneOf":
      rules.unions.push(node);
      return;
    case "not":
      rules.not = node;
      return;
    case "if":
      rules.condition = node;
      return;
    case "any":
    case "never":
      return;
    case "allOf":
    case "unevaluated":
    case "interpreted":
      rules.allOf.push(node);
      return;
    default:
      node satisfies never;
  }
}

function typeOf(node: TypedNode): string {
  return node.kind === "number" && node.isInteger ? "integer" : node.kind;
}

function addTyped(rules: OwnRules, node: TypedNode): void {
  if (node.kind === "number") rules.number = node;
  if (node.kind === "string") rules.string = node;
  if (node.kind === "array") rules.array = node;
  if (node.kind === "object") rules.object = node;
}

/** A schema of a document, reached on one way from the root. */
export interface SchemaPart {
  readonly node: SchemaIR;
  readonly rules: SchemaRules;
  /** JSON Pointer into the document. */
  readonly pointer: string;
  readonly definitions: Definitions;
  /** The branch of each union on the way, by the pointer of the union's list. */
  readonly branches: Branches;
  /** Counts the steps of the search. */
  readonly spend: Spend;
}

export type Branches = ReadonlyMap<string, number>;

/** One step from an instance to a value in it. */
export type InstanceStep = string | number;

/** The most schemas that are followed from one place: nested unions may have any number. */
const MAX_PARTS = 300;

/** A name that schemas are unlikely to declare. */
export const EXTRA_NAME = "extra";

const NO_BRANCHES: Branches = new Map();

interface Readable {
  readonly ir: SchemaIR;
  readonly definitions: Definitions;
}

export function rootPart({ ir, definitions }: Readable, spend: Spend = () => undefined): SchemaPart {
  return { node: ir, rules: schemaRules(ir), pointer: "", definitions, branches: NO_BRANCHES, spend };
}

/** Parses a schema whose formats are asserted, and returns its root. */
export function readPart(schema: JsonValue, dialect?: Dialect): SchemaPart {
  return rootPart(parseSchema(schema, { dialect, formats: "assert" }));
}

function partAt(part: SchemaPart, node: SchemaIR, pointer: string): SchemaPart {
  const { definitions, branches, spend } = part;
  // Runs millions of times in one search, where copying all members takes three times as long.
  return { node, rules: schemaRules(node), pointer, definitions, branches, spend };
}

/** Returns the first steps of a pointer after another. A node's own pointer may lead beyond its schema, to its only keyword. */
function pointerBelow(pointer: string, base: string, steps: number): string {
  let end = base.length;
  for (let step = 0; step < steps && end >= 0; step += 1) end = pointer.indexOf("/", end + 1);
  return end < 0 ? pointer : pointer.slice(0, end);
}

/** Returns the parts under `allOf`. */
export function allOfParts(part: SchemaPart): readonly SchemaPart[] {
  const { allOf, at } = part.rules;
  return allOf.map((node) => partAt(part, node, pointerBelow(node.at, at, 2)));
}

/** Returns the branches of each union. */
export function unionParts(part: SchemaPart): readonly (readonly SchemaPart[])[] {
  return part.rules.unions.map(({ members, at }) =>
    members.map((node, index) => partAt(part, node, `${at}/${index}`)),
  );
}

/** Returns one branch of each union. */
export function chosenParts(
  part: SchemaPart,
  choose: (union: AnyOfNode | OneOfNode) => number,
): readonly SchemaPart[] {
  return part.rules.unions.flatMap((union) => {
    const index = choose(union);
    const node = union.members[index];
    return node === undefined ? [] : [partAt(part, node, `${union.at}/${index}`)];
  });
}

type Conditional = "if" | "then" | "else";

export function conditionParts(part: SchemaPart, ...keywords: readonly Conditional[]): readonly SchemaPart[] {
  const { condition } = part.rules;
  if (condition === undefined) return [];
  const site = condition.at.slice(0, -"if".length);
  return keywords.flatMap((keyword) => {
    const node = condition[keyword];
    return node === undefined ? [] : [partAt(part, node, site + keyword)];
  });
}

export function negatedParts(part: SchemaPart): readonly SchemaPart[] {
  const { not } = part.rules;
  return not === undefined ? [] : [partAt(part, not.schema, not.at)];
}

export function containsParts(part: SchemaPart): readonly SchemaPart[] {
  const { array } = part.rules;
  return array?.contains === undefined ? [] : [partAt(part, array.contains.schema, `${array.at}/contains`)];
}

/** Returns the parts for the names of properties. */
export function nameParts(part: SchemaPart): readonly SchemaPart[] {
  const { object } = part.rules;
  return object?.names === undefined ? [] : [partAt(part, object.names, `${object.at}/propertyNames`)];
}

function dependentParts(part: SchemaPart): readonly SchemaPart[] {
  const { object } = part.rules;
  return (object?.dependents ?? []).flatMap(({ schema }) =>
    schema === undefined || object === undefined
      ? []
      : [partAt(part, schema, pointerBelow(schema.at, object.at, 2))],
  );
}

/** Returns the names that parts declare. */
export function declaredNames(parts: readonly SchemaPart[]): readonly string[] {
  return parts.flatMap(({ rules }) =>
    rules.object === undefined ? [] : [...declaredProperties(rules.object).keys()],
  );
}

/** Returns the names on which rules of parts depend. */
export function dependentNames(parts: readonly SchemaPart[]): readonly string[] {
  return parts.flatMap(({ rules }) => (rules.object?.dependents ?? []).map(({ name }) => name));
}

/** Returns the patterns of names. */
export function propertyPatterns(parts: readonly SchemaPart[]): readonly string[] {
  return parts.flatMap(({ rules }) => (rules.object?.patterns ?? []).map(({ pattern }) => pattern));
}

/** Returns the names that parts require. */
export function requiredBy(parts: readonly SchemaPart[]): readonly string[] {
  return parts.flatMap(({ rules }) => rules.object?.required ?? []);
}

const NUMBERS = {
  minimum: ({ number }) => number?.minimum,
  maximum: ({ number }) => number?.maximum,
  exclusiveMinimum: ({ number }) => number?.exclusiveMinimum,
  exclusiveMaximum: ({ number }) => number?.exclusiveMaximum,
  multipleOf: ({ number }) => number?.multipleOf,
  minLength: ({ string }) => string?.minLength,
  maxLength: ({ string }) => string?.maxLength,
  minItems: ({ array }) => array?.minItems,
  maxItems: ({ array }) => array?.maxItems,
  minContains: ({ array }) => array?.contains?.min,
  maxContains: ({ array }) => array?.contains?.max,
  minProperties: ({ object }) => object?.minProperties,
  maxProperties: ({ object }) => object?.maxProperties,
} satisfies Readonly<Record<string, (rules: SchemaRules) => number | undefined>>;

/** Returns the numbers under keywords. */
export function numbersOf(
  parts: readonly SchemaPart[],
  ...keywords: readonly (keyof typeof NUMBERS)[]
): readonly number[] {
  const numbers: number[] = [];
  // A union of hundreds of branches asks for the numbers of each, thousands of times.
  for (const { rules } of parts)
    for (const keyword of keywords) {
      const value = NUMBERS[keyword](rules);
      if (value !== undefined) numbers.push(value);
    }
  return numbers;
}

/** Returns the patterns of texts. */
export function textPatterns(parts: readonly SchemaPart[]): readonly string[] {
  return parts.map(({ rules }) => rules.string?.pattern).filter((pattern) => pattern !== undefined);
}

/** Returns the targets of a part's references. */
export function referredParts(part: SchemaPart): readonly SchemaPart[] {
  return part.rules.references.flatMap(({ target }) => {
    const node = part.definitions.get(target);
    return node === undefined ? [] : [partAt(part, node, pointerOfTarget(target))];
  });
}

/** The pointer of a definition, whose key may have the number of a scope before it. */
export function pointerOfTarget(target: string): string {
  return target.replace(/^\d+:/, "");
}

/** Returns parts and all further parts for the same value that they lead to, each schema once. */
export function closeParts(
  parts: readonly SchemaPart[],
  next: (part: SchemaPart) => readonly SchemaPart[],
): readonly SchemaPart[] {
  const closed: SchemaPart[] = [];
  const seen = new Set<SchemaRules>();
  const queue = [...parts];
  for (let part = queue.shift(); part !== undefined && closed.length < MAX_PARTS; part = queue.shift()) {
    if (seen.has(part.rules)) continue;
    seen.add(part.rules);
    closed.push(part);
    queue.push(...next(part));
  }
  return closed;
}

/** Returns all schemas for the same value: the parts, the targets of their references, all branches and conditions. */
export function expandParts(parts: readonly SchemaPart[]): readonly SchemaPart[] {
  return closeParts(parts, (part) => [...referredParts(part), ...partsBeside(part)]);
}

function partsBeside(part: SchemaPart): readonly SchemaPart[] {
  const { unions } = part.rules;
  const branches = unionParts(part).flatMap((members, union) =>
    members.map((member, index): SchemaPart => ({
      ...member,
      branches: new Map([...part.branches, [unions[union]?.at ?? "", index]]),
    })),
  );
  return [
    ...allOfParts(part),
    ...branches,
    ...conditionParts(part, "if", "then", "else"),
    ...negatedParts(part),
    ...dependentParts(part),
  ];
}

/** Returns the parts for one property or item of the value. */
export function stepParts(parts: readonly SchemaPart[], step: InstanceStep): readonly SchemaPart[] {
  return typeof step === "string" ? propertyParts(parts, step) : itemParts(parts, step);
}

const PROPERTIES = new WeakMap<ObjectNode, ReadonlyMap<string, SchemaIR>>();

/** Returns the declared properties of an object schema. */
export function declaredProperties(object: ObjectNode): ReadonlyMap<string, SchemaIR> {
  const cached =
    PROPERTIES.get(object) ??
    new Map(
      object.properties.flatMap(({ name, schema, isDeclared }) =>
        isDeclared ? [[name, schema] as const] : [],
      ),
    );
  PROPERTIES.set(object, cached);
  return cached;
}

/** Returns the parts for one property of the value. */
export function propertyParts(parts: readonly SchemaPart[], name: string): readonly SchemaPart[] {
  parts[0]?.spend(parts.length / PARTS_PER_STEP);
  const reached: SchemaPart[] = [];
  // Runs millions of times in one search, so it makes no lists on the way.
  for (const part of parts) {
    const { object, unevaluated } = part.rules;
    const before = reached.length;
    if (object !== undefined) {
      const property = declaredProperties(object).get(name);
      if (property !== undefined)
        reached.push(partAt(part, property, joinPointer(object.at, "properties", name)));
      for (const { pattern, schema } of object.patterns)
        if (matchPattern(pattern, name) === true)
          reached.push(partAt(part, schema, joinPointer(object.at, "patternProperties", pattern)));
      if (reached.length > before) continue;
      if (object.additional !== undefined)
        reached.push(partAt(part, object.additional, `${object.at}/additionalProperties`));
    }
    if (unevaluated?.properties !== undefined)
      reached.push(partAt(part, unevaluated.properties, `${unevaluated.at}/unevaluatedProperties`));
  }
  return reached;
}

/** The schemas that are searched for a name or an index in one step. */
const PARTS_PER_STEP = 2;

/** Returns the parts for one item of the value. */
export function itemParts(parts: readonly SchemaPart[], index: number): readonly SchemaPart[] {
  parts[0]?.spend(parts.length / PARTS_PER_STEP);
  return parts.flatMap((part): readonly SchemaPart[] => {
    const { array, unevaluated } = part.rules;
    const item = array?.prefix[index];
    if (array !== undefined && item !== undefined)
      return [partAt(part, item, pointerBelow(item.at, array.at, 2))];
    const rest = array?.items && partAt(part, array.items, pointerBelow(array.items.at, array.at, 1));
    const other = unevaluated?.items && partAt(part, unevaluated.items, `${unevaluated.at}/unevaluatedItems`);
    return [rest, other].filter((below) => below !== undefined);
  });
}

/** Returns the schemas below a part, each with the steps to its value. */
export function childParts(part: SchemaPart): readonly (readonly [SchemaPart, ...InstanceStep[]])[] {
  const { array, object, unevaluated } = part.rules;
  const children: (readonly [SchemaPart, ...InstanceStep[]])[] = partsBeside(part).map((beside) => [beside]);
  if (object !== undefined) {
    for (const [name, schema] of declaredProperties(object))
      children.push([partAt(part, schema, joinPointer(object.at, "properties", name)), name]);
    for (const { pattern, schema } of object.patterns) {
      const [name] = samplePattern(pattern, { characters: [], counts: [1] });
      const below = partAt(part, schema, joinPointer(object.at, "patternProperties", pattern));
      children.push(name === undefined ? [below] : [below, name]);
    }
    if (object.additional !== undefined)
      children.push([partAt(part, object.additional, `${object.at}/additionalProperties`), EXTRA_NAME]);
  }
  if (unevaluated?.properties !== undefined)
    children.push([
      partAt(part, unevaluated.properties, `${unevaluated.at}/unevaluatedProperties`),
      EXTRA_NAME,
    ]);
  for (const below of containsParts(part)) children.push([below, 0]);
  const length = array?.prefix.length ?? 0;
  for (let index = 0; index <= length; index += 1)
    for (const below of itemParts([part], index)) children.push([below, index]);
  return children;
}
