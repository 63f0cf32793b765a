import type { Diagnostic } from "../core/diagnostic.js";
import { McpCodegenError } from "../core/errors.js";
import { joinPointer } from "../core/json-pointer.js";
import { hasNumberText } from "../core/number-text.js";
import { oneLine } from "../core/printable.js";
import { getOwn, isEqual, type JsonObject, type JsonValue } from "../core/json.js";
import { listSchemas } from "../core/subschemas.js";
import type { Definitions, ObjectNode, SchemaDiagnostic, SchemaIR } from "../core/schema-ir.js";
import {
  childrenOf,
  type Choice,
  choicesOf,
  collectParts,
  findDefault,
  isApproximate,
} from "../schema/ir/subschemas.js";
import { isDisjoint } from "../schema/ir/node-types.js";
import { type ParseOptions, parseSchema } from "../schema/ir/parse-schema.js";
import { isChecked } from "../schema/pattern/pattern.js";
import { diagnoseToolSchemas, type ToolSchemas } from "../schema/print/print-modules.js";
import { compileValidator } from "../schema/validation/compile-validator.js";
import type { ToolTask } from "./render-task.js";

/** Returns the schemas of a tool as its module prints them. */
export function toolSchemasOf(task: ToolTask): ToolSchemas {
  const { definition, names, formats, dialect } = task;
  const outputSchema = task.output?.schema ?? getOwn(definition, "outputSchema");
  return {
    input: { schema: inputSchemaOf(definition), name: names.input },
    ...(names.output !== undefined &&
      outputSchema !== undefined && { output: { schema: outputSchema, name: names.output } }),
    formats,
    defaultDialect: dialect,
    isOpen: task.schemas === "open",
    taken: [
      ...["z", "defineTool", "server", "inputSchema", names.wrapper],
      ...(task.hasEnvironments ? ["Environment"] : []),
    ],
  };
}

/** Returns a tool's locked input schema; any object if it has none. */
export function inputSchemaOf(definition: JsonObject): JsonValue {
  return getOwn(definition, "inputSchema") ?? { type: "object" };
}

/** Returns diagnostics for defaults that are not sent, if the configuration sends defaults. */
export function diagnoseSending(task: ToolTask, { input }: ToolSchemas): readonly SchemaDiagnostic[] {
  if (task.defaults === undefined) return [];
  const { dialect, formats } = task;
  return diagnoseDefaults(input.schema, { defaultDialect: dialect, formats }).map((found) => ({
    ...found,
    path: `/inputSchema${found.path}`,
  }));
}

/** Returns a tool's diagnostics without rendering it; or the reason why it cannot be rendered. */
export function diagnoseTool(task: ToolTask): readonly Diagnostic[] {
  const { server, definition } = task;
  try {
    const schemas = toolSchemasOf(task);
    const found = [...diagnoseToolSchemas(schemas), ...diagnoseSending(task, schemas)];
    return found.map((one) => ({ ...one, server, tool: definition.name }));
  } catch (error) {
    const message = reasonOfRefusal(error);
    return [{ code: "TOOL_UNUSABLE", server, tool: definition.name, path: "", message }];
  }
}

/** Returns why a tool is refused. Throws an error that does not concern a tool, such as that of a missing package. */
export function reasonOfRefusal(error: unknown): string {
  if (error instanceof McpCodegenError && error.code === "SCHEMA_INVALID") return error.message;
  if (!(error instanceof Error) || ("code" in error && !(error instanceof McpCodegenError))) throw error;
  return `The tool could not be rendered, which is a bug in mcp-codegen: ${oneLine(error.message, 300)}`;
}

/**
 * Finds defaults that `defaults: "send"` does not always send although their key is absent: in one of several
 * branches that a value may match, in subschemas that are not evaluated, or rejected by their own schema.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read
 */
