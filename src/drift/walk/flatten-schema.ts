import { canonicalJson, type JsonValue } from "../../core/json.js";
import type { ArrayNode, ObjectNode, SchemaIR, TypedNode } from "../../core/schema-ir.js";
import { closeUnevaluated, mergeObjects } from "../../schema/ir/simplify-all-of.js";
import { isFlat } from "../../schema/ir/subschemas.js";
import { joinPointer } from "../../core/json-pointer.js";
import { areAllDisjoint } from "../../schema/ir/node-types.js";
import {
  type Constraint,
  type FlatSchema,
  hasOnlyValues,
  intersectTypes,
  isOnlyNull,
  type Limit,
  roundLimit,
  typedMembersOf,
  type TypeName,
  typeNameOf,
  type Union,
  type Written,
} from "./walk.js";
import { boundsOf, isLowerBound } from "../inclusion/compile-term.js";
import { evaluateTerm } from "../inclusion/evaluate-term.js";
import type { SchemaSide } from "./schema-side.js";

class Builder {
  readonly side: SchemaSide;
  types: ReadonlySet<TypeName> | undefined;
  values: Written<readonly JsonValue[]> | undefined;
  readonly limits = new Map<string, Limit>();
  readonly patterns = new Map<string, Written<string>>();
  readonly divisors = new Map<number, Written<number>>();
  isEnumeration = false;
  unique: string | undefined;
  object: ObjectNode | undefined;
  array: ArrayNode | undefined;
  readonly unions: Union[] = [];
  readonly constraints: Constraint[] = [];
  readonly branches: SchemaIR[] = [];
  readonly sites = new Set<string>();
  readonly references = new Set<string>();
  /** The rules that enumerated values must fit. */
  readonly typed: SchemaIR[] = [];

  constructor(side: SchemaSide) {
    this.side = side;
  }

  add(start: SchemaIR): void {
    if (start.kind === "ref") this.references.add(start.at);
    const node = this.side.follow(start);
    this.side.index(node);
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
        for (const member of node.members) this.add(member);
        return;
      case "anyOf":
      case "oneOf":
        this.#addUnion(node.kind, node.members, node.at);
        return;
      case "unevaluated": {
        // Over a plain object or array this is another spelling of "additionalProperties" or "items".
        const closed = isFlat(node.schema, this.side.parsed) ? closeUnevaluated(node) : undefined;
        this.add(closed ?? node.schema);
        if (closed === undefined) this.constraints.push({ at: node.at, node });
        return;
      }
      case "not":
      case "if":
        this.constraints.push({ at: node.at, node });
        return;
      case "interpreted":
        this.add(node.rule);
        return;
      default:
        node satisfies never;
    }
  }

  #addValues(values: readonly JsonValue[], site: string): void {
    this.sites.add(site);
    const raw = this.side.read(site);
    const key = typeof raw === "object" && raw !== null && Object.hasOwn(raw, "enum") ? "enum" : "const";
    const unique = new Map(values.map((value) => [canonicalJson(value), value]));
    if (this.values === undefined) {
      this.values = { value: [...unique.values()], at: joinPointer(site, key) };
      return;
    }
    const { value, at } = this.values;
    this.values = { value: value.filter((one) => unique.has(canonicalJson(one))), at };
  }

  #addTyped(members: readonly TypedNode[]): void {
    const [first] = members;
    if (first !== undefined)
      this.typed.push(members.length === 1 ? first : { kind: "types", at: first.at, members });
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
      const known = this.limits.get(keyword);
      const isLower = keyword.startsWith("min");
      const isTighter =
        known === undefined ||
        (isLower ? value > known.value : value < known.value) ||
        (value === known.value && isExclusive);
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
          this.divisors.set(node.multipleOf, {
            value: node.multipleOf,
            at: joinPointer(node.at, "multipleOf"),
          });
        return;
      case "string":
        limit("minLength", node.minLength);
        limit("maxLength", node.maxLength);
        if (node.pattern !== undefined)
          this.patterns.set(node.pattern, { value: node.pattern, at: joinPointer(node.at, "pattern") });
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
      this.side.place(both, [...this.side.pointersOf(a), ...this.side.pointersOf(b)]);
      return both;
    });
    if (merged === undefined) this.constraints.push({ at: node.at, node });
    else this.object = merged;
  }

  #addUnion(kind: "anyOf" | "oneOf", members: readonly SchemaIR[], at: string): void {
    const { definitions } = this.side.parsed;
    const isInclusive = kind === "anyOf" || areAllDisjoint(members, definitions);
    const possible = members.filter((member) => this.side.follow(member).kind !== "never");
    const [only] = possible;
    if (only === undefined) {
      this.types = new Set();
      return;
    }
    if (possible.length === 1) {
      if (members.length > 1) this.branches.push(only);
      this.add(only);
      return;
    }
    const typed = isInclusive ? typedMembersOf(possible, this.side) : undefined;
    const values = isInclusive ? this.#asValues(possible) : undefined;
    if (values !== undefined) {
      this.branches.push(...possible);
      this.#addValues(values, joinPointer(at, 0));
    } else if (typed !== undefined) {
      this.branches.push(...possible);
      this.#addTyped(typed);
    } else this.unions.push({ isInclusive, at, members: possible });
  }

  /** A union of enumerations is one enumeration. `null` counts as an enumeration of null. */
  #asValues(members: readonly SchemaIR[]): readonly JsonValue[] | undefined {
    const lists = members.map((member): readonly JsonValue[] | undefined => {
      const flat = flattenSchema(member, this.side);
      if (flat.values !== undefined && hasOnlyValues(flat)) return flat.values.value;
      return isOnlyNull(flat) ? [null] : undefined;
    });
    const values = lists.flatMap((list) => list ?? []);
    return lists.includes(undefined) || values.every((value) => value === null) ? undefined : values;
  }

  build(): FlatSchema {
    this.#judgeValues();
    this.#roundLimits();
    return {
      sites: [...this.sites],
      references: [...this.references],
      types: this.types,
      values: this.values,
      isEnumeration: this.isEnumeration,
      limits: this.limits,
      patterns: [...this.patterns.values()],
      divisors: [...this.divisors.values()],
      unique: this.unique,
      object: this.object,
      array: this.array,
      unions: this.unions,
      constraints: this.constraints,
      branches: this.branches,
    };
  }

  /** Removes the enumerated values that other rules reject. The rest replace all other rules. */
  #judgeValues(): void {
    if (this.values === undefined) return;
    const rules = this.typed.map((node) => this.side.term(node));
    const judged = this.values.value.map((value) => rules.map((rule) => evaluateTerm(rule, value)));
    const { value, at } = this.values;
    const kept = value.filter((_, index) => judged[index]?.includes(false) !== true);
    this.values = { value: kept, at };
    this.types = new Set(kept.map(typeNameOf));
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
  const known = KNOWN.get(node);
  if (known !== undefined) return known;
  const builder = new Builder(side);
  builder.add(node);
  const flat = builder.build();
  KNOWN.set(node, flat);
  return flat;
}

// A node belongs to one schema.
const KNOWN = new WeakMap<SchemaIR, FlatSchema>();
