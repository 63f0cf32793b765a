import { joinPointer } from "../../core/json-pointer.js";
import { canonicalJson, type JsonValue } from "../../core/json.js";
import type {
  ArrayNode,
  IfNode,
  JsonType,
  NotNode,
  ObjectNode,
  SchemaIR,
  TypedNode,
  UnevaluatedNode,
} from "../../core/schema-ir.js";
import { areAllDisjoint, bitOf, isTyped, jsonTypeOf, typesOf } from "../../schema/ir/node-types.js";
import { closeUnevaluated, mergeObjects } from "../../schema/ir/simplify-all-of.js";
import { isFlat } from "../../schema/ir/subschemas.js";
import { boundsOf, isLowerBound } from "../inclusion/compile-term.js";
import { evaluateTerm } from "../inclusion/evaluate-term.js";
import { pointerOf, type SchemaSide } from "./schema-side.js";

/** A JSON type, or `integer`. */
export type TypeName = JsonType | "integer";

export const ALL_TYPE_NAMES: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object"];

/** A lower or upper limit of a number, or of the size of a string, array or object. */
export interface Limit {
  readonly value: number;
  readonly isExclusive: boolean;
  readonly at: string;
}

/** A value and the JSON Pointer at which it is written. */
export interface WrittenPart<T> {
  readonly value: T;
  readonly at: string;
}

export interface Union {
  /** Whether this is an `anyOf`, or a `oneOf` whose branches are disjoint. */
  readonly isInclusive: boolean;
  readonly at: string;
  readonly members: readonly SchemaIR[];
}

/** A rule that is compared as a whole. */
export interface Constraint {
  readonly at: string;
  readonly node: ObjectNode | ArrayNode | TypedNode | UnevaluatedNode | IfNode | NotNode;
}

/**
 * All rules of a schema for a value itself, collected through references, `allOf`, unions with null and enumerations. Two
 * spellings of the same rules have equal flat schemas, except for the JSON Pointers.
 */
export class FlatSchema {
  /** Absent when all types are allowed. */
  types: ReadonlySet<TypeName> | undefined;
  values: WrittenPart<readonly JsonValue[]> | undefined;
  /** Whether `values` is exact: no other rule may reject one of them. */
  isEnumeration = false;
  /** By keyword; `exclusiveMinimum` is under `minimum`, and `exclusiveMaximum` under `maximum`. */
  readonly limits = new Map<string, Limit>();
  /** The JSON Pointers of patterns, asserted formats and divisors. */
  readonly patterns = new Map<string, string>();
  readonly formats = new Map<string, string>();
  readonly divisors = new Map<number, string>();
  unique: string | undefined;
  object: ObjectNode | undefined;
  array: ArrayNode | undefined;
  readonly unions: Union[] = [];
  readonly constraints: Constraint[] = [];
  /** Branches of a union with a single member. */
  readonly branches: SchemaIR[] = [];
  /** The JSON Pointers of the schemas whose rules are collected. */
  readonly sites = new Set<string>();
  readonly #side: SchemaSide;
  /** The rules that enumerated values must fit. */
  readonly #typed: SchemaIR[] = [];

  constructor(node: SchemaIR, side: SchemaSide) {
    this.#side = side;
    this.#add(node);
    this.#judgeUnions();
    this.#judgeValues();
    this.#roundLimits();
  }

  #add(start: SchemaIR): void {
    const node = this.#side.follow(start);
    switch (node.kind) {
      case "any":
      case "ref":
        return;
      case "never":
        this.types = new Set();
        return;
      case "null":
      case "boolean":
      case "number":
      case "string":
      case "array":
      case "object":
        this.#addTyped([node]);
        return;
      case "types":
        this.#addTyped(node.members);
        return;
      case "literal":
        this.#addValues(node.values, node.at);
        return;
      case "allOf":
        for (const member of node.members) this.#add(member);
        return;
      case "anyOf":
      case "oneOf":
        this.#addUnion(node.kind, node.members, node.at);
        return;
      case "unevaluated": {
        // Over a plain object or array this is another spelling of "additionalProperties" or "items".
        const closed = isFlat(node.schema, this.#side.parsed) ? closeUnevaluated(node) : undefined;
        this.#add(closed ?? node.schema);
        if (closed === undefined) this.constraints.push({ at: node.at, node });
        return;
      }
      case "not":
      case "if":
        this.constraints.push({ at: node.at, node });
        return;
      case "interpreted":
        this.#add(node.rule);
        return;
      default:
        node satisfies never;
    }
  }

