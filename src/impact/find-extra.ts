import { ts } from "ts-morph";
import type { Change } from "../contract/change.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { findAt, joinPointer } from "../contract/json-pointer.js";
import type { ChangePlace } from "./change-place.js";
import { findValues } from "./find-values.js";
import type { Hit } from "./find-rejected.js";
import { describeExtra } from "./describe-hit.js";

/** The rule for an input schema that no longer accepts additional properties. */
export const CLOSED_INPUT = "input-additional-properties-closed";

/**
 * Finds calls that pass properties which a newly closed input schema never declared. TypeScript accepts a variable
 * whose type has more properties, and the call sends all of them.
 */
export function findExtra(
  start: ts.Expression,
  change: Change,
  place: ChangePlace,
  schemas: { readonly old: JsonValue | undefined; readonly now: JsonValue | undefined },
  checker: ts.TypeChecker,
): readonly Hit[] {
  const [old, now] = [schemas.old, schemas.now].map((schema) => objectAt(schema, place.schema));
  if (old === undefined || now === undefined) return [];
  return findValues(start, place.steps, checker).flatMap(({ node }): readonly Hit[] => {
    const extra = propertiesOf(expressionOf(node), checker).filter(
      ({ name }) => !names(old, name) && !names(now, name),
    );
    const [first] = [...extra].sort((a, b) => Number(a.isOptional) - Number(b.isOptional));
    if (first === undefined) return [];
    const effect = first.isOptional ? "may-be-rejected" : "rejected";
    return [{ change, node, says: describeExtra(extra.map(({ name }) => name)), effect }];
  });
}

function objectAt(schema: JsonValue | undefined, segments: readonly string[]): JsonObject | undefined {
  const found = schema === undefined ? undefined : findAt(schema, joinPointer("", ...segments));
  return isJsonObject(found) ? found : undefined;
}

/** Whether a schema declares a property, by name or possibly by a pattern. */
function names(schema: JsonObject, name: string): boolean {
  const properties = getOwn(schema, "properties");
  return (
    (isJsonObject(properties) && Object.hasOwn(properties, name)) ||
    Object.hasOwn(schema, "patternProperties")
  );
}

/** The value at a node; for a property, its initializer. */
function expressionOf(node: ts.Node): ts.Node {
  const { parent } = node;
  return ts.isPropertyAssignment(parent) && parent.name === node ? parent.initializer : node;
}

interface Property {
  readonly name: string;
  /** Whether the property is optional. */
  readonly isOptional: boolean;
}

function propertiesOf(node: ts.Node, checker: ts.TypeChecker): readonly Property[] {
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
