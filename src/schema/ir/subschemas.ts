import { isEqual, type JsonValue } from "../../core/json.js";
import type { Definitions, ObjectNode, Property, SchemaIR } from "../../core/schema-ir.js";
import { isChecked } from "../pattern/pattern.js";

/** Returns the definitions that a schema refers to, in the order of the references. */
export function targetsOf(node: SchemaIR, partsOf = childrenOf): ReadonlySet<string> {
  const targets = new Set<string>();
  const visit = (part: SchemaIR): void => {
    if (part.kind === "ref") targets.add(part.target);
    else partsOf(part).forEach(visit);
  };
  visit(node);
  return targets;
}

/** Returns the definitions that a schema refers to, also through others, from the nearest to the farthest. */
export function reachTargets(
  node: SchemaIR,
  definitions: Definitions,
  partsOf = childrenOf,
): ReadonlySet<string> {
  const reached = new Set(targetsOf(node, partsOf));
  // The set grows during the loop.
  for (const target of reached) {
    const definition = definitions.get(target);
    if (definition === undefined) reached.delete(target);
    else for (const next of targetsOf(definition, partsOf)) reached.add(next);
  }
  return reached;
}

/** Returns the subschemas of a schema, without the targets of references. */
export function childrenOf(node: SchemaIR): readonly SchemaIR[] {
  const some = (...nodes: readonly (SchemaIR | undefined)[]): readonly SchemaIR[] =>
    nodes.filter((part) => part !== undefined);
  switch (node.kind) {
    case "any":
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "literal":
    case "ref":
      return [];
    case "array":
      return [...node.prefix, ...some(node.items, node.contains?.schema)];
    case "object":
      return [
        ...node.properties.map(({ schema }) => schema),
        ...node.patterns.map(({ schema }) => schema),
        ...some(node.additional, node.names, ...node.dependents.map(({ schema }) => schema)),
      ];
    case "types":
    case "anyOf":
    case "oneOf":
    case "allOf":
      return node.members;
    case "not":
      return [node.schema];
    case "if":
      return some(node.if, node.then, node.else);
    case "interpreted":
      return [node.schema];
    case "unevaluated":
      return some(node.schema, node.properties, node.items);
    default:
      return node satisfies never;
  }
}

/** Returns the schemas in a node that judge values: of an interpreted one, the rule and not what is printed. */
export function judgingPartsOf(node: SchemaIR): readonly SchemaIR[] {
  return node.kind === "interpreted" ? [node.rule] : childrenOf(node);
}

/** Returns the schemas in a node that judge the same value. Properties and items are other values. */
export function sameValueParts(node: SchemaIR): readonly SchemaIR[] {
  if (node.kind === "object") return node.dependents.flatMap(({ schema }) => schema ?? []);
  if (node.kind === "unevaluated") return [node.schema];
  return node.kind === "array" ? [] : childrenOf(node);
}

interface WithDefinitions {
  readonly definitions: Definitions;
}

/**
 * Whether the code accepts more than the schema. Where a value must *not* fit, such code would reject valid values, so the
 * whole keyword is omitted.
 */
export function isApproximate(
  node: SchemaIR,
  { definitions }: WithDefinitions,
  seen: Set<string> = new Set(),
): boolean {
  if (node.kind === "string") return node.pattern !== undefined && !isChecked(node.pattern);
  if (node.kind === "object" && node.patterns.some(({ pattern }) => !isChecked(pattern))) return true;
  if (node.kind === "ref") {
    const target = seen.has(node.target) ? undefined : definitions.get(node.target);
    seen.add(node.target);
    return target !== undefined && isApproximate(target, { definitions }, seen);
  }
  return judgingPartsOf(node).some((child) => isApproximate(child, { definitions }, seen));
}

/** Kinds of schemas that evaluate other parts for other values. */
const BRANCHING: ReadonlySet<SchemaIR["kind"]> = new Set([
  "anyOf",
  "oneOf",
  "if",
  "unevaluated",
  "interpreted",
]);

/** Whether a schema evaluates the same properties and items for every value, since it has no branches. */
export function isFlat(
  node: SchemaIR,
  { definitions }: WithDefinitions,
  seen: Set<string> = new Set(),
): boolean {
  if (node.kind === "ref") {
    // Already visited; a target that is not flat would have ended the search.
    if (seen.has(node.target)) return true;
    seen.add(node.target);
    const target = definitions.get(node.target);
    return target !== undefined && isFlat(target, { definitions }, seen);
  }
  if (BRANCHING.has(node.kind)) return false;
  if (node.kind === "object") return node.dependents.every(({ schema }) => schema === undefined);
  if (node.kind === "array") return node.contains?.isEvaluated !== true;
  return node.kind === "not" || childrenOf(node).every((member) => isFlat(member, { definitions }, seen));
}

/** Returns the default of a schema: its own, that of a reference or a member of `allOf`, or one that branches share. */
export function findDefault(node: SchemaIR, definitions: Definitions): JsonValue | undefined {
  const stated = node.annotations?.default;
  if (stated !== undefined) return stated;
  const find = (part: SchemaIR): JsonValue | undefined => findDefault(part, definitions);
  if (node.kind === "unevaluated") return find(node.schema);
  if (node.kind === "allOf" || node.kind === "types")
    return node.members.map(find).find((value) => value !== undefined);
  if (node.kind === "anyOf" || node.kind === "oneOf") {
    const [first, ...others] = node.members.map(find);
    return first !== undefined && others.every((other) => isEqual(first, other)) ? first : undefined;
  }
  const target = node.kind === "ref" ? definitions.get(node.target) : undefined;
  return target && find(target);
}

/** Whether a definition has properties with defaults, in itself or in those that it refers to. */
export function hasDefaults(target: string, definitions: Definitions): boolean {
  const node = definitions.get(target);
  if (node === undefined) return false;
  const parts = [
    node,
    ...Array.from(reachTargets(node, definitions)).flatMap((each) => definitions.get(each) ?? []),
  ];
  // The list grows during the loop.
  for (const part of parts) {
    if (
      part.kind === "object" &&
      part.properties.some(({ schema }) => findDefault(schema, definitions) !== undefined)
    )
      return true;
    parts.push(...childrenOf(part));
  }
  return false;
}

/** Returns the schema of a property. A property that only `required` names has the schema of additional properties. */
export function schemaOfProperty(property: Property, node: ObjectNode): SchemaIR {
  if (property.isDeclared || node.patterns.length > 0) return property.schema;
  return node.additional ?? property.schema;
}
