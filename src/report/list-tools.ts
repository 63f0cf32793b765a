import { describeTool } from "../contract/describe-tool.js";
import { groupBy } from "../contract/collections.js";
import { deriveCategory } from "../vocabulary/derive-category.js";
import { ENTRY_LIST_NAMES, mapLists, type EntryList } from "../contract/entries.js";
import { byCodeUnit, findOwn, getOwn, isJsonArray, isJsonObject, type JsonValue } from "../contract/json.js";
import type { Fidelity } from "../pipeline/list.js";
import type { ToolState } from "../pipeline/reports.js";
import type { LockedEntry, LockedServer, LockedTool, Lockfile } from "../contract/lockfile.js";
import { readStatedEffect, type StatedEffect } from "../contract/tool-effect.js";
import { estimateTokens } from "../contract/tool-tokens.js";

export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Names of the parameters that a call must give. */
  readonly required: readonly string[];
  /** The tool's tokens as locked, or else an estimate, see `estimateTokens`. */
  readonly tokens: number;
  /** What a call does, by the server's annotations. */
  readonly effect: StatedEffect;
  /** Present where `tokens` is an estimate. */
  readonly isEstimate?: true;
  /** `app`: only user interfaces call it (MCP Apps), so that it is not offered to models. */
  readonly visibility?: "app";
  /** Why no code is generated for the tool. */
  readonly unusable?: string;
  /** With `--live`: how the tool differs from the lock; absent for an unchanged tool. */
  readonly state?: ToolState;
}

/** A prompt, a resource, a template of resources or a skill. */
export interface ListedEntry {
  /** Its name, URI or URI template. */
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  /** Names of the arguments of a prompt that are required. */
  readonly required?: readonly string[];
}

export interface ListedCategory {
  /** Null for tools without a category, which come last. */
  readonly category: string | null;
  /** Present where neither the configuration nor the server states the category: the names of the tools suggest it. */
  readonly isGuess?: true;
  readonly tokens: number;
  readonly tools: readonly ListedTool[];
}

export interface ListedServer {
  readonly server: string;
  /** With `--live --env`: the environment that was listed; absent for the server's own settings. */
  readonly environment?: string;
  /** Absent for a server that is not locked. */
  readonly contract?: string;
  /** The number of tools; with `--live`, without removed ones. */
  readonly tools: number;
  readonly tokens: number;
  /** The tokenizer, such as `o200k_base`; absent where some tokens are estimated. */
  readonly tokenizer?: string;
  readonly categories: readonly ListedCategory[];
  /** Prompts, resources, templates of resources and skills; a list is absent if it is not locked. */
  readonly entries?: { readonly [List in EntryList]?: readonly ListedEntry[] };
  /** Present when requested. */
  readonly fidelity?: Fidelity;
}

export interface ListOptions {
  /** All of them by default. */
  readonly servers?: readonly string[];
  /** By server. */
  readonly fidelity?: ReadonlyMap<string, Fidelity>;
  /** Sort categories, and tools within them, by tokens, most first. Default: by name. */
  readonly byTokens?: boolean;
  /**
   * Whether the servers are locked; false for a lock in memory made from the servers' current tools. Default: true.
   */
  readonly isLocked?: boolean;
}

/** Returns the locked tools by server and category, each with its required parameters and its tokens. */
export function listTools(
  lock: Lockfile,
  { servers, fidelity, byTokens = false, isLocked = true }: ListOptions = {},
): readonly ListedServer[] {
  return Object.entries(lock.servers)
    .filter(([name]) => servers === undefined || servers.includes(name))
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, server]) => {
      const measured = fidelity?.get(name);
      return {
        ...listServer(name, server, { byTokens, isLocked }),
        ...(measured !== undefined && { fidelity: measured }),
      };
    });
}

/** By name, what is stated before what is guessed; tools without a category last. */
function compareCategories(a: ListedCategory, b: ListedCategory): number {
  if (a.category === null || b.category === null) return a.category === null ? 1 : -1;
  return byCodeUnit(a.category, b.category) || Number(a.isGuess === true) - Number(b.isGuess === true);
}

