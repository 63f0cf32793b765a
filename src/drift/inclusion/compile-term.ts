import type {
  ArrayNode,
  Definitions,
  NumberNode,
  ObjectNode,
  OneOfNode,
  ParsedSchema,
  PatternProperties,
  SchemaIR,
  StringNode,
  TypedNode,
  UnevaluatedNode,
} from "../../core/schema-ir.js";
import { bitOf, areAllDisjoint } from "../../schema/ir/node-types.js";
import { Simplifier } from "../../schema/ir/simplify.js";
import { matchesAll, matchPattern, splitLengthLookahead } from "./evaluate-term.js";
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
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
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
        const [then, otherwise] = [node.then, node.else].map((branch) =>
          branch === undefined ? table.any : this.compile(branch),
        );
        const [yes, no] = [then ?? table.any, otherwise ?? table.any];
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
    const known = this.#targets.get(target);
    if (known !== undefined) return known;
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
    const known = diagnostics.length;
    const simple = this.#simplifier.simplify(node);
    if (simple.kind !== "interpreted" && diagnostics.length === known) return this.compile(simple);
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
    const table = this.#table;
    const by = (divisor: number): Term => table.atom({ kind: "multipleOf", of: "number", by: divisor });
    return [
      ...(node.isInteger ? [by(1)] : []),
      ...(node.multipleOf === undefined ? [] : [by(node.multipleOf)]),
      ...boundsOf(node).map(([keyword, bound]) =>
        table.atom({
          kind: isLowerBound(keyword) ? "lower" : "upper",
          of: "number",
          bound,
          isExclusive: keyword.startsWith("exclusive"),
        }),
      ),
    ];
  }

  #size(
    of: "string" | "array" | "object",
    min: number | undefined,
    max: number | undefined,
  ): readonly Term[] {
    const table = this.#table;
    return [
      ...(min === undefined || min <= 0
        ? []
        : [table.atom({ kind: "lower", of, bound: Math.ceil(min), isExclusive: false })]),
      ...(max === undefined
        ? []
        : [table.atom({ kind: "upper", of, bound: Math.floor(max), isExclusive: false })]),
    ];
  }

  #stringRules({ minLength, maxLength, pattern, assertedFormat }: StringNode): readonly Term[] {
    const table = this.#table;
    return [
      ...this.#size("string", minLength, maxLength),
      ...(pattern === undefined ? [] : this.#patternRules(pattern)),
      ...(assertedFormat === undefined
        ? []
        : [table.atom({ kind: "format", of: "string", format: assertedFormat })]),
    ];
  }

  #patternRules(pattern: string): readonly Term[] {
    const split = splitLengthLookahead(pattern);
    if (split === undefined) return this.#matchRules(pattern);
    const { minLength, maxLength, patterns } = split;
    return [
      ...this.#size("string", minLength, maxLength),
      ...patterns.flatMap((part) => this.#matchRules(part)),
    ];
  }

  #matchRules(pattern: string): readonly Term[] {
    if (matchesAll(pattern)) return [];
    return [
      // A pattern that rejects the empty string requires at least one character.
      ...(matchPattern(pattern, "") === false ? this.#size("string", 1, undefined) : []),
      this.#table.atom({ kind: "pattern", of: "string", pattern }),
    ];
  }

  #arrayRules(node: ArrayNode): readonly Term[] {
    const table = this.#table;
    const { contains } = node;
    const rest = node.items === undefined ? table.any : this.compile(node.items);
    const prefix = node.prefix.map((item) => this.compile(item));
    const sought = contains === undefined ? table.any : this.compile(contains.schema);
    const isClosed = rest === table.never;
    const most = isClosed ? Math.min(node.maxItems ?? Infinity, prefix.length) : node.maxItems;
    return [
      ...this.#size("array", node.minItems, most),
      ...prefix.flatMap((term, index) =>
        term === table.any ? [] : [table.atom({ kind: "item", of: "array", index, term })],
      ),
      ...(rest === table.any || isClosed
        ? []
        : [table.atom({ kind: "rest", of: "array", from: prefix.length, term: rest })]),
      ...(node.uniqueItems ? [table.atom({ kind: "unique", of: "array" })] : []),
      ...(contains === undefined || contains.min <= 0
        ? []
        : [table.atom({ kind: "contains", of: "array", term: sought, min: contains.min })]),
      ...(contains?.max === undefined
        ? []
        : [table.atom({ kind: "containsAtMost", of: "array", term: sought, max: contains.max })]),
    ];
  }

  #objectRules(node: ObjectNode): readonly Term[] {
    const table = this.#table;
    const additional = node.additional === undefined ? table.any : this.compile(node.additional);
    const names = node.names === undefined ? table.any : this.compile(node.names);
    const isForAll = ({ pattern }: PatternProperties): boolean => matchesAll(pattern);
    const rules = (covered: ReadonlySet<string>, patterns: readonly string[], term: Term): readonly Term[] =>
      term === table.any
        ? []
        : [table.atom({ kind: "additional", of: "object", names: covered, patterns, term })];
    const has = (name: string): Term => table.atom({ kind: "required", of: "object", name });
    return [
      ...this.#size("object", node.minProperties, node.maxProperties),
      ...node.properties.filter(({ isRequired }) => isRequired).map(({ name }) => has(name)),
      // A property that accepts any value is still a declared name.
      ...node.properties
        .filter(({ isDeclared }) => isDeclared)
        .map(({ name, schema }) =>
          table.atom({ kind: "property", of: "object", name, term: this.compile(schema) }),
        ),
      ...node.patterns.flatMap(({ pattern, schema }) => {
        const term = this.compile(schema);
        // A pattern that matches every name is a rule for all properties.
        if (matchesAll(pattern)) return rules(new Set(), [], term);
        return term === table.any ? [] : [table.atom({ kind: "matching", of: "object", pattern, term })];
      }),
      ...(node.patterns.some(isForAll)
        ? []
        : rules(
            new Set(node.properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name)),
            node.patterns.map(({ pattern }) => pattern),
            additional,
          )),
      ...(isOfEveryName(names) ? [] : [table.atom({ kind: "names", of: "object", term: names })]),
      ...node.dependents.map(({ name, required, schema }) =>
        // The rule does not apply to values that are not objects.
        table.or([
          table.not(table.types(bitOf("object"))),
          table.not(has(name)),
          table.and([...required.map(has), schema === undefined ? table.any : this.compile(schema)]),
        ]),
      ),
    ];
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
