import type { AbilitySnapshot, LockedAbility, WordPressListing } from "./ability.js";
import { omitUndefined } from "./collections.js";
import type { Diagnostic } from "./diagnostic.js";
import type { EntryList } from "./entries.js";
import {
  findOwn,
  findText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NamedObject,
  objectOrEmpty,
} from "./json.js";

/** A tool definition as the server sent it, with unknown keys. Only `name` is validated. */
export type ToolSnapshot = NamedObject;

/** The result of `initialize`. */
export interface ServerIdentity {
  readonly serverInfo: JsonObject;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

/** Reads an identity from the result of a handshake, or from an object with members of one. */
export function readIdentity(
  result: JsonObject,
  protocolVersion: string,
  serverInfo?: JsonValue,
): ServerIdentity {
  return {
    serverInfo: objectOrEmpty(serverInfo ?? getOwn(result, "serverInfo")),
    protocolVersion,
    capabilities: objectOrEmpty(getOwn(result, "capabilities")),
    ...omitUndefined({ instructions: findText(result, "instructions") }),
  };
}

/** Whether the identity of a server is unknown, since its tools were read from PHP or from a saved list. */
export function isUnknownIdentity({ serverInfo, protocolVersion, capabilities }: ServerIdentity): boolean {
  return protocolVersion === "" && Object.keys(serverInfo).length + Object.keys(capabilities).length === 0;
}

/** The lists of a server whose changes it may announce. */
export type AnnouncedList = "tools" | "prompts" | "resources";

/** Whether a server declares that it sends a notification when this list has changed. */
export function declaresListChanged({ capabilities }: ServerIdentity, list: AnnouncedList): boolean {
  const capability = getOwn(capabilities, list);
  return isJsonObject(capability) && getOwn(capability, "listChanged") === true;
}

/** The conditions of a list, since servers may list other tools under other conditions. */
export interface Listing {
  /** The declared client capabilities. */
  readonly clientCapabilities: JsonObject;
  /** The account, never a secret: the user name of basic authentication if it is public. */
  readonly principal?: string;
  /** The OAuth scopes that the server required for the list, sorted; absent without OAuth. */
  readonly scopes?: readonly string[];
  readonly locale?: string;
  /** The digest of the calls that were confirmed, and made before the list. */
  readonly prelude?: string;
  /** Present when the server marks its list as one of this account (`cacheScope`). */
  readonly cacheScope?: "private";
  /** The number of pages of the list. */
  readonly pages: number;
}

/** The lists of one source beside its tools, by the key that identifies an entry. A list is absent if not requested. */
export type EntrySnapshots = {
  readonly [List in EntryList]?: { readonly [id: string]: JsonObject };
};

/** The view of a server's own settings, beside its variants. */
export const DEFAULT_VIEW = "default";

/** The lists of a server's variants, beside the list of its own settings. */
interface Views {
  /** The conditions of each variant's list. */
  readonly variants?: { readonly [variant: string]: Listing };
  /** The views that list a tool, sorted, for tools that not all views list. */
  readonly viewsOf?: { readonly [tool: string]: readonly string[] };
  /** The definitions of variants that differ from that in `tools`. */
  readonly differing?: { readonly [tool: string]: { readonly [variant: string]: ToolSnapshot } };
}

/** The complete list of one source. */
export interface ServerSnapshot extends EntrySnapshots, Views {
  readonly server: string;
  readonly identity: ServerIdentity;
  readonly listing: Listing;
  /** Milliseconds for which the server calls the list fresh (specification 2026-07-28, "Caching"). Not locked. */
  readonly ttlMs?: number;
  /** Present when the tools are abilities of a WordPress. */
  readonly wordpress?: WordPressListing;
  /** Sorted by name (code units), with unique names. */
  readonly tools: readonly ToolSnapshot[];
  /** Later definitions with a name in `tools`, in order. It is unknown which of them a call reaches. */
  readonly repeated?: readonly ToolSnapshot[];
  /** The ability of each tool, if known. */
  readonly abilities?: { readonly [tool: string]: LockedAbility };
  /** Why a listed tool gets no code, by name. */
  readonly unusable: { readonly [tool: string]: string };
  readonly diagnostics: readonly Diagnostic[];
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

type Hint = (typeof HINTS)[number];

/** The hints of the server about the effects of a tool. */
export type ToolAnnotations = { readonly [H in Hint]?: boolean };

/** Returns the category by the ability, else by `category` or the only tag in the annotations, `_meta` or `metadata`. */
export function sourceCategory(definition: ToolSnapshot, ability?: AbilitySnapshot): string | undefined {
  const meta = getOwn(definition, "_meta");
  const places = [
    getOwn(definition, "annotations"),
    meta,
    getOwn(definition, "metadata"),
    findOwn(meta, "_fastmcp") ?? findOwn(meta, "fastmcp"),
  ];
  const said = [
    ability && getOwn(ability, "category"),
    ...places.map((place) => findOwn(place, "category")),
    ...places.map((place) => onlyOne(findOwn(place, "tags"))),
  ];
  return said.filter((value) => typeof value === "string").find((value) => CATEGORY.test(value));
}

/** One word or a few, on one line: a category is not a sentence. */
const CATEGORY = /^[\p{Letter}\p{Number}][\p{Letter}\p{Number} ._/&+-]{0,63}$/u;

function onlyOne(value: JsonValue | undefined): JsonValue | undefined {
  const tags: readonly JsonValue[] = Array.isArray(value) ? value : [];
  return tags.length === 1 ? tags[0] : undefined;
}

/** Finds the diagnostics of entries that are left out: those without a name, and those too deep or too large to be locked. */
export function findLeftOut({ tools, diagnostics }: ServerSnapshot): readonly Diagnostic[] {
  const names = new Set(tools.map(({ name }) => name));
  return diagnostics.filter(({ tool }) => !names.has(tool));
}

/** The least and the most milliseconds of freshness that a server may state. */
const TTL_LIMITS = [1_000, 86_400_000] as const;

/** Returns how long a list is fresh, within limits. Undefined for 0, which many servers send for every list. */
export function limitTtl(ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined || ttlMs === 0) return undefined;
  const [least, most] = TTL_LIMITS;
  return Math.min(Math.max(ttlMs, least), most);
}

/** The words and hints about a tool that the runtime and its adapters pass to models. */
interface ToolWords {
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
  readonly visibility?: "app";
}

/** Returns the words and hints of a definition, without those that have the wrong type. */
export function describeTool(definition: JsonObject): ToolWords {
  const title = titleOf(definition);
  const description = nonBlank(getOwn(definition, "description"));
  const annotations = getOwn(definition, "annotations");
  const hints = HINTS.flatMap((hint) => {
    const value = findOwn(annotations, hint);
    return typeof value === "boolean" ? [[hint, value] as const] : [];
  });
  return omitUndefined({
    title,
    description,
    annotations: hints.length > 0 ? Object.fromEntries(hints) : undefined,
    visibility: isOfApps(definition) ? "app" : undefined,
  } as const);
}

/** Whether only user interfaces call the tool, not models (MCP Apps 2026-01-26, `_meta.ui.visibility`). */
export function isOfApps(definition: JsonObject): boolean {
  const visibility = findOwn(findOwn(getOwn(definition, "_meta"), "ui"), "visibility");
  return isJsonArray(visibility) && visibility.length > 0 && !visibility.includes("model");
}

/** Newer servers say it at the top, older ones among the annotations. */
function titleOf(definition: JsonObject): string | undefined {
  const inside = findOwn(getOwn(definition, "annotations"), "title");
  return nonBlank(getOwn(definition, "title")) ?? nonBlank(inside);
}

export function nonBlank(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** The effect of a call, by the annotations of its tool. Without any, a tool may destroy (specification, "ToolAnnotations"). */
export type StatedEffect = "reads" | "writes" | "destroys" | "unstated";

/** The words for an effect, the same everywhere. */
export const EFFECT_WORDS = {
  reads: "reads",
  writes: "writes",
  destroys: "destroys",
  unstated: "effect not stated",
} as const satisfies Record<StatedEffect, string>;

export function readStatedEffect({ readOnlyHint, destructiveHint }: ToolAnnotations = {}): StatedEffect {
  if (readOnlyHint === true) return "reads";
  if (readOnlyHint === undefined && destructiveHint === undefined) return "unstated";
  return destructiveHint === false ? "writes" : "destroys";
}

/** Definitions and results that are sent unchanged, such as those of a mock. No policy applies. */
export interface RawSource {
  /** Clients see all of it except the protocol version. */
  readonly identity: ServerIdentity;
  /** Returns the list beside the tools, for capabilities that declare one. */
  entries(list: EntryList): readonly JsonObject[];
  tools(): readonly ToolSnapshot[];
  /** Returns the raw result of a call. An error with a code of JSON-RPC is sent as such. */
  call(name: string, args: JsonObject): Promise<JsonObject>;
  /** Returns the raw result of another request. Errors are sent as those of a call. */
  read(request: RawRequest): Promise<JsonObject>;
  /** Subscribes to changes of the list. Returns a function that unsubscribes. */
  onChange?(listener: () => void): () => void;
}

/** A request for the contents of a prompt or a resource. */
export type RawRequest =
  | { readonly method: "prompts/get"; readonly name: string; readonly arguments: JsonObject }
  | { readonly method: "resources/read"; readonly uri: string };
