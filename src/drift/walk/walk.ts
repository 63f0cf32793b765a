import { formatNumber } from "../../core/printable.js";
import type { ChangeClass } from "../../core/change.js";
import { type Difference, isSameJson } from "../../core/json-pointer.js";
import type { JsonValue } from "../../core/json.js";
import type { ObjectNode, SchemaIR } from "../../core/schema-ir.js";
import { anyObjectNode } from "../../schema/ir/node-types.js";
import type { SchemaReading } from "../unconfirmed-change.js";
import type { Prover } from "../inclusion/prover.js";
import type { Term } from "../inclusion/term.js";
import { SIDED_RULES, type SidedRuleName } from "../rules.js";
import type { ToolSide } from "../rules/named-rules.js";
import { type FlatSchema, flattenSchema } from "./flatten-schema.js";
import { namesIn, pointerOf, SameParts, type SchemaSide } from "./schema-side.js";

/** The effect of the surrounding schemas on a place in two schemas. */
export interface VarianceContext {
  /** Whether a wider schema here makes the whole schema wider. */
  readonly isMonotone: boolean;
  /** Whether the whole also rejects every value that is rejected here: no other branch of a union can accept it. */
  readonly isCertain: boolean;
  /** Whether the place is outside unions. A proof about a whole union may succeed where a proof about a branch fails. */
  readonly isAlone: boolean;
}

/** A change inside a schema with its class so far. */
export interface PendingChange {
  readonly name: SidedRuleName;
  /** JSON Pointer into the schema. */
  readonly at: string;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  readonly class: ChangeClass;
  readonly reason?: string | undefined;
  /** The class if no counterexample is found. */
  readonly unwitnessed: ChangeClass;
  /** Whether a proof about a surrounding place may still show that it is safe, or drop it. */
  readonly isOpen: boolean;
  /** Whether it is safe only because callers pass no property that a schema does not name. */
  readonly isAssumed?: boolean | undefined;
}

export interface PendingChangeDetails {
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  readonly class?: ChangeClass | undefined;
  readonly reason?: string | undefined;
  /** Whether a proof decides, although changes with this name are most often about notes. */
  readonly isProved?: boolean | undefined;
  readonly isAssumed?: boolean | undefined;
}

/** The context of a whole schema. */
export const WHOLE: VarianceContext = { isMonotone: true, isCertain: true, isAlone: true };
/** The context below a `not` or an `if`, where a wider schema may make the whole narrower. */
export const EITHER_WAY: VarianceContext = { isMonotone: false, isCertain: false, isAlone: false };

/** Two schemas at one place, as written and with references followed, and their flat forms. */
export interface PlacePair {
  readonly writtenBefore: SchemaIR;
  readonly writtenAfter: SchemaIR;
  readonly before: SchemaIR;
  readonly after: SchemaIR;
  readonly flatBefore: FlatSchema;
  readonly flatAfter: FlatSchema;
  readonly context: VarianceContext;
  readonly beside: readonly ObjectPair[];
}

/** The rules for objects that schemas around a branch or a condition have for the same value. */
export interface ObjectPair {
  readonly before: ObjectNode | undefined;
  readonly after: ObjectNode | undefined;
  /** The whole old schema. */
  readonly whole: SchemaIR;
  /** Whether the old schema rejects all values that are not objects. */
  readonly isOfObjects: boolean;
}

/** Two schemas that contain some changes, and what is around them. */
export type JudgedPair = Pick<PlacePair, "before" | "after" | "context" | "beside">;

/** Returns the rules for objects that apply to the value of a place beside a branch or a condition in it. */
export function besideOf({ before, flatBefore, flatAfter, beside }: PlacePair): readonly ObjectPair[] {
  const isOfObjects = flatBefore.types?.size === 1 && flatBefore.types.has("object");
  return [...beside, { before: flatBefore.object, after: flatAfter.object, whole: before, isOfObjects }];
}

/** The deepest nesting of schemas that is compared. Real schemas nest 14 deep. */
const MAX_DEPTH = 400;
/**
 * The largest number of pairs of schemas that are compared. Real schemas have some hundreds, but definitions that refer to
 * each other have as many as the product of their numbers.
 */
const MAX_PAIRS = 50_000;

const UNKNOWN = { class: "unknown", unwitnessed: "unknown" } as const;
const UNION_REASON = "Another branch of the union may accept the values that this branch rejects.";
const NO_PROOF_REASON = "No proof was found that the change is safe, and none that it is breaking.";
const UNPROVED_REASON =
  "The effect of the change depends on the surrounding schemas, and no proof was found.";

