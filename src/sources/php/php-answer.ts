import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  mapEntries,
  objectOrEmpty,
  tryParseJson,
} from "../../core/json.js";
import type { RefusedRegistration } from "../../core/php-notes.js";

/** The answer of a WordPress, as `collect.php` prints it. Files have the names that PHP reports there. */
export interface PhpAnswer {
  /** The version of PHP. */
  readonly php: string;
  /** The version of WordPress. */
  readonly wordpress: string;
  readonly abilities: readonly RunAbility[];
  readonly refused: readonly RefusedRegistration[];
  /** Callbacks on hooks that this WordPress does not fire. */
  readonly old: readonly HookedPlace[];
  /** The servers of the MCP adapter. */
  readonly servers: readonly AdapterServer[];
  /** Callbacks that make servers of the MCP adapter, if none is there to call them. */
  readonly uncalled: readonly PhpPlace[];
  /** The loaded PHP files, without those of WordPress itself. */
  readonly included: readonly string[];
  /** Why there are no abilities. */
  readonly failure: SiteFailure | undefined;
  /** The questions of the plugins about the site. Only the core without a site returns these and the members below. */
  readonly asked: readonly Question[];
  /** Queries of plugins that a database would answer. */
  readonly queries: readonly PhpPlace[];
  readonly outputs: readonly PhpOutput[];
}

/** A server of the MCP adapter. */
interface AdapterServer {
  /** Below `/wp-json/`, such as `mcp/mcp-adapter-default-server`. */
  readonly route: string;
  /** The names of its tools. */
  readonly tools: readonly string[];
}

/** A place in the user's PHP code. The line is 0 if unknown. */
export interface PhpPlace {
  readonly file: string;
  readonly line: number;
}

/** Names a place in a message. */
export function describePlace({ file, line }: PhpPlace, nameOf: (file: string) => string): string {
  const name = JSON.stringify(nameOf(file));
  return line > 0 ? `${name}, line ${line}` : name;
}

/** A place, and the hook whose callbacks ran; empty if none did. */
export interface HookedPlace extends PhpPlace {
  readonly hook: string;
}

interface RunAbility extends PhpPlace {
  readonly name: string;
  /** The definition, as JSON text. */
  readonly json: string;
  /** The places of its parts, by JSON Pointer into the definition; empty unless traced. */
  readonly lines: ReadonlyMap<string, PhpPlace>;
}

/** Text that a plugin prints, which breaks the JSON of a site. */
export interface PhpOutput extends HookedPlace {
  readonly text: string;
}

/** A question of a plugin about the site, such as `get_option("acme_mode")`. */
export interface Question extends PhpPlace {
  readonly question: string;
  /** The answer of a new site. */
  readonly value: JsonValue;
  /** The texts with which its line may compare the answer. */
  readonly near: readonly string[];
}

/** Why a WordPress returned no abilities. */
export interface SiteFailure extends HookedPlace {
  readonly kind: string;
  readonly message: string;
  /** The function, class or constant that is not defined; empty for another failure. */
  readonly missing: string;
}

/** Reads a value of an answer. Our own PHP wrote it, so a value of another type counts as absent. */
type Read<T> = (value: JsonValue | undefined) => T;

const text: Read<string> = (value) => (typeof value === "string" ? value : "");
const lineNumber: Read<number> = (value) => (typeof value === "number" ? value : 0);
const texts: Read<readonly string[]> = (value) =>
  isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];

function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value) => (isJsonArray(value) ? value.filter(isJsonObject).map(read) : []);
}

function object<T extends object>(members: { readonly [Key in keyof T]: Read<T[Key]> }): Read<T> {
  const readers: readonly (readonly [string, Read<unknown>])[] = Object.entries(members);
  return (value) => {
    const holder = objectOrEmpty(value);
    // Each key is read as its type.
    return Object.fromEntries(readers.map(([key, read]) => [key, read(getOwn(holder, key))])) as T;
  };
}

const place = { file: text, line: lineNumber };
const hooked = { ...place, hook: text };
/** A place that is printed as `[file, line]`. */
const pair: Read<PhpPlace> = (value) => {
  const [file, line] = isJsonArray(value) ? value : [];
  return { file: text(file), line: lineNumber(line) };
};
const failure = object<SiteFailure>({ ...hooked, kind: text, message: text, missing: text });
const phpAnswer = object<PhpAnswer>({
  php: text,
  wordpress: text,
  abilities: listOf(
    object<RunAbility>({
      ...place,
      name: text,
      json: text,
      // PHP prints an empty object as an empty list.
      lines: (value) => new Map(Object.entries(mapEntries(objectOrEmpty(value), pair))),
    }),
  ),
  refused: listOf(
    object<RefusedRegistration>({
      ...place,
      name: text,
      reason: text,
      kind: (value) => (value === "category" ? value : "ability"),
    }),
  ),
  old: listOf(object<HookedPlace>(hooked)),
  servers: listOf(object<AdapterServer>({ route: text, tools: texts })),
  uncalled: listOf(object<PhpPlace>(place)),
  included: texts,
  failure: (value) => (isJsonObject(value) ? failure(value) : undefined),
  asked: listOf(object<Question>({ ...place, question: text, near: texts, value: (value) => value ?? null })),
  queries: listOf(object<PhpPlace>(place)),
  outputs: listOf(object<PhpOutput>({ ...hooked, text })),
});

/** Parses an answer; undefined for a text that is not one. */
export function readPhpAnswer(json: string): PhpAnswer | undefined {
  const answer = tryParseJson(json);
  return isJsonObject(answer) ? phpAnswer(answer) : undefined;
}
