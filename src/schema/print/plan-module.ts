import type { OptionRules } from "../../core/check-options.js";
import { findComponents, groupBy } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { splitPointer } from "../../core/json-pointer.js";
import type { JsonValue } from "../../core/json.js";
import {
  type Definitions,
  type Dialect,
  DIALECTS,
  type FormatRule,
  type SchemaDiagnostic,
  type SchemaIR,
  type TypedNode,
} from "../../core/schema-ir.js";
import { parseSchema } from "../ir/parse-schema.js";
import { Simplifier } from "../ir/simplify.js";
import { childrenOf, reachTargets, targetsOf } from "../ir/subschemas.js";
import type { SchemaDocuments } from "../raw/resolve-ref.js";
import { claimName, isName, isReservedWord, isTakenGlobal, toPascalCase } from "./identifiers.js";
import type { CheckName, PrintContext, Side } from "./print-type-text.js";
import { printProperty, printZod } from "./print-zod.js";

/** Options of a printed module. */
export interface TypesOptions {
  readonly name: string;
  /** The dialect of the schema. Default: the dialect that it declares, or 2020-12. */
  readonly dialect?: Dialect;
  readonly side?: Side;
  /** Other schemas that references may lead to, by address. Nothing is fetched. */
  readonly documents?: SchemaDocuments;
}

export const TYPES_OPTIONS: OptionRules<TypesOptions> = {
  name: "any",
  dialect: DIALECTS,
  side: ["input", "output"],
  documents: "any",
};

/** A schema ready to be printed: its declarations, the schema itself last. */
export interface SchemaPlan {
  readonly declarations: readonly Declaration[];
  readonly context: PrintContext;
}

export interface Declaration {
  readonly name: string;
  readonly node: SchemaIR;
  /** Whether it refers to itself, directly or through others. */
  readonly isRecursive: boolean;
  /** Whether it is the requested schema, which is exported. */
  readonly isRoot: boolean;
}

/** The names in use in one module. */
export interface ModuleNames {
  /** Names that are already declared. */
  readonly taken: Set<string>;
  /** The local name of each imported check. */
  readonly checks: Map<CheckName, string>;
}

interface PlanOptions {
  readonly name: string;
  readonly side: Side;
  readonly dialect?: Dialect | undefined;
  readonly defaultDialect?: Dialect | undefined;
  readonly formats?: FormatRule | undefined;
  readonly documents?: SchemaDocuments | undefined;
  readonly hasTypes: boolean;
  /** Default: false. */
  readonly hasMetadata?: boolean | undefined;
  /** Whether absent properties get their defaults. */
  readonly defaults?: "parse" | undefined;
  readonly names: ModuleNames;
}

/**
 * Parses and simplifies a schema, and names its definitions. Printing the declarations adds to `diagnostics`.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` as {@link parseSchema}; `USAGE` if `name` cannot be declared
 */