/** Returns changes at a place. The walk gets these functions, since they walk on to the parts of the place. */
type Compare = (place: PlacePair, walk: Walk) => readonly PendingChange[];

/** Compares two schemas place by place and classifies each change, with a proof if the place alone does not decide. */
export class Walk {
  readonly side: ToolSide;
  readonly before: SchemaSide;
  readonly after: SchemaSide;
  /** Whether a string must match its `format`. */
  readonly assertsFormats: boolean;
  readonly #compare: { readonly notes: Compare; readonly rules: Compare };
  readonly #isStrict: boolean;
  readonly #prover: Prover;
  /** The names that callers of a schema may pass: by that schema, and by the schema that mentions them. */
  readonly #names = new Map<SchemaIR, Map<SchemaIR, ReadonlySet<string>>>();
  readonly #same: SameParts;
  readonly #ids = new Map<SchemaIR, number>();
  /** The changes of each pair of schemas; none while the pair is compared. */
  readonly #visited = new Map<string, readonly PendingChange[]>();
  #depth = 0;
  /** Whether the walk stopped at the deepest nesting. */
  isCut = false;
  /** The limit that left pairs of schemas uncompared; undefined if all were compared. */
  limit: string | undefined;

  constructor(
    side: ToolSide,
    [before, after]: readonly [SchemaSide, SchemaSide],
    prover: Prover,
    reading: SchemaReading,
    compare: { readonly notes: Compare; readonly rules: Compare },
  ) {
    this.side = side;
    this.before = before;
    this.after = after;
    this.#compare = compare;
    this.assertsFormats = reading.formats === "assert";
    this.#isStrict = side === "output" && reading.validateOutput === "strict";
    this.#prover = prover;
    this.#same = new SameParts(before, after);
  }

