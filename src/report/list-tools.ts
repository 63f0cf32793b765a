import { describeTool, readStatedEffect, type StatedEffect } from "../core/snapshot.js";
import { groupBy } from "../core/collections.js";
import { deriveCategory } from "../core/words/derive-category.js";
import { ENTRY_LIST_NAMES, mapLists, type EntryList } from "../core/entries.js";
import {
  byCodeUnit,
  findOwn,
  findText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
} from "../core/json.js";
import type { Fidelity, LiveServer } from "../pipeline/list.js";
import type { ToolState } from "../pipeline/list.js";
import type { LockedEntry, LockedTool } from "../core/lockfile.js";
import { estimateTokens, requiredInside } from "../core/model-schema.js";

export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Names of the parameters that a call must give. */
  readonly required: readonly string[];
  /** Names of the other parameters. */
  readonly optional: readonly string[];
  /** The tool's tokens as locked, or else an estimate, see `estimateTokens`. */
  readonly tokens: number;
  /** The effect of a call, by the server's annotations. */
  readonly effect: StatedEffect;
  /** Present where `tokens` is an estimate. */
  readonly isEstimate?: true | undefined;
  /** When requested: the arguments and the result as TypeScript. */
  readonly signature?: string | undefined;
  /** `app`: only user interfaces call it (MCP Apps), so that it is not offered to models. */
  readonly visibility?: "app" | undefined;
  /** Why no code is generated for the tool. */
  readonly unusable?: string | undefined;
  /** With `--live`: how the tool differs from the lock; absent for an unchanged tool. */
  readonly state?: ToolState | undefined;
}

/** A prompt, a resource, a template of resources or a skill. */
interface ListedEntry {
  /** Its name, URI or URI template. */
  readonly id: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Names of the arguments of a prompt that are required. */
  readonly required?: readonly string[] | undefined;
}

export interface ListedCategory {
  /** Null for tools without a category, which come last. */
  readonly category: string | null;
  /** Present where neither the configuration nor the server states the category: the names of the tools suggest it. */
  readonly isGuess?: true | undefined;
  readonly tokens: number;
  readonly tools: readonly ListedTool[];
}

export interface ListedServer {
  readonly server: string;
  /** With `--live --env`: the environment that was listed; absent for the server's own settings. */
  readonly environment?: string | undefined;
  /** Absent for a server that is not locked. */
  readonly contract?: string | undefined;
  /** The number of tools; with `--live`, without removed ones. */
  readonly tools: number;
  readonly tokens: number;
  /** The tokenizer, such as `o200k_base`; absent where some tokens are estimated. */
  readonly tokenizer?: string | undefined;
  readonly categories: readonly ListedCategory[];
  /** Prompts, resources, templates of resources and skills; a list is absent if it is not locked. */
  readonly entries?: { readonly [List in EntryList]?: readonly ListedEntry[] } | undefined;
  /** Present when requested. */
  readonly fidelity?: Fidelity | undefined;
}

/** By name, stated categories before guessed ones; tools without a category last. */
function compareCategories(a: ListedCategory, b: ListedCategory): number {
  if (a.category === null || b.category === null) return a.category === null ? 1 : -1;
  return byCodeUnit(a.category, b.category) || Number(a.isGuess === true) - Number(b.isGuess === true);
}

interface ListToolsOptions {
  /** Sort categories, and tools within them, by tokens, most first. Default: by name. */
  readonly byTokens?: boolean | undefined;
  /** Prints the arguments and the result of a tool as TypeScript. */
  readonly signatureOf?: ((definition: JsonObject) => string) | undefined;
}

/**
 * Returns the tools of a server by category, each with its required parameters and its tokens. Removed tools count neither as tools
 * nor in tokens.
 */
export function listServerTools(
  { server, environment, block, stateOf, isLocked, fidelity }: LiveServer & Pick<ListedServer, "fidelity">,
  { byTokens = false, signatureOf }: ListToolsOptions = {},
): ListedServer {
  const dearestFirst = (a: { readonly tokens: number }, b: { readonly tokens: number }): number =>
    byTokens ? b.tokens - a.tokens : 0;
  const listed = Object.entries(block.tools)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, locked]) => {
      const category = locked.category ?? deriveCategory(name) ?? null;
      const isGuess = locked.category === undefined && category !== null;
      return { category, isGuess, tool: listTool(name, locked, stateOf?.(name), signatureOf) };
    });
  const groups = groupBy(listed, ({ category, isGuess }) => JSON.stringify([category, isGuess]));
  const categories = [...groups.values()]
    .map((group): ListedCategory => {
      const [{ category, isGuess }] = group;
      const tools = group.map(({ tool }) => tool).sort(dearestFirst);
      return { category, isGuess: isGuess || undefined, tokens: sumOf(tools), tools };
    })
    .sort(compareCategories);
  const present = listed.filter(({ tool }) => tool.state !== "gone");
  const isCounted = present.every(({ tool }) => tool.isEstimate === undefined);
  const hasEntries = ENTRY_LIST_NAMES.some((list) => block[list] !== undefined);
  return {
    server,
    environment,
    contract: isLocked ? block.contract : undefined,
    tools: present.length,
    tokens: sumOf(categories),
    tokenizer: isCounted ? block.tokenizer : undefined,
    categories: categories.sort(dearestFirst),
    entries: hasEntries ? mapLists(block, listEntries) : undefined,
    fidelity,
  };
}

function listEntries(entries: { readonly [id: string]: LockedEntry }): readonly ListedEntry[] {
  return Object.entries(entries).map(([id, { definition }]) => {
    const frontmatter = getOwn(definition, "frontmatter");
    const texts = isJsonObject(frontmatter) ? frontmatter : definition;
    const args = getOwn(definition, "arguments");
    return {
      id,
      title: findText(texts, "title"),
      description: findText(texts, "description"),
      required: isJsonArray(args)
        ? args
            .filter((argument) => findOwn(argument, "required") === true)
            .flatMap((argument) => findText(argument, "name") ?? [])
        : undefined,
    };
  });
}

function sumOf(
  parts: readonly { readonly tokens: number; readonly state?: ToolState | undefined }[],
): number {
  return parts.reduce((sum, { tokens, state }) => (state === "gone" ? sum : sum + tokens), 0);
}

function listTool(
  name: string,
  { ability, definition, unusable, tokens }: LockedTool,
  state: ToolState | undefined,
  signatureOf: ListToolsOptions["signatureOf"],
): ListedTool {
  const { annotations, visibility } = describeTool(definition);
  const input = objectOrEmpty(getOwn(definition, "inputSchema"));
  const listed = getOwn(input, "required");
  const inside = ability === undefined ? [] : requiredInside(input);
  const required = isJsonArray(listed) ? listed.filter((key) => typeof key === "string") : inside;
  return {
    name,
    title: findText(definition, "title"),
    description: findText(definition, "description"),
    required,
    optional: Object.keys(objectOrEmpty(getOwn(input, "properties"))).filter(
      (key) => !required.includes(key),
    ),
    tokens: tokens ?? estimateTokens(definition),
    isEstimate: tokens === undefined ? true : undefined,
    effect: readStatedEffect(annotations),
    visibility,
    signature: unusable === undefined ? signatureOf?.(definition) : undefined,
    unusable,
    state,
  };
}