export function planSchema(schema: JsonValue, options: PlanOptions): SchemaPlan {
  const { name, names } = options;
  if (!isName(name) || isReservedWord(name) || isTakenGlobal(name)) {
    throw new McpCodegenError("USAGE", `"${name}" is not a valid name for a schema in TypeScript.`);
  }
  const parsed = parseSchema(schema, options);
  const simplifier = new Simplifier(parsed.definitions);
  const simplified = simplifier.simplify(parsed.ir);
  const defined = new Map<string, SchemaIR>();
  for (const pointer of parsed.definitions.keys()) {
    const node = pointer === "" ? simplified : simplifier.definition(pointer);
    if (node) defined.set(pointer, node);
  }
  const { root, definitions } = cutDeep(simplified, defined);

  const diagnostics: SchemaDiagnostic[] = [...parsed.diagnostics, ...simplifier.diagnostics];
  const { named, recursive } = findNamed(root, definitions);
  const checksReferences = named.length > 0 && countZodSteps(root, definitions) > MAX_ZOD_STEPS;
  if (checksReferences)
    diagnostics.push({
      code: "SCHEMA_FALLBACK",
      path: "",
      message: `The definitions refer to each other on more paths than Zod can follow (limit: ${MAX_ZOD_STEPS} steps), so each reference is a check.`,
    });
  names.taken.add(name);
  const suffix = options.side === "input" ? "Input" : "Output";
  const byPointer = new Map(
    named.map(
      (pointer) =>
        [pointer, pointer === "" ? name : claimName(wantedName(pointer), suffix, names.taken)] as const,
    ),
  );
  const declarations = named.flatMap((pointer): readonly Declaration[] => {
    const node = definitions.get(pointer);
    if (pointer === "" || node === undefined) return [];
    return [
      { name: byPointer.get(pointer) ?? name, node, isRecursive: recursive.has(pointer), isRoot: false },
    ];
  });
  return {
    declarations: [...declarations, { name, node: root, isRecursive: recursive.has(""), isRoot: true }],
    context: {
      side: options.side,
      definitions,
      sources: parsed.definitions,
      names: byPointer,
      checksReferences,
      hasTypes: options.hasTypes,
      hasMetadata: options.hasMetadata === true,
      defaults: options.defaults && options.side === "input" ? "fill" : undefined,
      diagnostics,
      printZod,
      printProperty,
      useCheck: (check) => useCheck(check, names),
    },
  };
}

function useCheck(check: CheckName, { checks, taken: names }: ModuleNames): string {
  const local = checks.get(check);
  if (local !== undefined) return local;
  let name: string = check;
  while (names.has(name)) name = `${name}Check`;
  names.add(name);
  checks.set(check, name);
  return name;
}

/** Returns the import specifiers of the checks in use, sorted. */
export function importsOf({ checks }: ModuleNames): readonly string[] {
  return [...checks]
    .map(
      ([check, name]) =>
        `${check === "Schema" ? "type " : ""}${check === name ? name : `${check} as ${name}`}`,
    )
    .sort();
}

/** Returns the definitions that become named declarations: recursive ones, ones that the author named, and large ones. */
function findNamed(
  root: SchemaIR,
  definitions: Definitions,
): { readonly named: readonly string[]; readonly recursive: ReadonlySet<string> } {
  const reached = [...reachTargets(root, definitions)];
  const nextOf = (target: string): readonly string[] => {
    const node = definitions.get(target);
    return node === undefined ? [] : [...targetsOf(node)].filter((next) => definitions.has(next));
  };
  const components = groupBy(findComponents(reached, nextOf), ([, component]) => component);
  const recursive = new Set(
    [...components.values()].flatMap((members) =>
      members
        .map(([target]) => target)
        .filter((target) => members.length > 1 || nextOf(target).includes(target)),
    ),
  );
  const named = reached.filter((target) => {
    const node = definitions.get(target);
    return recursive.has(target) || isNamedByAuthor(target) || (node !== undefined && !isLeaf(node));
  });
  return { named, recursive };
}

function wantedName(pointer: string): string {
  return toPascalCase(splitPointer(pointer).at(-1) ?? "");
}

function isNamedByAuthor(pointer: string): boolean {
  const container = splitPointer(pointer).at(-2);
  return container === "$defs" || container === "definitions";
}

// A leaf, such as a string with a pattern, is easier to read when it is repeated than as a named declaration.
function isLeaf(node: SchemaIR): boolean {
  return ["any", "never", "null", "boolean", "number", "string", "literal", "ref"].includes(node.kind);
}

/** How deep schemas may nest in one declaration: TypeScript rejects sixteen nested optional objects (TS2589). */
const MAX_DEPTH = 10;

