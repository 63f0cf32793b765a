import { omitUndefined } from "../../core/collections.js";
import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
} from "../../core/json.js";
import { nearestName } from "../../core/nearest-name.js";
import type { Issue } from "../../core/schema.js";
import { dropUnusedDefinitions, showSchema } from "../../core/show-schema.js";
import { explainIssues, jsonSchemaOf, toModelIssue, valueAtPath } from "../../schema/validation/schema.js";
import type { RegisteredTool } from "../../core/tool.js";
import { categoryNameOf } from "../../core/tool-name.js";
import { readJsonObject } from "../registry/registered-tool.js";
import type { ToolAnnotations } from "../../core/snapshot.js";
import { followReferences } from "../../core/subschemas.js";

interface ToolFacts {
  readonly name: string;
  readonly description: string;
  /** `uncategorized` for a tool without one. */
  readonly category: string;
  readonly inputSchema: JsonObject;
  /** Absent if the tool has no output schema, or if only generated code has it. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** Describes a tool to a model under a name. */
export function describeToolData(tool: RegisteredTool, name: string = tool.name): ToolFacts {
  const { input, output } = readSchemas(tool);
  return {
    name,
    description: tool.description ?? tool.title ?? "",
    category: categoryNameOf(tool),
    inputSchema: showSchema(input),
    ...(output && { outputSchema: showSchema(output) }),
    annotations: tool.annotations ?? {},
  };
}

export function readSchemas({ inputSchema, outputSchema }: RegisteredTool): {
  readonly input: JsonObject;
  readonly output: JsonObject | undefined;
} {
  return {
    // The schema of a hand-written tool may be any value, or throw.
    input: readJsonObject(inputSchema) ?? { type: "object" },
    output: outputSchema && readJsonObject(outputSchema),
  };
}

/** Returns the raw schemas for a signature, since their meaning depends on `$schema`. */
export function readSignatureSchemas(tool: RegisteredTool): ReturnType<typeof readSchemas> {
  const { input, output = readOutput(tool) } = readSchemas(tool);
  return { input, output };
}

/** Generated code has only a validator of answers, which Zod prints as JSON Schema since 4.2. */
function readOutput({ output }: RegisteredTool): JsonObject | undefined {
  const schema = output && jsonSchemaOf(output, "output");
  const isOpen = (key: string, value: JsonValue): boolean =>
    key === "additionalProperties" && isJsonObject(value) && Object.keys(value).length === 0;
  // An object that allows other keys would accept misspelt ones in a script.
  return readJsonObject(() =>
    JSON.parse(JSON.stringify(schema), (key, value: JsonValue) => (isOpen(key, value) ? undefined : value)),
  );
}

/** For a schema that cannot be read. */
const ANYTHING = "type Args = { [key: string]: unknown };";

/**
 * Prints the arguments and the result of a tool as TypeScript: `type Args = { title: string };` and, if its output schema is
 * known, `type Result`. This takes a third of the tokens of the schemas.
 */
export async function describeToolSignature(tool: RegisteredTool): Promise<string> {
  const { printSignature } = await import("../../schema/print/print-signature.js");
  try {
    return printSignature(readSignatureSchemas(tool), tool.dialect);
  } catch {
    return ANYTHING;
  }
}

/** A part with more characters is shown in outline. */
const LONGEST_PART = 2_000;

/** Returns an input schema without the properties that no path leads to, and with the definitions that it refers to. */
export function relevantSubschema(schema: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  const part = prune(schema, paths, schema);
  const $defs = getOwn(schema, "$defs");
  const definitions = getOwn(schema, "definitions");
  const whole = dropUnusedDefinitions(omitUndefined({ ...part, $defs, definitions }));
  return JSON.stringify(whole).length <= 3 * LONGEST_PART ? whole : part;
}

function prune(schema: JsonObject, paths: readonly (readonly string[])[], root: JsonObject): JsonObject {
  const whole = withoutDefinitions(schema);
  if (paths.length === 0 || paths.some((path) => path.length === 0)) return shorten(whole);
  const properties = objectOrEmpty(getOwn(schema, "properties"));
  const items = getOwn(schema, "items");
  const heads = new Map<string, (readonly string[])[]>();
  for (const [head = "", ...rest] of paths) heads.set(head, [...(heads.get(head) ?? []), rest]);
  if ([...heads.keys()].every((head) => isJsonObject(getOwn(properties, head)))) {
    const kept = [...heads].map(
      ([head, rests]) => [head, prune(followReference(getOwn(properties, head), root), rests, root)] as const,
    );
    const required = listOrEmpty(getOwn(schema, "required")).filter(
      (name) => typeof name === "string" && heads.has(name),
    );
    return {
      type: "object",
      properties: Object.fromEntries(kept),
      ...(required.length > 0 && { required }),
    };
  }
  if (isJsonObject(items) && [...heads.keys()].every((head) => /^\d+$/.test(head)))
    return { type: "array", items: prune(followReference(items, root), [...heads.values()].flat(), root) };
  // The path leads to an unknown key or into alternatives.
  return shorten(whole);
}

function shorten(schema: JsonObject): JsonObject {
  if (JSON.stringify(schema).length <= LONGEST_PART) return schema;
  const properties = Object.entries(objectOrEmpty(getOwn(schema, "properties")));
  const outline = properties.map(([name, property]): readonly [string, JsonValue] => {
    const type = isJsonObject(property) ? getOwn(property, "type") : undefined;
    return [name, type === undefined ? {} : { type }];
  });
  const short = {
    type: getOwn(schema, "type") ?? "object",
    properties: Object.fromEntries(outline.slice(0, 50)),
    required: listOrEmpty(getOwn(schema, "required")).slice(0, 50),
  };
  return JSON.stringify(short).length <= 2 * LONGEST_PART ? short : { type: short.type };
}

function withoutDefinitions(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !["$defs", "definitions", "$schema", "$id"].includes(key)),
  );
}