interface ListServerOptions extends Pick<ListOptions, "byTokens" | "isLocked"> {
  /** How each tool differs from the lock. */
  readonly stateOf?: (tool: string) => ToolState | undefined;
}

/** Returns one server as {@link listTools} lists it. Removed tools count neither as tools nor in tokens. */
export function listServer(
  name: string,
  server: LockedServer,
  { byTokens = false, isLocked = true, stateOf = () => undefined }: ListServerOptions = {},
): ListedServer {
  const dearestFirst = (a: { readonly tokens: number }, b: { readonly tokens: number }): number =>
    byTokens ? b.tokens - a.tokens : 0;
  const listed = Object.entries(server.tools)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, locked]) => {
      const category = locked.category ?? deriveCategory(name) ?? null;
      const isGuess = locked.category === undefined && category !== null;
      return { category, isGuess, tool: listTool(name, locked, stateOf(name)) };
    });
  const groups = groupBy(listed, ({ category, isGuess }) => JSON.stringify([category, isGuess]));
  const categories = [...groups.values()]
    .map((group): ListedCategory => {
      const [{ category, isGuess }] = group;
      const tools = group.map(({ tool }) => tool).sort(dearestFirst);
      return { category, ...(isGuess && { isGuess }), tokens: sumOf(tools), tools };
    })
    .sort(compareCategories);
  const present = listed.filter(({ tool }) => tool.state !== "gone");
  const isCounted = present.every(({ tool }) => tool.isEstimate === undefined);
  return {
    server: name,
    ...(isLocked && { contract: server.contract }),
    tools: present.length,
    tokens: sumOf(categories),
    ...(isCounted && server.tokenizer !== undefined && { tokenizer: server.tokenizer }),
    categories: categories.sort(dearestFirst),
    ...(hasEntries(server) && { entries: mapLists(server, listEntries) }),
  };
}

function hasEntries(server: LockedServer): boolean {
  return ENTRY_LIST_NAMES.some((list) => server[list] !== undefined);
}

function listEntries(entries: { readonly [id: string]: LockedEntry }): readonly ListedEntry[] {
  return Object.entries(entries).map(([id, { definition }]) => {
    const frontmatter = getOwn(definition, "frontmatter");
    const texts = isJsonObject(frontmatter) ? frontmatter : definition;
    const [title, description] = [getOwn(texts, "title"), getOwn(texts, "description")];
    const given = getOwn(definition, "arguments");
    return {
      id,
      ...(typeof title === "string" && { title }),
      ...(typeof description === "string" && { description }),
      ...(isJsonArray(given) && { required: given.flatMap(requiredArgument) }),
    };
  });
}

function requiredArgument(argument: JsonValue): readonly string[] {
  const name = findOwn(argument, "name");
  return typeof name === "string" && findOwn(argument, "required") === true ? [name] : [];
}

function sumOf(parts: readonly { readonly tokens: number; readonly state?: ToolState }[]): number {
  return parts.reduce((sum, { tokens, state }) => (state === "gone" ? sum : sum + tokens), 0);
}

function listTool(
  name: string,
  { definition, unusable, tokens }: LockedTool,
  state: ToolState | undefined,
): ListedTool {
  const title = getOwn(definition, "title");
  const description = getOwn(definition, "description");
  const { annotations, visibility } = describeTool(definition);
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    required: requiredOf(definition),
    tokens: tokens ?? estimateTokens(definition),
    ...(tokens === undefined && { isEstimate: true }),
    effect: readStatedEffect(annotations),
    ...(visibility !== undefined && { visibility }),
    ...(unusable !== undefined && { unusable }),
    ...(state !== undefined && { state }),
  };
}

function requiredOf(definition: LockedTool["definition"]): readonly string[] {
  const required = findOwn(getOwn(definition, "inputSchema"), "required");
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}