  #addValues(values: readonly JsonValue[], site: string): void {
    this.sites.add(site);
    const raw = this.#side.read(site);
    const key = typeof raw === "object" && raw !== null && Object.hasOwn(raw, "enum") ? "enum" : "const";
    const unique = new Map(values.map((value) => [canonicalJson(value), value]));
    if (this.values === undefined) {
      this.values = { value: [...unique.values()], at: joinPointer(site, key) };
      return;
    }
    const { value, at } = this.values;
    this.values = { value: value.filter((item) => unique.has(canonicalJson(item))), at };
  }

  #addTyped(members: readonly TypedNode[]): void {
    const [first] = members;
    if (first !== undefined)
      this.#typed.push(members.length === 1 ? first : { kind: "types", at: first.at, members });
    const names = members.map((member): TypeName =>
      member.kind === "number" && member.isInteger ? "integer" : member.kind,
    );
    const isAll = members.length === 6 && !names.includes("integer");
    if (!isAll) this.types = intersectTypes(this.types, names);
    for (const member of members) this.#addRules(member);
  }

  #addRules(node: TypedNode): void {
    this.sites.add(node.at);
    const limit = (keyword: string, value: number | undefined, key = keyword): void => {
      if (value === undefined) return;
      const isExclusive = key.startsWith("exclusive");
      const current = this.limits.get(keyword);
      const isLower = keyword.startsWith("min");
      const isTighter =
        current === undefined ||
        (isLower ? value > current.value : value < current.value) ||
        (value === current.value && isExclusive);
      if (isTighter) this.limits.set(keyword, { value, isExclusive, at: joinPointer(node.at, key) });
    };
    switch (node.kind) {
      case "null":
      case "boolean":
        return;
      case "number":
        for (const [keyword, value] of boundsOf(node)) {
          limit(isLowerBound(keyword) ? "minimum" : "maximum", value, keyword);
        }
        if (node.multipleOf !== undefined)
          this.divisors.set(node.multipleOf, joinPointer(node.at, "multipleOf"));
        return;
      case "string":
        limit("minLength", node.minLength);
        limit("maxLength", node.maxLength);
        if (node.pattern !== undefined) this.patterns.set(node.pattern, joinPointer(node.at, "pattern"));
        if (node.assertedFormat !== undefined)
          this.formats.set(node.assertedFormat, joinPointer(node.at, "format"));
        return;
      case "array":
        limit("minItems", node.minItems);
        limit("maxItems", node.maxItems);
        if (node.uniqueItems) this.unique ??= joinPointer(node.at, "uniqueItems");
        this.#addArray(node);
        return;
      case "object":
        limit("minProperties", node.minProperties);
        limit("maxProperties", node.maxProperties);
        this.#addObject(node);
        return;
      default:
        node satisfies never;
    }
  }

  #addArray(node: ArrayNode): void {
    const isSilent = node.prefix.length === 0 && node.items === undefined && node.contains === undefined;
    if (isSilent) return;
    if (this.array === undefined) this.array = node;
    else this.constraints.push({ at: node.at, node });
  }

  #addObject(node: ObjectNode): void {
    const { properties, patterns, dependents, additional, names } = node;
    const isSilent = properties.length + patterns.length + dependents.length === 0;
    if (isSilent && additional === undefined && names === undefined) return;
    if (this.object === undefined) {
      this.object = node;
      return;
    }
    const merged = mergeObjects(this.object, node, (a, b) => {
      const both: SchemaIR = { kind: "allOf", at: a.at, members: [a, b] };
      this.#side.place(both, [...this.#side.pointersOf(a), ...this.#side.pointersOf(b)]);
      return both;
    });
    if (merged === undefined) this.constraints.push({ at: node.at, node });
    else this.object = merged;
  }

  #addUnion(kind: "anyOf" | "oneOf", members: readonly SchemaIR[], at: string): void {
    const possible = members.filter((member) => this.#isPossible(member));
    const isInclusive = kind === "anyOf" || areAllDisjoint(possible, this.#side.parsed.definitions);
    const [only] = possible;
    if (only === undefined) {
      this.types = new Set();
      return;
    }
    if (possible.length === 1) {
      if (members.length > 1) this.branches.push(...members);
      this.#add(only);
      return;
    }
    const typed = isInclusive ? typedMembersOf(possible, this.#side) : undefined;
    const values = isInclusive ? this.#asValues(possible) : undefined;
    if (values !== undefined) {
      this.branches.push(...members);
      this.#addValues(values, pointerOf(this.#side, only));
    } else if (typed !== undefined) {
      this.branches.push(...members);
      this.#addTyped(typed);
    } else this.unions.push({ isInclusive, at, members: possible });
  }

  /** Whether a branch accepts a value of a type that the other rules allow. */
  #isPossible(branch: SchemaIR): boolean {
    const types = typesOf(branch, this.#side.parsed.definitions);
    return [...(this.types ?? ALL_TYPE_NAMES)].some(
      (name) => (types & bitOf(name === "integer" ? "number" : name)) !== 0,
    );
  }

  /** Leaves out the branches that rules beside their union reject, such as a text where `type` asks for an object. */
  #judgeUnions(): void {
    for (const union of this.unions.splice(0)) {
      const { isInclusive, at, members } = union;
      if (members.every((member) => this.#isPossible(member))) this.unions.push(union);
      else this.#addUnion(isInclusive ? "anyOf" : "oneOf", members, at);
    }
  }

  /** A union of enumerations is one enumeration. `null` counts as an enumeration of null. */
  #asValues(members: readonly SchemaIR[]): readonly JsonValue[] | undefined {
    const lists = members.map((member): readonly JsonValue[] | undefined => {
      const flat = flattenSchema(member, this.#side);
      if (flat.values !== undefined && hasOnlyValues(flat)) return flat.values.value;
      return isOnlyNull(flat) ? [null] : undefined;
    });
    const values = lists.flatMap((list) => list ?? []);
    return lists.includes(undefined) || values.every((value) => value === null) ? undefined : values;
  }

  /** Removes the enumerated values that other rules reject. The rest replace all other rules. */
  #judgeValues(): void {
    if (this.values === undefined) return;
    const rules = this.#typed.map((node) => this.#side.term(node));
    const judged = this.values.value.map((value) => rules.map((rule) => evaluateTerm(rule, value)));
    const { value, at } = this.values;
    const isNever = this.types?.size === 0;
    const kept = value.filter((_, index) => !isNever && judged[index]?.includes(false) !== true);
    this.values = { value: kept, at };
    this.types = new Set(kept.map(jsonTypeOf));
    if (judged.some((answers) => answers.includes(undefined))) return;
    this.isEnumeration = true;
    this.limits.clear();
    this.patterns.clear();
    this.divisors.clear();
    this.unique = this.object = this.array = undefined;
  }

  #roundLimits(): void {
    if (this.types?.has("integer") !== true) return;
    if (this.divisors.get(1) !== undefined) this.divisors.delete(1);
    for (const [keyword, limit] of this.limits) {
      if (keyword === "minimum" || keyword === "maximum")
        this.limits.set(keyword, roundLimit(keyword, limit));
    }
  }
}

