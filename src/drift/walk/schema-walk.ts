import { formatNumber } from "../../core/printable.js";
import type { ChangeClass } from "../../core/change.js";
import type { JsonValue } from "../../core/json.js";
import type { SchemaIR } from "../../core/schema-ir.js";
import { diffArrays, diffValues } from "./diff-values.js";
import { diffAsUnion, diffConstraints, diffUnions } from "./diff-unions.js";
import { diffNotes } from "./diff-notes.js";
import { diffObjects } from "./diff-objects.js";
import type { Prover } from "../inclusion/prover.js";
import type { Term } from "../inclusion/term.js";
import { flattenSchema } from "./flatten-schema.js";
import { type Difference, isSameJson } from "../../core/json-pointer.js";
import type {
  FlatSchema,
  PendingChange,
  PendingChangeDetails,
  PlacePair,
  VarianceContext,
  Walk,
} from "./walk.js";
import { SameParts, type SchemaSide } from "./schema-side.js";
import type { SchemaReading } from "../finding.js";
import { SIDED_RULES, type SidedRuleName } from "../rules.js";
import type { ToolSide, SidedRule } from "../rules/named-rules.js";

/** The deepest nesting of schemas that is compared. Real schemas nest 14 deep. */
const MAX_DEPTH = 400;
/**
 * The largest number of pairs of schemas that are compared. Real schemas have some hundreds, but definitions that refer to
 * each other have as many as the product of their numbers.
 */
const MAX_PAIRS = 50_000;

const UNION_REASON = "Another branch of the union may accept the values that this branch rejects.";
const NO_PROOF_REASON = "No proof was found that the change is safe, and none that it is breaking.";
const UNPROVED_REASON =
  "The effect of the change depends on the surrounding schemas, and no proof was found.";

/** Compares two schemas place by place and classifies each change, with a proof if the place alone does not decide. */
export class SchemaWalk implements Walk {
  readonly side: ToolSide;
  readonly old: SchemaSide;
  readonly now: SchemaSide;
  readonly assertsFormats: boolean;
  readonly #isStrict: boolean;
  readonly #prover: Prover;
  readonly #same: SameParts;
  readonly #ids = new Map<SchemaIR, number>();
  readonly #visited = new Set<string>();
  #depth = 0;
  /** Whether the walk stopped at the deepest nesting. */
  isCut = false;
  /** The limit that left pairs of schemas uncompared; undefined if all were compared. */
  limit: string | undefined;

  constructor(side: ToolSide, old: SchemaSide, now: SchemaSide, prover: Prover, reading: SchemaReading = {}) {
    this.side = side;
    this.old = old;
    this.now = now;
    this.assertsFormats = reading.formats === "assert";
    this.#isStrict = side === "output" && reading.validateOutput === "strict";
    this.#prover = prover;
    this.#same = new SameParts(old, now);
  }