export function diagnoseDefaults(schema: JsonValue, options: ParseOptions): readonly SchemaDiagnostic[] {
  const { ir, definitions } = parseSchema(schema, options);
  const found = new Map<string, SchemaDiagnostic>();
  const schemas: Schemas = { definitions, stepsLeft: MOST_STEPS };
  for (const node of reachAll([ir, ...definitions.values()])) {
    for (const { stated, reason } of findUnsent(node, schemas)) {
      const { node: at, value } = stated;
      const path = at.annotations?.default === undefined ? at.at : joinPointer(at.at, "default");
      const message = `The default ${shorten(value)} is not sent ${reason}.`;
      if (!found.has(path)) found.set(path, { code: "DEFAULT_NOT_SENT", path, message });
    }
  }
  for (const [at, inner] of listSchemas(schema)) {
    const value = getOwn(inner, "default");
    if (value === undefined || !hasNumberText(value, inner)) continue;
    const path = joinPointer(at, "default");
    const message = `The default ${shorten(value)} is not sent, since JavaScript cannot hold its number.`;
    found.set(path, { code: "DEFAULT_NOT_SENT", path, message });
  }
  if (schemas.stepsLeft < 0) {
    const message = "The schema combines too many subschemas to list all defaults that are not sent.";
    found.set("", { code: "DEFAULT_NOT_SENT", path: "", message });
  }
  return [...found.values()];
}

/** A limit on visited subschemas, since hostile schemas refer to each other endlessly. */
const MOST_STEPS = 200_000;

interface Schemas {
  readonly definitions: Definitions;
  stepsLeft: number;
}

interface Stated {
  readonly node: SchemaIR;
  readonly place: string;
  readonly value: JsonValue;
}

interface Unsent {
  readonly stated: Stated;
  readonly reason: string;
}

function findUnsent(node: SchemaIR, schemas: Schemas): readonly Unsent[] {
  const because = (reason: string, all: readonly Stated[]): readonly Unsent[] =>
    all.map((stated) => ({ stated, reason }));
  const undecided = choicesOf(node).flatMap((choice) => findUndecided(choice, schemas));
  const leftOver = node.kind === "unevaluated" ? [node.properties, node.items] : [];
  return [
    ...because("where the value may also match another branch, which lacks this default", undecided),
    ...because(
      "in unevaluated parts",
      leftOver.flatMap((rule) => findStated(rule, schemas)),
    ),
    ...(node.kind === "object" ? findUnsentProperties(node, schemas, because) : []),
  ];
}

function findUnsentProperties(
  node: ObjectNode,
  schemas: Schemas,
  because: (reason: string, all: readonly Stated[]) => readonly Unsent[],
): readonly Unsent[] {
  const absent = node.properties.filter(({ isRequired }) => !isRequired);
  const unknown = absent.filter(({ schema }) => findDefault(schema, schemas.definitions) === undefined);
  const refused = absent.flatMap(({ schema }): readonly Stated[] => {
    const value = findDefault(schema, schemas.definitions);
    const isUnfit = value !== undefined && isRefused(value, schema, schemas);
    return isUnfit ? [{ node: schema, place: "", value }] : [];
  });
  const unread = node.patterns.filter(({ pattern }) => !isChecked(pattern)).map(({ schema }) => schema);
  const unmatched = unread.length > 0 ? [...unread, node.additional] : [];
  return [
    ...because("for an absent key, since it is unknown which branch its value would match", unknown.flatMap(({ schema }) => findBranchDefaults(schema, schemas))),
    ...because("since its own schema refuses it", refused),
    ...because("since a pattern of names is not checked", unmatched.flatMap((schema) => findStated(schema, schemas))),
  ]; // prettier-ignore
}

