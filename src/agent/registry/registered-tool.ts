import { type AbilitySnapshot, wrappedValues } from "../../core/ability.js";
import { deriveCategory } from "../../core/words/derive-category.js";
import { groupBy, omitUndefined } from "../../core/collections.js";
import {
  mergeDefined,
  byCodeUnit,
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import type { Dialect } from "../../core/schema-ir.js";
import { describeTool } from "../../core/snapshot.js";
import { throughAbility } from "../../runtime/abilities.js";
import { callSchema } from "../../runtime/validate-call.js";
import type { Schema } from "../../core/schema.js";
import type { CallOptions } from "../../core/call.js";
import { isTool } from "../../runtime/tool.js";
import type {
  RegisteredTool,
  AnyTool,
  SchemaSettings,
  ServerDefinition,
  ToolDefinition,
} from "../../core/tool.js";
import { categoryNameOf } from "../../core/tool-name.js";

/** Names of added and removed tools. */
export interface RegistryChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The same by category; `uncategorized` for tools without one. */
  readonly byCategory: {
    readonly [category: string]: { readonly added: readonly string[]; readonly removed: readonly string[] };
  };
}

export function isRegisteredTool(value: unknown): value is RegisteredTool {
  if (typeof value !== "object" || value === null) return false;
  const { name, isLocked, call }: { readonly [key in keyof RegisteredTool]?: unknown } = value;
  return typeof name === "string" && typeof isLocked === "boolean" && typeof call === "function";
}

export function isAnyTool(value: unknown): boolean {
  return isTool(value) || isRegisteredTool(value);
}

/** Converts any tool. A category that it lacks is derived from its name. Options of a call take precedence over the bound ones. */
export function registerTool(
  tool: AnyTool,
  name: string,
  server?: string,
  bound: CallOptions = {},
): RegisteredTool {
  const { title, description, annotations, visibility, dialect } = tool.definition;
  const { output, inputSchema, outputSchema } = tool.definition;
  const { category = deriveCategory(tool.definition.name) } = tool.definition;
  return omitUndefined({
    name,
    server,
    title,
    description,
    category,
    hasGuessedCategory: category !== tool.definition.category || undefined,
    annotations,
    visibility,
    input: callSchema(tool.definition, bound.validateInput ?? tool.validateInput),
    output,
    inputSchema,
    outputSchema,
    dialect,
    contract: tool.definition.server?.contract,
    isLocked: true,
    call: (input: unknown, options?: CallOptions) => tool.safe(input, mergeDefined(bound, options)),
  });
}

interface RawTool {
  readonly name: string;
  /** As the server sent it. */
  readonly definition: JsonObject;
  /** The ability that is called through the adapter's execute tool. */
  readonly ability?: AbilitySnapshot | undefined;
  readonly category?: string | undefined;
  readonly dialect?: Dialect | undefined;
  /** Default: the one of the definition. */
  readonly outputSchema?: JsonValue | undefined;
}

/** Returns the definition that generated code would have, with interpreted schemas. */
export function defineRawTool(
  server: ServerDefinition,
  {
    name,
    definition,
    ability,
    category,
    dialect,
    outputSchema = getOwn(definition, "outputSchema"),
  }: RawTool,
  read: (schema: JsonValue) => Schema<unknown>,
): ToolDefinition<unknown, unknown> {
  const inputSchema = getOwn(definition, "inputSchema") ?? { type: "object" };
  return omitUndefined({
    server,
    name,
    ...describeTool(definition),
    category,
    dialect,
    defaults: server.defaults,
    through: ability && (() => throughAbility(ability.name, wrappedValues(ability))),
    input: read(inputSchema),
    output: outputSchema === undefined ? undefined : read(outputSchema),
    inputSchema: () => inputSchema,
    outputSchema: outputSchema === undefined ? undefined : () => outputSchema,
  });
}

