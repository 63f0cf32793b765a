import { isJsonObject, type JsonObject, getOwn, type JsonValue } from "../../contract/json.js";
import { showSchema } from "../../contract/show-schema.js";
import { type RegisteredTool, categoryOf } from "../registry/registered-tool.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";
import type { Issue } from "../../validation/schema.js";
import { explainIssue } from "../../validation/explain-issue.js";

/** What a model has to know of a tool before it calls it. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string;
  /** `uncategorized` where it has none. */
  readonly category: string;
  readonly inputSchema: JsonObject;
  /** Absent where the tool promises nothing of its answer, or where only its checks are known. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** A tool as data, under the name that it is shown by. */
export function describeToolData(tool: RegisteredTool, name: string = tool.name): ToolFacts {
  const { input, output } = readSchemas(tool);
  return {
    name,
    description: tool.description ?? tool.title ?? "",
    category: categoryOf(tool),
    inputSchema: showSchema(input),
    ...(output && { outputSchema: showSchema(output) }),
    annotations: tool.annotations ?? {},
  };
}

/** The raw schemas of a tool, the one of its answer where it is known. */
export function readSchemas({ inputSchema, outputSchema }: RegisteredTool): {
  readonly input: JsonObject;
  readonly output: JsonObject | undefined;
} {
  return { input: readSchema(inputSchema) ?? { type: "object" }, output: readSchema(outputSchema) };
}

/** A tool by hand may have a schema that does not say itself. */
function readSchema(schema: (() => unknown) | undefined): JsonObject | undefined {
  try {
    if (schema === undefined) return undefined;
    const read: unknown = JSON.parse(JSON.stringify(schema()));
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** For a schema that cannot be read: the server will judge. */
const ANYTHING = "type Args = { [key: string]: unknown };";

/**
 * What a tool takes and answers as TypeScript: `type Args = { title: string };` and, where its output schema is known,
 * `type Result`. It takes a third of the tokens that the schemas take. What reads schemas is loaded when it is first asked for.
 */
export async function describeToolSignature(tool: RegisteredTool): Promise<string> {
  // The raw ones: what they mean depends on their `$schema`.
  const schemas = readSchemas(tool);
  const { printSignature } = await import("../../schema/print-signature.js");
  try {
    return printSignature(schemas, tool.dialect);
  } catch {
    return ANYTHING;
  }
}

/** A part with more characters is shown in outline: `describe_tool` shows the rest. */
const LONGEST_PART = 2_000;
const MOST_ISSUES = 10;
const MOST_DEFINITIONS = 20;

type Path = readonly string[];

/**
 * Returns the part of an input schema that issues are about, at its place: properties without an issue are
 * left out. Definitions that it refers to come along.
 */
export function relevantSubschema(schema: JsonObject, issues: readonly Issue[]): JsonObject {
  const explained = issues.slice(0, MOST_ISSUES).flatMap(explainIssue).slice(0, MOST_ISSUES);
  const part = prune(schema, explained.map(({ path }) => path.map(String)), schema); // prettier-ignore
  return { ...part, ...definitionsOf(part, schema) };
}

function prune(schema: JsonObject, paths: readonly Path[], root: JsonObject): JsonObject {
  const whole = withoutDefinitions(schema);
  if (paths.length === 0 || paths.some((path) => path.length === 0)) return shorten(whole);
  const properties = asObject(getOwn(schema, "properties"));
  const items = getOwn(schema, "items");
  const heads = new Map<string, Path[]>();
  for (const [head = "", ...rest] of paths) heads.set(head, [...(heads.get(head) ?? []), rest]);
  if ([...heads.keys()].every((head) => isJsonObject(getOwn(properties, head)))) {
    const kept = [...heads].map(
      ([head, rests]) => [head, prune(follow(getOwn(properties, head), root), rests, root)] as const,
    );
    const required = asList(getOwn(schema, "required")).filter(
      (name) => typeof name === "string" && heads.has(name),
    );
    return {
      type: "object",
      properties: Object.fromEntries(kept),
      ...(required.length > 0 && { required }),
    };
  }
  if (isJsonObject(items) && [...heads.keys()].every((head) => /^\d+$/.test(head)))
    return { type: "array", items: prune(follow(items, root), [...heads.values()].flat(), root) };
  // A key that the schema does not name, or alternatives: what there is says it.
  return shorten(whole);
}

/** The schema itself, or what it says at its top where that is too long. */
function shorten(schema: JsonObject): JsonObject {
  if (JSON.stringify(schema).length <= LONGEST_PART) return schema;
  const properties = Object.entries(asObject(getOwn(schema, "properties")));
  const outline = properties.map(([name, property]): readonly [string, JsonValue] => {
    const type = isJsonObject(property) ? getOwn(property, "type") : undefined;
    return [name, type === undefined ? {} : { type }];
  });
  const short = {
    type: getOwn(schema, "type") ?? "object",
    properties: Object.fromEntries(outline.slice(0, 50)),
    required: asList(getOwn(schema, "required")).slice(0, 50),
  };
  return JSON.stringify(short).length <= 2 * LONGEST_PART ? short : { type: short.type };
}

function withoutDefinitions(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !["$defs", "definitions", "$schema", "$id"].includes(key)),
  );
}

/** What a local reference points at, one step far; beside it nothing else is read. */
function follow(schema: JsonValue | undefined, root: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return {};
  const [container, name] = targetOf(getOwn(schema, "$ref")) ?? [];
  const target =
    container === undefined || name === undefined
      ? undefined
      : getOwn(asObject(getOwn(root, container)), name);
  return isJsonObject(target) ? target : schema;
}

/** The definitions that a part refers to, by themselves or through others. */
function definitionsOf(part: JsonObject, root: JsonObject): JsonObject {
  const found = new Map<string, Map<string, JsonValue>>();
  const open = refsIn(part);
  let count = 0;
  let size = 0;
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    const [container, name] = ref;
    const definition = getOwn(asObject(getOwn(root, container)), name);
    const known = found.get(container) ?? new Map<string, JsonValue>();
    if (definition === undefined || known.has(name)) continue;
    size += JSON.stringify(definition).length;
    if (count >= MOST_DEFINITIONS || size > LONGEST_PART) break;
    count += 1;
    found.set(container, known.set(name, definition));
    open.push(...refsIn(definition));
  }
  return Object.fromEntries([...found].map(([container, known]) => [container, Object.fromEntries(known)]));
}

type Target = readonly [container: string, name: string];

function refsIn(value: JsonValue): Target[] {
  const targets: Target[] = [];
  // Walked by the writer of JSON, which goes as deep as values do that were read from it.
  JSON.stringify(value, (key, inner: JsonValue) => {
    const target = key === "$ref" ? targetOf(inner) : undefined;
    if (target !== undefined) targets.push(target);
    return inner;
  });
  return targets;
}

function targetOf(ref: JsonValue | undefined): Target | undefined {
  const match = typeof ref === "string" ? /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(ref) : null;
  const [, container, name] = match ?? [];
  return container === undefined || name === undefined ? undefined : [container, name];
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