/** Finds defaults of a branch where another possible branch has a different default or none. */
function findUndecided(choice: Choice, schemas: Schemas): readonly Stated[] {
  const { branches } = choice;
  const isTold = (node: SchemaIR): boolean => !isApproximate(node, schemas);
  const mayBoth = (a: SchemaIR, b: SchemaIR): boolean => {
    if (choice.kind === "present") return false;
    if (choice.kind === "condition") return !isTold(choice.condition);
    return !(choice.isExclusive && isTold(a) && isTold(b)) && !areApart(a, b, schemas);
  };
  return branches.flatMap((branch) => {
    const others = branches.filter((other) => other !== branch && mayBoth(branch, other));
    if (others.length === 0) return [];
    const known = others.map((other) => findStated(other, schemas));
    return findStated(branch, schemas).filter(({ place, value }) =>
      others.some((other, index) => {
        const isShared =
          known[index]?.some((one) => one.place === place && isEqual(value, one.value)) === true;
        return !isShared && !requires(other, place, schemas);
      }),
    );
  });
}

function findStated(
  node: SchemaIR | undefined,
  schemas: Schemas,
  place = "",
  seen: ReadonlySet<SchemaIR> = new Set(),
): readonly Stated[] {
  schemas.stepsLeft -= 1;
  if (node === undefined || seen.has(node) || schemas.stepsLeft < 0) return [];
  const inside = new Set([...seen, node]);
  const below = (inner: SchemaIR | undefined, ...steps: readonly string[]): readonly Stated[] =>
    findStated(inner, schemas, joinPointer(place, ...steps), inside);
  const { objects, arrays, choices, unevaluated } = collectParts(node, schemas.definitions);
  return [
    ...unevaluated.flatMap(({ properties, items }) => [
      ...below(properties, "unevaluatedProperties"),
      ...below(items, "unevaluatedItems"),
    ]),
    ...objects.flatMap(({ properties, patterns, additional }) => [
      ...properties.flatMap(({ name, schema, isRequired }) => {
        const value = isRequired ? undefined : findDefault(schema, schemas.definitions);
        const own = value === undefined ? [] : [{ node: schema, place: joinPointer(place, name), value }];
        return [...own, ...below(schema, name)];
      }),
      ...patterns.flatMap(({ pattern, schema }) => below(schema, "patternProperties", pattern)),
      ...below(additional, "additionalProperties"),
    ]),
    ...arrays.flatMap(({ prefix, items }) => [
      ...prefix.flatMap((item, index) => below(item, String(index))),
      ...below(items, "items"),
    ]),
    ...choices.flatMap(({ branches }) => branches.flatMap((branch) => below(branch))),
  ];
}

function findBranchDefaults(node: SchemaIR, schemas: Schemas): readonly Stated[] {
  return collectParts(node, schemas.definitions).choices.flatMap(({ branches }) =>
    branches.flatMap((branch) => {
      const value = findDefault(branch, schemas.definitions);
      return value === undefined ? findBranchDefaults(branch, schemas) : [{ node: branch, place: "", value }];
    }),
  );
}

function areApart(a: SchemaIR, b: SchemaIR, { definitions }: Schemas): boolean {
  const [left, right] = [a, b].map((node) => [node, ...collectParts(node, definitions).objects]);
  return left?.some((one) => right?.some((other) => isDisjoint(one, other, definitions))) === true;
}

function requires(node: SchemaIR, place: string, schemas: Schemas): boolean {
  return collectParts(node, schemas.definitions).objects.some(({ properties }) =>
    properties.some(({ name, isRequired }) => isRequired && joinPointer("", name) === place),
  );
}

function isRefused(value: JsonValue, node: SchemaIR, schemas: Schemas): boolean {
  const verdict = compileValidator(node, schemas.definitions);
  const isEmpty = Array.isArray(value) && value.length === 0;
  return verdict(value) === false && !(isEmpty && verdict({}) !== false);
}

function reachAll(nodes: readonly SchemaIR[]): ReadonlySet<SchemaIR> {
  const reached = new Set(nodes);
  for (const node of reached) for (const child of childrenOf(node)) reached.add(child);
  return reached;
}

function shorten(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