  diff(before: SchemaIR, after: SchemaIR, context: VarianceContext): readonly PendingChange[] {
    if (this.#isUnchanged(before, after)) return [];
    if (this.#depth >= MAX_DEPTH) {
      this.isCut = true;
      return [];
    }
    this.#depth += 1;
    const [old, now] = [this.old.follow(before), this.now.follow(after)];
    const [was, is] = [flattenSchema(old, this.old), flattenSchema(now, this.now)];
    const pendingChanges = [
      ...diffNotes(before, after, was, is, this),
      ...this.#diffShapes(old, now, was, is, context),
    ];
    this.#depth -= 1;
    const references = [after, before].flatMap((node) => (node.kind === "ref" ? [node.at] : []));
    const via = [...references, ...is.references, ...was.references].find((at) => this.isChangedAt(at));
    if (via === undefined) return pendingChanges;
    return pendingChanges.map((pending) =>
      pending.via !== undefined || this.isChangedAt(pending.at) ? pending : { ...pending, via },
    );
  }

  report(
    name: SidedRuleName,
    at: string,
    details: PendingChangeDetails,
    context: VarianceContext,
  ): readonly PendingChange[] {
    const rule = SIDED_RULES[name];
    const { before, after } = details;
    const judged = details.class ?? this.#classOf(rule);
    const { reason = judged === "unknown" ? NO_PROOF_REASON : undefined } = details;
    // A change that also breaks types needs no counterexample.
    const needsWitness = rule.isOfTypes !== true || rule.underStrict !== undefined;
    const unwitnessed = judged === "breaking" && needsWitness ? "unknown" : judged;
    const isOpen = rule.isProved === true;
    const pending = { name, at, before, after, unwitnessed, isOpen, reason };
    if (rule.isProved !== true && rule.isOfTypes !== true) return [{ ...pending, class: judged }];
    if (!context.isMonotone)
      return [
        {
          ...pending,
          name: "schema-changed",
          class: "unknown",
          unwitnessed: "unknown",
          isOpen: true,
          reason: UNPROVED_REASON,
        },
      ];
    if (rule.isProved === true && judged === "breaking" && !context.isCertain)
      return [{ ...pending, class: "unknown", unwitnessed: "unknown", reason: UNION_REASON }];
    return [{ ...pending, class: judged }];
  }

  findChanged(first: string, ...others: readonly string[]): string {
    return [first, ...others].find((at) => this.isChangedAt(at)) ?? first;
  }

  isChangedAt(at: string): boolean {
    return areDifferent(this.old.read(at), this.now.read(at));
  }

  listChangedKeywords({ was, is }: PlacePair, ...pointers: readonly string[]): readonly Difference[] {
    const sites = [...new Set([...is.sites, ...was.sites])];
    return sites.flatMap((site) =>
      pointers.flatMap((pointer) => {
        const at = site + pointer;
        const before = was.sites.includes(site) ? this.old.read(at) : undefined;
        const after = is.sites.includes(site) ? this.now.read(at) : undefined;
        return areDifferent(before, after) ? [{ at, before, after }] : [];
      }),
    );
  }

  #classOf(rule: SidedRule): ChangeClass {
    return (this.#isStrict ? rule.underStrict : undefined) ?? rule[this.side];
  }

  isSafe(before: SchemaIR, after: SchemaIR): boolean {
    const [old, now] = [this.old.term(before), this.now.term(after)];
    // Assume that callers pass no undeclared property. Otherwise no new optional property would be safe.
    return this.side === "input"
      ? this.#prover.isIncluded(old, now, true)
      : this.#prover.isIncluded(now, old);
  }

  /** Whether a proof shows that the whole schema rejects nothing it must accept. Then no instance can show a change. */
  refusesNothing(): boolean {
    const [old, now] = [this.old.term(this.old.parsed.ir), this.now.term(this.now.parsed.ir)];
    return this.side === "input" ? this.#prover.isIncluded(old, now) : this.#prover.isIncluded(now, old);
  }

  /** Whether two schemas are proved to accept the same values. */
  #isSame(before: SchemaIR, after: SchemaIR): boolean {
    const [old, now] = [this.old.term(before), this.now.term(after)];
    return old === now || (this.#prover.isIncluded(old, now) && this.#prover.isIncluded(now, old));
  }

  areDisjoint(one: Term, other: Term): boolean {
    return this.#prover.isDisjoint(one, other);
  }

  #diffShapes(
    old: SchemaIR,
    now: SchemaIR,
    was: FlatSchema,
    is: FlatSchema,
    context: VarianceContext,
  ): readonly PendingChange[] {
    // A reference may lead to the same pair again.
    const key = [
      this.#idOf(old),
      this.#idOf(now),
      context.isMonotone,
      context.isCertain,
      context.isAlone,
    ].join();
    if (this.#visited.has(key)) return [];
    if (this.#visited.size >= MAX_PAIRS) {
      this.limit = `More than ${formatNumber(MAX_PAIRS)} pairs of subschemas would have to be compared.`;
      return [];
    }
    this.#visited.add(key);
    const place = { old, now, was, is, context };
    const asUnion = diffAsUnion(place, this);
    if (asUnion !== undefined) return this.#settle(place, asUnion);
    return this.#settle(place, [
      ...diffValues(place, this),
      ...diffObjects(place, this),
      ...diffArrays(place, this),
      ...diffUnions(place, this),
      ...diffConstraints(place, this),
    ]);
  }

  /**
   * Tries to decide open changes with a proof about the whole place. Outside unions, the whole schema rejects every value
   * that this place rejects, so no later proof can change the result.
   */
  #settle(place: PlacePair, pendingChanges: readonly PendingChange[]): readonly PendingChange[] {
    const settled = pendingChanges.some(({ isOpen }) => isOpen)
      ? this.#judge(place, pendingChanges)
      : pendingChanges;
    return place.context.isAlone ? settled.map((pending) => ({ ...pending, isOpen: false })) : settled;
  }

  #judge(
    { old, now, context }: PlacePair,
    pendingChanges: readonly PendingChange[],
  ): readonly PendingChange[] {
    if (this.#isSame(old, now))
      return pendingChanges.filter(({ name, isOpen }) => !isOpen || SIDED_RULES[name].isOfTypes === true);
    const isDoubtful = ({ name, isOpen, class: judged }: PendingChange): boolean =>
      isOpen &&
      (judged === "breaking" || judged === "unknown" || SIDED_RULES[name].underStrict !== undefined);
    // Below a `not`, a proof about this place proves the opposite for the whole.
    if (!context.isMonotone || !pendingChanges.some(isDoubtful)) return pendingChanges;
    if (!this.isSafe(old, now)) {
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
    const [[old, ...olds], [now, ...nows]] = [this.old.pointersOf(before), this.now.pointersOf(after)];
    if (old === undefined || now === undefined || olds.length + nows.length > 0) return false;
    return this.#same.areSame(this.old.read(old), this.now.read(now));
  }

  #idOf(node: SchemaIR): number {
    const id = this.#ids.get(node) ?? this.#ids.size;
    this.#ids.set(node, id);
    return id;
  }
}

function areDifferent(old: JsonValue | undefined, now: JsonValue | undefined): boolean {
  return old === undefined || now === undefined ? old !== now : !isSameJson(old, now);
}
