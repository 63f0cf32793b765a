import { deriveCategory } from "../../vocabulary/derive-category.js";
import { mergeDefined, byCodeUnit } from "../../contract/json.js";
import type { CallOptions } from "../../runtime/call-options.js";
import { callSchema } from "../../runtime/validate-call.js";
import type { Result } from "../../runtime/result.js";
import type { AnyTool, ToolDescription } from "../../runtime/tool.js";
import type { RegistryChange } from "./registry.js";

/** A tool under the name that a model knows it by, wherever it comes from. */
export interface RegisteredTool extends Omit<ToolDescription<unknown, unknown>, "server"> {
  /** `server__tool`, or a static tool's own name. */
  readonly name: string;
  /** The server that has it; absent for a static tool. */
  readonly server?: string;
  /** The version of the contract that it is locked by. */
  readonly contract?: string;
  /** False for a live tool that no lock knows. */
  readonly isLocked: boolean;
  /** True for an unlocked tool that is called in a production environment. */
  readonly isProduction?: boolean;
  /** Calls the tool; input is validated, so anything may be given. Never throws. */
  call(input: unknown, options?: CallOptions): Promise<Result<unknown>>;
}

/** Whether a value is a tool of a registry. */
export function isRegisteredTool(value: unknown): value is RegisteredTool {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "isLocked" in value &&
    typeof value.isLocked === "boolean" &&
    "call" in value &&
    typeof value.call === "function"
  );
}

/**
 * A generated or hand-written tool as one of a registry's. Without a category it has the one that its name tells. Options
 * of a call win over those it is bound to.
 */
export function registerTool(
  tool: AnyTool,
  name: string,
  server?: string,
  bound: CallOptions = {},
): RegisteredTool {
  const { title, description, annotations, visibility, dialect } = tool.definition;
  const { output, inputSchema, outputSchema } = tool.definition;
  const category = tool.definition.category ?? deriveCategory(tool.definition.name);
  const contract = tool.definition.server?.contract;
  return {
    name,
    ...(server !== undefined && { server }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
    ...(annotations && { annotations }),
    ...(visibility && { visibility }),
    input: callSchema(tool.definition),
    ...(output && { output }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(dialect && { dialect }),
    ...(contract !== undefined && { contract }),
    isLocked: true,
    call: (given, options) => tool.safe(given, mergeDefined(bound, options)),
  };
}

/** The tools that models may be offered: not those that only user interfaces call. */
export function offeredToModels<T extends Pick<RegisteredTool, "visibility">>(
  tools: readonly T[],
): readonly T[] {
  return tools.filter(({ visibility }) => visibility !== "app");
}

/** What a tool without a category is counted under. */
export const UNCATEGORIZED = "uncategorized";

/** Which tools of a server, or of the program, came and went. */
export interface ToolChange {
  readonly added: readonly RegisteredTool[];
  readonly removed: readonly RegisteredTool[];
}

/** What is different between two lists, by name. */
export function compareTools(
  before: readonly RegisteredTool[],
  after: readonly RegisteredTool[],
): ToolChange {
  const [old, now] = [before, after].map((tools) => new Set(tools.map(({ name }) => name)));
  return {
    added: after.filter(({ name }) => old?.has(name) === false),
    removed: before.filter(({ name }) => now?.has(name) === false),
  };
}

export function isEmptyChange({ added, removed }: ToolChange): boolean {
  return added.length === 0 && removed.length === 0;
}

/** Changes in words: names, sorted, as a whole and by category. */
export function describeChange(changes: readonly ToolChange[]): RegistryChange {
  const added = changes.flatMap((change) => change.added);
  const removed = changes.flatMap((change) => change.removed);
  const categories = [...new Set([...added, ...removed].map(categoryOf))].sort(byCodeUnit);
  return {
    added: namesOf(added),
    removed: namesOf(removed),
    byCategory: Object.fromEntries(
      categories.map((category) => [
        category,
        {
          added: namesOf(added.filter((tool) => categoryOf(tool) === category)),
          removed: namesOf(removed.filter((tool) => categoryOf(tool) === category)),
        },
      ]),
    ),
  };
}

export function categoryOf({ category }: Pick<RegisteredTool, "category">): string {
  return category ?? UNCATEGORIZED;
}

/** How many tools each category has, by name. */
export function countCategories(tools: readonly RegisteredTool[]): { readonly [category: string]: number } {
  const counts = new Map<string, number>();
  for (const category of tools.map(categoryOf)) counts.set(category, (counts.get(category) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => byCodeUnit(a, b)));
}

function namesOf(tools: readonly RegisteredTool[]): readonly string[] {
  return tools.map(({ name }) => name).sort(byCodeUnit);
}
