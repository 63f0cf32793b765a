import type {
  ArrayNode,
  Definitions,
  NumberNode,
  ObjectNode,
  OneOfNode,
  ParsedSchema,
  SchemaIR,
  StringNode,
  TypedNode,
  UnevaluatedNode,
} from "../../core/schema-ir.js";
import { bitOf, areAllDisjoint } from "../../schema/ir/node-types.js";
import { Simplifier } from "../../schema/ir/simplify.js";
import { matchesAll, matchPattern, splitLengthLookahead } from "../../schema/pattern/match-pattern.js";
import type { Term, TermTable } from "./term.js";

/** The most branches of a `oneOf` that are expanded to "this branch and no other". */
const MAX_EXCLUSIVE = 16;
/** More deeply nested references are resolved on demand. */
const MAX_NESTED = 100;

/** Whether a term for names accepts every name: all names are strings. */
export function isOfEveryName(term: Term): boolean {
  return term.kind === "any" || (term.kind === "types" && (term.types & bitOf("string")) !== 0);
}

/** Compiles the schemas of one document to terms. */
export class TermCompiler {
  readonly #table: TermTable;
  readonly #definitions: Definitions;
  readonly #simplifier: Simplifier;
  /** Separates the references of one document from the references of another. */
  readonly #label: string;
  readonly #nodes = new Map<SchemaIR, Term>();
  readonly #targets = new Map<string, Term>();
  readonly #open = new Set<string>();

  constructor(table: TermTable, schema: ParsedSchema, label: string) {
    this.#table = table;
    this.#definitions = schema.definitions;
    this.#simplifier = new Simplifier(schema.definitions);
    this.#label = label;
  }

  compile(node: SchemaIR): Term {
    const cached = this.#nodes.get(node);
    if (cached !== undefined) return cached;
    const term = this.#compile(node);
    this.#nodes.set(node, term);
    return term;
  }