/** Returns all rules of a schema for the value itself. */
export function flattenSchema(node: SchemaIR, side: SchemaSide): FlatSchema {
  const flat = KNOWN.get(node) ?? new FlatSchema(node, side);
  KNOWN.set(node, flat);
  return flat;
}

// A node belongs to one schema.
const KNOWN = new WeakMap<SchemaIR, FlatSchema>();

/** Returns the same limit for integers: "more than 0" becomes "at least 1". */
export function roundLimit(keyword: string, limit: Limit): Limit {
  const isLower = keyword === "minimum";
  const whole = isLower ? Math.ceil(limit.value) : Math.floor(limit.value);
  const step = isLower ? 1 : -1;
  const value = limit.isExclusive && whole === limit.value ? whole + step : whole;
  return { ...limit, value, isExclusive: false };
}

function hasOnlyValues(flat: FlatSchema): boolean {
  const { limits, patterns, formats, divisors, unions, constraints } = flat;
  const asserted = flat.isEnumeration ? 0 : formats.size;
  const others = limits.size + patterns.size + asserted + divisors.size + unions.length + constraints.length;
  return flat.values !== undefined && others === 0 && flat.object === undefined && flat.array === undefined;
}

function isOnlyNull({ types, unions, constraints }: FlatSchema): boolean {
  return types?.size === 1 && types.has("null") && unions.length === 0 && constraints.length === 0;
}

function intersectTypes(
  types: ReadonlySet<TypeName> | undefined,
  names: readonly TypeName[],
): ReadonlySet<TypeName> {
  if (types === undefined) return new Set(names);
  const both = new Set<TypeName>();
  for (const name of types) {
    if (names.includes(name) || (name === "integer" && names.includes("number"))) both.add(name);
    else if (name === "number" && names.includes("integer")) both.add("integer");
  }
  return both;
}

/**
 * Returns the members of a union as one schema per type, which `type` with a list also expresses. Returns undefined if a
 * member is not limited to types, or if two members have the same type.
 */
function typedMembersOf(members: readonly SchemaIR[], side: SchemaSide): readonly TypedNode[] | undefined {
  const flat = members.flatMap((member): readonly SchemaIR[] => {
    const node = unwrap(member, side);
    return node.kind === "types" ? node.members : [node];
  });
  const typed = flat.filter(isTyped);
  const kinds = new Set(typed.map(({ kind }) => kind));
  return typed.length === flat.length && kinds.size === flat.length ? typed : undefined;
}

function unwrap(start: SchemaIR, side: SchemaSide): SchemaIR {
  const node = side.follow(start);
  const [only, ...others] = membersOf(node, side);
  return only === undefined || others.length > 0 ? node : unwrap(only, side);
}

function membersOf(node: SchemaIR, side: SchemaSide): readonly SchemaIR[] {
  if (node.kind === "anyOf" || node.kind === "oneOf") return node.members;
  // A member that accepts everything, such as an empty `required`, has no effect.
  return node.kind === "allOf" ? node.members.filter((part) => side.term(part).kind !== "any") : [];
}