/** Follows local references to an object. Returns an empty one if they lead to none. */
function followReference(schema: JsonValue | undefined, root: JsonObject): JsonObject {
  return objectOrEmpty(followReferences(schema ?? {}, root));
}

/** Explains to a model why arguments do not fit: with the name that it probably meant for an unknown one, and the schema about it. */
export function explainArguments(
  schema: JsonObject,
  issues: readonly Issue[],
  args: unknown,
): { readonly issues: readonly JsonObject[]; readonly schema: JsonObject } {
  const explained = suggestNames(schema, issues, args);
  return {
    issues: explained.map((issue) => ({ ...toModelIssue(issue) })),
    schema: relevantSubschema(
      schema,
      explained.map(({ about, path }) => about ?? path),
    ),
  };
}

/** Returns the first issues in readable form, with the property that a model probably meant by an unknown name. */
export function suggestNames(
  schema: JsonObject,
  issues: readonly Issue[],
  args: unknown,
): readonly SuggestedIssue[] {
  return explainIssues(issues).map(({ path, message }) =>
    suggestName({ message, path: path.map(String) }, schema, args),
  );
}

interface SuggestedIssue {
  readonly message: string;
  /** The path of the value. */
  readonly path: readonly string[];
  /** The path of the schema that helps, if it is another one. */
  readonly about?: readonly string[];
}

const UNKNOWN = /^Unrecognized keys?: (.*)$/s;
const MISSING = "Required property is missing";

function suggestName(issue: SuggestedIssue, schema: JsonObject, args: unknown): SuggestedIssue {
  const { path } = issue;
  const unknown = UNKNOWN.exec(issue.message)?.[1];
  if (unknown !== undefined) {
    const names = Object.keys(propertiesAt(schema, path));
    const sent = [...unknown.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => String(JSON.parse(text)));
    const [near] = sent.flatMap((key) => nearestName(key, names) ?? []);
    return near === undefined
      ? issue
      : {
          ...issue,
          message: `${issue.message}. Did you mean ${JSON.stringify(near)}?`,
          about: [...path, near],
        };
  }
  const parent = path.slice(0, -1);
  const name = path.at(-1);
  if (issue.message !== MISSING || name === undefined) return issue;
  const schemaPart = propertiesAt(schema, parent);
  const value = valueAtPath(args, parent);
  const sent = isJsonObject(value)
    ? Object.keys(value).filter((key) => getOwn(schemaPart, key) === undefined)
    : [];
  const near = nearestName(name, sent);
  const more =
    near === undefined ? "" : `. You sent ${JSON.stringify(near)}: did you mean ${JSON.stringify(name)}?`;
  return { ...issue, message: `${issue.message}${more}` };
}

function propertiesAt(schema: JsonObject, path: readonly string[]): JsonObject {
  let at: JsonValue | undefined = schema;
  for (const key of path) {
    const whole: JsonObject = followReference(at, schema);
    at =
      /^\d+$/.test(key) && getOwn(whole, "items") !== undefined
        ? getOwn(whole, "items")
        : getOwn(objectOrEmpty(getOwn(whole, "properties")), key);
  }
  return objectOrEmpty(getOwn(followReference(at, schema), "properties"));
}