  #compile(node: SchemaIR): Term {
    const table = this.#table;
    switch (node.kind) {
      case "any":
        return table.any;
      case "never":
        return table.never;
      case "null":
      case "boolean":
      case "number":
      case "string":
      case "array":
      case "object":
        return table.and([table.types(bitOf(node.kind)), ...this.#rules(node)]);
      case "types": {
        const types = node.members.reduce((all, { kind }) => all | bitOf(kind), 0);
        return table.and([table.types(types), ...node.members.flatMap((member) => this.#rules(member))]);
      }
      case "literal":
        return table.literal(node.values);
      case "anyOf":
        return table.or(node.members.map((member) => this.compile(member)));
      case "oneOf":
        return this.#oneOf(node);
      case "allOf":
        return table.and(node.members.map((member) => this.compile(member)));
      case "not":
        return table.not(this.compile(node.schema));
      case "if": {
        const condition = this.compile(node.if);
        const yes = this.#compileOrAny(node.then);
        const no = this.#compileOrAny(node.else);
        return table.and([table.or([table.not(condition), yes]), table.or([condition, no])]);
      }
      case "ref":
        return this.#target(node.target);
      case "unevaluated":
        return this.#unevaluated(node);
      case "interpreted":
        return this.compile(node.rule);
      default:
        return node satisfies never;
    }
  }

  #target(target: string): Term {
    const cached = this.#targets.get(target);
    if (cached !== undefined) return cached;
    const open = (): Term => {
      const node = this.#definitions.get(target);
      return node === undefined ? this.#table.any : this.compile(node);
    };
    if (this.#open.has(target) || this.#open.size >= MAX_NESTED)
      return this.#table.later(`${this.#label}${target}`, open);
    this.#open.add(target);
    const term = open();
    this.#open.delete(target);
    this.#targets.set(target, term);
    return term;
  }

  #oneOf({ members }: OneOfNode): Term {
    const table = this.#table;
    const terms = members.map((member) => this.compile(member));
    if (areAllDisjoint(members, this.#definitions)) return table.or(terms);
    if (terms.length > MAX_EXCLUSIVE) {
      const key = terms.map(({ id }) => id).sort();
      return table.and([table.or(terms), table.opaque(`oneOf ${key.join()}`)]);
    }
    return table.or(
      terms.map((term, index) => {
        const others = terms.filter((_, position) => position !== index);
        return table.and([term, table.not(table.or(others))]);
      }),
    );
  }

  #unevaluated(node: UnevaluatedNode): Term {
    const { diagnostics } = this.#simplifier;
    const before = diagnostics.length;
    const simple = this.#simplifier.simplify(node);
    if (simple.kind !== "interpreted" && diagnostics.length === before) return this.compile(simple);
    const text = JSON.stringify(node, (key, value: unknown) =>
      key === "at" || key === "annotations" ? undefined : value,
    );
    // The same reference may have another target in another document.
    const label = text.includes('"kind":"ref"') ? this.#label : "";
    return this.#table.and([this.compile(node.schema), this.#table.opaque(`${label}${text}`)]);
  }

  #rules(node: TypedNode): readonly Term[] {
    switch (node.kind) {
      case "null":
      case "boolean":
        return [];
      case "number":
        return this.#numberRules(node);
      case "string":
        return this.#stringRules(node);
      case "array":
        return this.#arrayRules(node);
      case "object":
        return this.#objectRules(node);
      default:
        return node satisfies never;
    }
  }

  #numberRules(node: NumberNode): readonly Term[] {
    const divisors = [node.isInteger ? 1 : undefined, node.multipleOf].filter((by) => by !== undefined);
    return [
      ...divisors.map((by) => this.#table.atom({ kind: "multipleOf", of: "number", by })),
      ...boundsOf(node).map(([keyword, bound]) => {
        const isExclusive = keyword.startsWith("exclusive");
        const kind = isLowerBound(keyword) ? "lower" : "upper";
        return this.#table.atom({ kind, of: "number", bound, isExclusive });
      }),
    ];
  }

  #size(of: "string" | "array" | "object", min = 0, max = Infinity): readonly Term[] {
    const limit = { of, isExclusive: false };
    const lower = min <= 0 ? [] : [{ ...limit, kind: "lower" as const, bound: Math.ceil(min) }];
    const upper = max === Infinity ? [] : [{ ...limit, kind: "upper" as const, bound: Math.floor(max) }];
    return [...lower, ...upper].map((bound) => this.#table.atom(bound));
  }

  #stringRules({ minLength, maxLength, pattern, assertedFormat: format }: StringNode): readonly Term[] {
    const split = pattern === undefined ? undefined : splitLengthLookahead(pattern);
    const patterns = split?.patterns ?? (pattern === undefined ? [] : [pattern]);
    return [
      ...this.#size("string", minLength, maxLength),
      ...this.#size("string", split?.minLength, split?.maxLength),
      ...patterns.filter((each) => !matchesAll(each)).flatMap((each) => this.#matchRules(each)),
      ...(format === undefined ? [] : [this.#table.atom({ kind: "format", of: "string", format })]),
    ];
  }

  #matchRules(pattern: string): readonly Term[] {
    // A pattern that rejects the empty string requires at least one character.
    const least = matchPattern(pattern, "") === false ? 1 : 0;
    return [...this.#size("string", least), this.#table.atom({ kind: "pattern", of: "string", pattern })];
  }

  #arrayRules({ contains, items, prefix, minItems, maxItems, uniqueItems }: ArrayNode): readonly Term[] {
    const table = this.#table;
    const rest = this.#compileOrAny(items);
    const rules: Term[] = [];
    const add = (atom: Parameters<TermTable["atom"]>[0]): number => rules.push(table.atom(atom));
    for (const [index, item] of prefix.entries()) {
      const term = this.compile(item);
      if (term !== table.any) add({ kind: "item", of: "array", index, term });
    }
    const isClosed = rest === table.never;
    if (rest !== table.any && !isClosed) add({ kind: "rest", of: "array", from: prefix.length, term: rest });
    if (uniqueItems) add({ kind: "unique", of: "array" });
    if (contains !== undefined) {
      const { min, max } = contains;
      const term = this.compile(contains.schema);
      if (min > 0) add({ kind: "contains", of: "array", term, min });
      if (max !== undefined) add({ kind: "containsAtMost", of: "array", term, max });
    }
    const most = isClosed ? Math.min(maxItems ?? Infinity, prefix.length) : maxItems;
    return [...this.#size("array", minItems, most), ...rules];
  }

  #objectRules(node: ObjectNode): readonly Term[] {
    const table = this.#table;
    const has = (name: string): Term => table.atom({ kind: "required", of: "object", name });
    // A property that accepts any value is still a declared name, and so are one that matches a pattern
    // and one with a rule about its presence.
    const declared = node.properties.filter(({ isDeclared }) => isDeclared);
    const rules = node.properties.filter(({ isRequired }) => isRequired).map(({ name }) => has(name));
    const add = (atom: Parameters<TermTable["atom"]>[0]): number => rules.push(table.atom(atom));
    const addRest = (names: ReadonlySet<string>, patterns: readonly string[], term: Term): void => {
      if (term !== table.any) add({ kind: "additional", of: "object", names, patterns, term });
    };
    for (const { name, schema } of declared)
      add({ kind: "property", of: "object", name, term: this.compile(schema) });
    for (const { pattern, schema } of node.patterns) {
      const term = this.compile(schema);
      // A pattern that matches every name is a rule for all properties.
      if (matchesAll(pattern)) addRest(new Set(), [], term);
      else add({ kind: "matching", of: "object", pattern, term });
    }
    const patterns = node.patterns.map(({ pattern }) => pattern);
    if (!patterns.some(matchesAll))
      addRest(new Set(declared.map(({ name }) => name)), patterns, this.#compileOrAny(node.additional));
    const names = this.#compileOrAny(node.names);
    if (!isOfEveryName(names)) add({ kind: "names", of: "object", term: names });
    for (const { name, required, schema } of node.dependents) {
      for (const each of [name, ...required])
        add({ kind: "property", of: "object", name: each, term: table.any });
      const then = table.and([...required.map(has), this.#compileOrAny(schema)]);
      // The rule does not apply to values that are not objects.
      rules.push(table.or([table.not(table.types(bitOf("object"))), table.not(has(name)), then]));
    }
    return [...this.#size("object", node.minProperties, node.maxProperties), ...rules];
  }

  #compileOrAny(node: SchemaIR | undefined): Term {
    return node === undefined ? this.#table.any : this.compile(node);
  }
}

const BOUNDS = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"] as const;

/**
 * Returns the bounds of a number that callers can reach, by keyword. Converters write ±9007199254740991 on every integer:
 * larger integers are not exact in JavaScript, and RFC 8259 (section 6) does not guarantee them elsewhere.
 */
export function boundsOf(node: NumberNode): readonly (readonly [(typeof BOUNDS)[number], number])[] {
  return BOUNDS.flatMap((keyword) => {
    const bound = node[keyword];
    if (bound === undefined || (node.isInteger && !isReachable(keyword, bound))) return [];
    return [[keyword, bound] as const];
  });
}

function isReachable(keyword: (typeof BOUNDS)[number], bound: number): boolean {
  const outermost = keyword.startsWith("exclusive") ? Number.MAX_SAFE_INTEGER + 1 : Number.MAX_SAFE_INTEGER;
  return isLowerBound(keyword) ? bound > -outermost : bound < outermost;
}

export function isLowerBound(keyword: (typeof BOUNDS)[number]): boolean {
  return keyword === "minimum" || keyword === "exclusiveMinimum";
}