/** Returns the same schema with parts that are too deep moved to definitions, under their addresses. */
function cutDeep(
  root: SchemaIR,
  definitions: Definitions,
): { readonly root: SchemaIR; readonly definitions: Definitions } {
  const cut = new Map<string, SchemaIR>();
  const shorten = (node: SchemaIR, depth: number): SchemaIR => {
    if (depth < MAX_DEPTH || !canBeNamed(node) || definitions.has(node.at) || cut.has(node.at))
      return mapParts(node, (part) => shorten(part, depth + 1));
    // Reserve the address before the parts are visited, so that none of them uses it.
    cut.set(node.at, node);
    cut.set(
      node.at,
      mapParts(node, (part) => shorten(part, 1)),
    );
    return { kind: "ref", at: node.at, target: node.at };
  };
  const shortened = shorten(root, 0);
  const entries = [...definitions].map(
    ([address, node]) => [address, address === "" ? shortened : shorten(node, 0)] as const,
  );
  return { root: shortened, definitions: new Map([...entries, ...cut]) };
}

/** Whether a schema may be moved to a definition. The members of `types` must stay in place. */
function canBeNamed(node: SchemaIR): boolean {
  return node.kind === "object" || node.kind === "array" || node.kind === "anyOf" || node.kind === "oneOf";
}

/** Maps the parts of a schema that have a type. Rules that are only checked stay unchanged. */
function mapParts(node: SchemaIR, map: (part: SchemaIR) => SchemaIR): SchemaIR {
  if (node.kind === "anyOf" || node.kind === "oneOf" || node.kind === "allOf")
    return { ...node, members: node.members.map(map) };
  if (node.kind === "types") return { ...node, members: node.members.map((member) => mapTyped(member, map)) };
  return node.kind === "object" || node.kind === "array" ? mapTyped(node, map) : node;
}

function mapTyped(node: TypedNode, map: (part: SchemaIR) => SchemaIR): TypedNode {
  if (node.kind === "object")
    return {
      ...node,
      properties: node.properties.map((property) => ({ ...property, schema: map(property.schema) })),
      additional: node.additional && map(node.additional),
    };
  if (node.kind === "array")
    return {
      ...node,
      prefix: node.prefix.map(map),
      items: node.items && map(node.items),
    };
  return node;
}

/**
 * The most schemas that Zod may visit when it looks for cycles: Zod 4.6 walks every path through the definitions, so a definition
 * that refers to the next one twice doubles the steps. A thousand steps take about a millisecond.
 */
export const MAX_ZOD_STEPS = 500_000;

/** Returns the steps of Zod's search for cycles, one for each schema on each path. Stops beyond {@link MAX_ZOD_STEPS}. */
export function countZodSteps(root: SchemaIR, definitions: Definitions): number {
  const outlines = new Map<SchemaIR, Outline>();
  const outline = (node: SchemaIR): Outline => {
    const shape = outlines.get(node) ?? outlineOf(node, definitions);
    outlines.set(node, shape);
    return shape;
  };
  let steps = 0;
  for (const start of [root, ...definitions.values()]) {
    const path = new Set<SchemaIR>([start]);
    const first = outline(start);
    steps += first.size;
    const open = [{ node: start, targets: first.targets, next: 0 }];
    for (let top = open.at(-1); top && steps <= MAX_ZOD_STEPS; top = open.at(-1)) {
      const target = top.targets[top.next++];
      if (target === undefined) {
        open.pop();
        path.delete(top.node);
      } else if (!path.has(target)) {
        const { size, targets } = outline(target);
        steps += size;
        path.add(target);
        open.push({ node: target, targets, next: 0 });
      }
    }
    if (steps > MAX_ZOD_STEPS) break;
  }
  return steps;
}

interface Outline {
  /** The number of schemas written in place. */
  readonly size: number;
  /** The definitions it refers to, once for each reference. */
  readonly targets: readonly SchemaIR[];
}

function outlineOf(node: SchemaIR, definitions: Definitions): Outline {
  const targets: SchemaIR[] = [];
  const parts: SchemaIR[] = [node];
  // The list grows during the loop.
  for (const part of parts) {
    const target = part.kind === "ref" ? definitions.get(part.target) : undefined;
    if (target !== undefined) targets.push(target);
    else parts.push(...childrenOf(part));
  }
  return { size: parts.length, targets };
}
