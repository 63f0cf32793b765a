import type { IfNode, SchemaIR } from "../contract/schema-ir.js";
import { joinPointer } from "../contract/json-pointer.js";
import type { Constraint } from "./flat-schema.js";
import { parentOf, pointerOf } from "./schema-side.js";
import type { PendingChange, Place, SchemaWalk } from "./schema-walk.js";

/** The context below a `not` or an `if`, where a wider schema may make the whole narrower. */
const EITHER_WAY = { isMonotone: false, isCertain: false, isAlone: false };

/** Returns the changes of rules that are compared as a whole: `not`, `if`, and rules that cannot be merged. */
export function diffConstraints({ was, is, context }: Place, walk: SchemaWalk): readonly PendingChange[] {
  const added = [...is.constraints];
  const removed = was.constraints.filter((constraint) => {
    const index = added.findIndex(
      ({ node }) =>
        node.kind === constraint.node.kind && walk.old.term(constraint.node) === walk.now.term(node),
    );
    const [same] = index < 0 ? [] : added.splice(index, 1);
    return same === undefined;
  });
  const pairs = removed.flatMap((constraint): readonly (readonly [Constraint, Constraint])[] => {
    const index = added.findIndex(({ node }) => node.kind === constraint.node.kind);
    const [other] = index < 0 ? [] : added.splice(index, 1);
    return other === undefined ? [] : [[constraint, other]];
  });
  const paired = new Set(pairs.map(([constraint]) => constraint));
  return [
    ...pairs.flatMap(([old, now]) => diffConstraint(old, now, context, walk)),
    ...removed
      .filter((constraint) => !paired.has(constraint))
      .flatMap(({ at }) => walk.report("constraint-removed", at, { before: walk.old.read(at) }, context)),
    ...added.flatMap(({ at }) => walk.report("constraint-added", at, { after: walk.now.read(at) }, context)),
  ];
}

function diffConstraint(
  old: Constraint,
  now: Constraint,
  context: Place["context"],
  walk: SchemaWalk,
): readonly PendingChange[] {
  const [before, after] = [old.node, now.node];
  if (before.kind === "not" && after.kind === "not")
    return walk.diff(before.schema, after.schema, EITHER_WAY);
  if (before.kind === "if" && after.kind === "if") return diffConditions(before, after, context, walk);
  if (before.kind !== "unevaluated" && after.kind !== "unevaluated") return walk.diff(before, after, context);
  const details = { before: walk.old.read(old.at), after: walk.now.read(now.at) };
  return walk.report("schema-changed", now.at, details, EITHER_WAY);
}

function diffConditions(
  before: IfNode,
  after: IfNode,
  context: Place["context"],
  walk: SchemaWalk,
): readonly PendingChange[] {
  const isSame = walk.old.term(before.if) === walk.now.term(after.if);
  const inside = isSame ? { ...context, isCertain: false, isAlone: false } : EITHER_WAY;
  const branch = (key: "then" | "else"): readonly PendingChange[] => {
    const [old, now] = [before[key], after[key]];
    if (old === undefined && now === undefined) return [];
    const at = now === undefined ? joinPointer(parentOf(before.at), key) : pointerOf(walk.now, now);
    const any: SchemaIR = { kind: "any", at };
    return walk.diff(old ?? any, now ?? any, inside);
  };
  return [...walk.diff(before.if, after.if, EITHER_WAY), ...branch("then"), ...branch("else")];
}