  /** Returns the changes between two schemas at the same place. `beside` are other rules for the same value. */
  diff(
    writtenBefore: SchemaIR,
    writtenAfter: SchemaIR,
    context: VarianceContext,
    beside: readonly ObjectPair[] = [],
  ): readonly PendingChange[] {
    if (this.#isUnchanged(writtenBefore, writtenAfter)) return [];
    if (this.#depth >= MAX_DEPTH) {
      this.isCut = true;
      return [];
    }
    this.#depth += 1;
    const before = this.before.follow(writtenBefore);
    const after = this.after.follow(writtenAfter);
    const flatBefore = flattenSchema(before, this.before);
    const flatAfter = flattenSchema(after, this.after);
    const place = { writtenBefore, writtenAfter, before, after, flatBefore, flatAfter, context, beside };
    const pendingChanges = [...this.#compare.notes(place, this), ...this.#diffRules(place)];
    this.#depth -= 1;
    return pendingChanges;
  }

  /** Returns a change of a rule, with the class for this side and context. */
  report(
    name: SidedRuleName,
    at: string,
    details: PendingChangeDetails,
    context: VarianceContext,
  ): readonly PendingChange[] {
    const rule = SIDED_RULES[name];
    const { before, after } = details;
    const judged = details.class ?? (this.#isStrict ? rule.underStrict : undefined) ?? rule[this.side];
    const { reason = judged === "unknown" ? NO_PROOF_REASON : undefined } = details;
    // A change that also breaks types needs no counterexample.
    const needsWitness = rule.isOfTypes !== true || rule.underStrict !== undefined;
    const unwitnessed = judged === "breaking" && needsWitness ? "unknown" : judged;
    const { isProved: isOpen = rule.isProved === true, isAssumed } = details;
    const pending = { name, at, before, after, unwitnessed, isOpen, isAssumed, reason };
    if (!isOpen && rule.isOfTypes !== true) return [{ ...pending, class: judged }];
    if (!context.isMonotone)
      return [{ ...pending, ...UNKNOWN, name: "schema-changed", isOpen: true, reason: UNPROVED_REASON }];
    if (isOpen && judged === "breaking" && !context.isCertain)
      return [{ ...pending, ...UNKNOWN, reason: UNION_REASON }];
    return [{ ...pending, class: judged }];
  }

  /** Returns the first of some JSON Pointers at which the schemas differ; the first one if none differs. */
  findChanged(first: string, ...others: readonly string[]): string {
    return [first, ...others].find((at) => this.isChangedAt(at)) ?? first;
  }

  /** Whether the schemas differ at a JSON Pointer. */
  isChangedAt(at: string): boolean {
    return !isSameJson(this.before.read(at), this.after.read(at));
  }

  /**
   * Returns each JSON Pointer at which one of some keywords of a flat schema changed, with the values of the keyword: it may
   * be written in several schemas.
   */
  listChangedKeywords(place: PlacePair, ...pointers: readonly string[]): readonly Difference[] {
    const sites = [...new Set([...place.flatAfter.sites, ...place.flatBefore.sites])];
    return sites.flatMap((site) =>
      pointers.flatMap((pointer) => {
        const at = site + pointer;
        const before = place.flatBefore.sites.has(site) ? this.before.read(at) : undefined;
        const after = place.flatAfter.sites.has(site) ? this.after.read(at) : undefined;
        return isSameJson(before, after) ? [] : [{ at, before, after }];
      }),
    );
  }

  /**
   * Whether a proof shows that the change breaks no caller that followed the old schema, with the rules beside it for the same
   * value.
   */
  isSafe(before: SchemaIR, after: SchemaIR, beside: readonly ObjectPair[] = []): boolean {
    const around = [
      ...beside.flatMap(({ before: object, isOfObjects }) =>
        object === undefined ? [] : isOfObjects ? [object] : [unlessOther(object)],
      ),
      ...(this.side === "input" ? this.#mentionedIn(before, beside) : []),
    ];
    const all: SchemaIR =
      around.length === 0 ? before : { kind: "allOf", at: before.at, members: [...around, before] };
    const termBefore = this.before.term(this.side === "input" ? all : before);
    const termAfter = this.after.term(after);
    // Assume that callers pass no undeclared property. Otherwise no new optional property would be safe.
    return this.side === "input"
      ? this.#prover.isIncluded(termBefore, termAfter, true)
      : this.#prover.isIncluded(termAfter, termBefore);
  }

  /**
   * The names that callers may pass in a value of an old schema: those that it mentions, and those of each schema around it.
   * Callers that follow one branch of a union pass nothing of a branch that no value of theirs fits.
   */
  namesPassed(before: SchemaIR, beside: readonly ObjectPair[]): readonly ReadonlySet<string>[] {
    const term = this.before.term(before);
    const namesBySchema = this.#names.get(before) ?? new Map<SchemaIR, ReadonlySet<string>>();
    this.#names.set(before, namesBySchema);
    return [before, ...beside.map(({ whole }) => whole)].map((schema) => {
      // What is under `not` is apart from its own schema, and callers may pass its names all the same.
      const isApart = (part: SchemaIR): boolean =>
        schema !== before && this.areDisjoint(this.before.term(part), term);
      const names = namesBySchema.get(schema) ?? namesIn(schema, this.before, isApart);
      namesBySchema.set(schema, names);
      return names;
    });
  }

  /** Declares the names that only a branch or a condition mentions, as callers may pass them. */
  #mentionedIn(before: SchemaIR, beside: readonly ObjectPair[]): readonly SchemaIR[] {
    const declared = new Set(
      [before, ...beside.flatMap((pair) => pair.before ?? [])].flatMap((node) =>
        node.kind === "object" ? node.properties.map(({ name }) => name) : [],
      ),
    );
    const mentioned = new Set(this.namesPassed(before, beside).flatMap((names) => [...names]));
    const names = [...mentioned].filter((name) => !declared.has(name));
    const { at } = before;
    const schema: SchemaIR = { kind: "any", at };
    const properties = names.map((name) => ({ name, isRequired: false, isDeclared: true, schema }));
    return properties.length === 0 ? [] : [unlessOther({ ...anyObjectNode(at), properties })];
  }

  /** Whether a proof shows that the whole schema rejects nothing it must accept. Then no instance can show a change. */
  refusesNothing(): boolean {
    const before = this.before.term(this.before.parsed.ir);
    const after = this.after.term(this.after.parsed.ir);
    const [from, to] = this.side === "input" ? [before, after] : [after, before];
    return this.#prover.isIncluded(from, to);
  }

  /** Whether a proof shows that the whole breaks no caller, or takes too many steps. */
  mayBeSafe(): boolean {
    return this.isSafe(this.before.parsed.ir, this.after.parsed.ir) || this.#prover.limit !== undefined;
  }

  #isSame(before: SchemaIR, after: SchemaIR): boolean {
    const term = this.before.term(before);
    const other = this.after.term(after);
    return term === other || (this.#prover.isIncluded(term, other) && this.#prover.isIncluded(other, term));
  }

  /** Whether a proof shows that no value fits both terms. */
  areDisjoint(term: Term, other: Term): boolean {
    return this.#prover.isDisjoint(term, other);
  }

  #diffRules(place: PlacePair): readonly PendingChange[] {
    const { isMonotone, isCertain, isAlone } = place.context;
    // A reference may lead to the same pair again.
    const around = place.beside.map(
      ({ whole, after }) => `${this.#idOf(whole)} ${after ? this.#idOf(after) : ""}`,
    );
    const ids = [this.#idOf(place.before), this.#idOf(place.after), ...around];
    const key = [isMonotone, isCertain, isAlone, ...ids].join();
    // What a union around one place makes safe may be breaking at another place.
    const earlier = this.#visited.get(key);
    if (earlier !== undefined) return earlier;
    if (this.#visited.size >= MAX_PAIRS) {
      this.limit = `More than ${formatNumber(MAX_PAIRS)} pairs of subschemas would have to be compared.`;
      return [];
    }
    this.#visited.set(key, []);
    const changes = this.#settle(place, [...new Set(this.#compare.rules(place, this))]);
    this.#visited.set(key, changes);
    return changes;
  }

  /**
   * Tries to decide open changes with a proof about the whole place. Outside unions, the whole schema rejects every value
   * that this place rejects, so no later proof can change the result.
   */
  #settle(place: PlacePair, pendingChanges: readonly PendingChange[]): readonly PendingChange[] {
    const settled = this.judge(place, pendingChanges);
    if (!place.context.isAlone) return settled;
    return settled.map((pending) => (pending.isOpen ? { ...pending, isOpen: false } : pending));
  }

  /** Decides open changes with a proof about two schemas that contain all of them. */
  judge(
    { before, after, context, beside }: JudgedPair,
    pendingChanges: readonly PendingChange[],
  ): readonly PendingChange[] {
    if (!pendingChanges.some(({ isOpen }) => isOpen)) return pendingChanges;
    if (this.#isSame(before, after))
      return pendingChanges.filter(({ name, isOpen }) => !isOpen || SIDED_RULES[name].isOfTypes === true);
    const isDoubtful = ({ name, isOpen, class: judged }: PendingChange): boolean =>
      isOpen &&
      (judged === "breaking" || judged === "unknown" || SIDED_RULES[name].underStrict !== undefined);
    // Below a `not`, a proof about this place proves the opposite for the whole.
    if (!context.isMonotone || !pendingChanges.some(isDoubtful)) return pendingChanges;
    if (!this.isSafe(before, after, beside)) {
      const { limit } = this.#prover;
      if (limit === undefined) return pendingChanges;
      return pendingChanges.map((pending) =>
        isDoubtful(pending) && pending.class === "unknown" ? { ...pending, reason: limit } : pending,
      );
    }
    return pendingChanges.map((pending) =>
      isDoubtful(pending) ? { ...pending, class: "safe", unwitnessed: "safe", reason: undefined } : pending,
    );
  }

  #isUnchanged(before: SchemaIR, after: SchemaIR): boolean {
    const [at, ...others] = this.before.pointersOf(before);
    const [atAfter, ...othersAfter] = this.after.pointersOf(after);
    if (at === undefined || atAfter === undefined || others.length + othersAfter.length > 0) return false;
    return this.#same.areSame(this.before.read(at), this.after.read(atAfter));
  }

  #idOf(node: SchemaIR): number {
    const id = this.#ids.get(node) ?? this.#ids.size;
    this.#ids.set(node, id);
    return id;
  }
}

/** A rule for objects that accepts all other values. */
function unlessOther(node: ObjectNode): SchemaIR {
  const { at } = node;
  return { kind: "anyOf", at, members: [{ kind: "not", at, schema: anyObjectNode(at) }, node] };
}

/** Reports a part that only the new schema has, with its JSON. */
export function reportAdded(walk: Walk, at: string, context: VarianceContext): readonly PendingChange[] {
  return walk.report("constraint-added", at, { after: walk.after.read(at) }, context);
}

/** Reports a part that only the old schema had, with its JSON. */
export function reportRemoved(walk: Walk, at: string, context: VarianceContext): readonly PendingChange[] {
  return walk.report("constraint-removed", at, { before: walk.before.read(at) }, context);
}

/** Compares a part that both schemas have; a part that only one has is a rule that was added or removed. */
export function diffPart(
  before: SchemaIR | undefined,
  after: SchemaIR | undefined,
  context: VarianceContext,
  walk: Walk,
): readonly PendingChange[] {
  if (before !== undefined && after !== undefined) return walk.diff(before, after, context);
  if (after !== undefined) return reportAdded(walk, pointerOf(walk.after, after), context);
  return before === undefined ? [] : reportRemoved(walk, pointerOf(walk.before, before), context);
}
