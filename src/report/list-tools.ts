import { deriveCategory } from "../contract/derive-category.js";
import { byCodeUnit, getOwn, isJsonObject } from "../contract/json.js";
import type { Fidelity } from "../contract/reports.js";
import type { LockedServer, LockedTool, Lockfile } from "../contract/lockfile.js";

export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Names of the parameters that a call must give. */
  readonly required: readonly string[];
  /** What the definition costs in a context window: its JSON's UTF-8 bytes divided by four. */
  readonly tokens: number;
  /** Why the tool gets no code. */
  readonly unusable?: string;
}

export interface ListedCategory {
  /** Null for the tools without one, which come last. */
  readonly category: string | null;
  readonly tools: readonly ListedTool[];
}

export interface ListedServer {
  readonly server: string;
  readonly contract: string;
  readonly tools: number;
  readonly tokens: number;
  readonly categories: readonly ListedCategory[];
  /** Present when it was asked for. */
  readonly fidelity?: Fidelity;
}

export interface ListOptions {
  /** All of them by default. */
  readonly servers?: readonly string[];
  /** By server. */
  readonly fidelity?: ReadonlyMap<string, Fidelity>;
}

/** The locked tools by server and category, each with its required parameters and what it costs a model to know it. */
export function listTools(lock: Lockfile, { servers, fidelity }: ListOptions = {}): readonly ListedServer[] {
  return Object.entries(lock.servers)
    .filter(([name]) => servers === undefined || servers.includes(name))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, server]) => {
      const measured = fidelity?.get(name);
      return { ...listServer(name, server), ...(measured !== undefined && { fidelity: measured }) };
    });
}

function listServer(name: string, server: LockedServer): ListedServer {
  const listed = Object.entries(server.tools)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([tool, locked]) => ({
      category: locked.category ?? deriveCategory(tool) ?? null,
      tool: listTool(tool, locked),
    }));
  const categories = [...new Set(listed.map(({ category }) => category))].sort((a, b) =>
    a === null ? 1 : b === null ? -1 : byCodeUnit(a, b),
  );
  return {
    server: name,
    contract: server.contract,
    tools: listed.length,
    tokens: listed.reduce((sum, { tool }) => sum + tool.tokens, 0),
    categories: categories.map((category) => ({
      category,
      tools: listed.filter((entry) => entry.category === category).map(({ tool }) => tool),
    })),
  };
}

function listTool(name: string, { definition, unusable }: LockedTool): ListedTool {
  const title = getOwn(definition, "title");
  const description = getOwn(definition, "description");
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    required: requiredOf(definition),
    tokens: Math.ceil(Buffer.byteLength(JSON.stringify(definition)) / 4),
    ...(unusable !== undefined && { unusable }),
  };
}

function requiredOf(definition: LockedTool["definition"]): readonly string[] {
  const schema = getOwn(definition, "inputSchema");
  const required = isJsonObject(schema) ? getOwn(schema, "required") : undefined;
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}