/** Loaded with the first schema that is read while the program runs. */
export const loadSchemaReader = async () => import("../../schema/interpret/live-schema.js");

/** Creates a schema that is read, with the code that reads schemas, when the first value is validated. */
export function lazySchema(read: () => JsonValue, settings: SchemaSettings = {}): Schema<unknown> {
  return schemaOpenedBy(async () => (await loadSchemaReader()).readLiveSchema(read(), settings));
}

/** Creates a schema that is opened when the first value is validated: most tools are offered and never called. */
export function schemaOpenedBy(open: () => Schema<unknown> | Promise<Schema<unknown>>): Schema<unknown> {
  let schema: Schema<unknown> | Promise<Schema<unknown>> | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: async (value) => (await (schema ??= open()))["~standard"].validate(value),
    },
  };
}

/** Reads an object as JSON. Returns undefined for other values, and if reading fails. */
export function readJsonObject(read: () => unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(JSON.stringify(read()));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Removes tools that only user interfaces call. */
export function offeredToModels<T extends { readonly visibility?: "app" | undefined }>(
  tools: readonly T[],
): readonly T[] {
  return tools.filter(({ visibility }) => visibility !== "app");
}

export interface ToolChange {
  readonly added: readonly RegisteredTool[];
  readonly removed: readonly RegisteredTool[];
}

/** Compares two lists by the tools' names. */
export function compareTools(
  before: readonly RegisteredTool[],
  after: readonly RegisteredTool[],
): ToolChange {
  const without = (tools: readonly RegisteredTool[], others: readonly RegisteredTool[]) => {
    const names = new Set(others.map(({ name }) => name));
    return tools.filter(({ name }) => !names.has(name));
  };
  return { added: without(after, before), removed: without(before, after) };
}

/** Lists the names of the tools, sorted, in total and by category. */
export function describeChange(changes: readonly ToolChange[]): RegistryChange {
  const added = changes.flatMap((change) => change.added);
  const removed = changes.flatMap((change) => change.removed);
  const categories = [...new Set([...added, ...removed].map(categoryNameOf))].sort(byCodeUnit);
  const namesOf = (tools: readonly RegisteredTool[]): readonly string[] =>
    tools.map(({ name }) => name).sort(byCodeUnit);
  const byCategory = categories.map((category) => {
    const isIn = (tool: RegisteredTool): boolean => categoryNameOf(tool) === category;
    return [
      category,
      { added: namesOf(added.filter(isIn)), removed: namesOf(removed.filter(isIn)) },
    ] as const;
  });
  return { added: namesOf(added), removed: namesOf(removed), byCategory: Object.fromEntries(byCategory) };
}

/**
 * Returns which categories of tools are guessed from names: the clause for a heading where all are, and a function that returns
 * the mark of one where only some are.
 */
export function markGuesses(tools: readonly Pick<RegisteredTool, "category" | "hasGuessedCategory">[]): {
  readonly clause: string;
  readonly markOf: (category: string) => string;
} {
  const categorized = tools.filter(({ category }) => category !== undefined);
  const namesOf = (isGuess: boolean): ReadonlySet<string> =>
    new Set(categorized.filter((tool) => (tool.hasGuessedCategory === true) === isGuess).map(categoryNameOf));
  const guessed = namesOf(true);
  const stated = namesOf(false);
  const isAll = stated.size === 0 && guessed.size > 0;
  return {
    clause: isAll ? ", guessed from names" : "",
    markOf: (category) => (!isAll && guessed.has(category) && !stated.has(category) ? ", guessed" : ""),
  };
}

/** Counts the tools of each category, sorted by name. */
export function countCategories(tools: readonly { readonly category?: string | undefined }[]): {
  readonly [category: string]: number;
} {
  const groups = [...groupBy(tools, categoryNameOf)].sort(([a], [b]) => byCodeUnit(a, b));
  return Object.fromEntries(groups.map(([category, { length }]) => [category, length]));
}
