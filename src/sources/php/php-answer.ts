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

/** Reads a value of an answer. Our own PHP wrote it, so a value of another type counts as absent. */
type Read<T> = (value: JsonValue | undefined) => T;

/** The object that readers of its members read. */
type Members<M extends { readonly [key: string]: Read<unknown> }> = {
  readonly [K in keyof M]: ReturnType<M[K]>;
};

const text: Read<string> = (value) => (typeof value === "string" ? value : "");
const lineNumber: Read<number> = (value) => (typeof value === "number" ? value : 0);
const texts: Read<readonly string[]> = (value) =>
  isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];

function object<M extends { readonly [key: string]: Read<unknown> }>(members: M): Read<Members<M>> {
  return (value) => {
    const holder = objectOrEmpty(value);
    // Each key is read as its type.
    return mapEntries(members, (read, key) => read(getOwn(holder, key))) as Members<M>;
  };
}

function listOf<M extends { readonly [key: string]: Read<unknown> }>(
  members: M,
): Read<readonly Members<M>[]> {
  const read = object(members);
  return (value) => (isJsonArray(value) ? value.filter(isJsonObject).map(read) : []);
}

/** A place in the user's PHP code. The line is 0 if unknown. */
export type PhpPlace = Members<typeof place>;
const place = { file: text, line: lineNumber };

/** Names a place in a message. */
export function describePlace({ file, line }: PhpPlace, nameOf: (file: string) => string): string {
  const name = JSON.stringify(nameOf(file));
  return line > 0 ? `${name}, line ${line}` : name;
}

/** A place, and the hook whose callbacks ran; empty if none did. */
export type HookedPlace = Members<typeof hooked>;
const hooked = { ...place, hook: text };

/** A place that is printed as `[file, line]`. */
const pair: Read<PhpPlace> = (value) => {
  const [file, line] = isJsonArray(value) ? value : [];
  return { file: text(file), line: lineNumber(line) };
};

/** Text that a plugin prints, which breaks the JSON of a site. */
export type PhpOutput = Members<typeof output>;
const output = { ...hooked, text };

/** A question of a plugin about the site, such as `get_option("acme_mode")`. */
export type Question = Members<typeof question>;
const question = {
  ...place,
  question: text,
  /** The answer of a new site. */
  value: (value: JsonValue | undefined): JsonValue => value ?? null,
  /** The texts with which its line may compare the answer. */
  near: texts,
};

/** Why a WordPress returned no abilities. */
export type SiteFailure = Members<typeof failure>;
const failure = {
  ...hooked,
  kind: text,
  message: text,
  /** The function, class or constant that is not defined; empty for another failure. */
  missing: text,
};

/** The answer of a WordPress, as `collect.php` prints it. Files have the names that PHP reports there. */
export type PhpAnswer = Members<typeof answer>;
const answer = {
  /** The version of PHP. */
  php: text,
  /** The version of WordPress. */
  wordpress: text,
  abilities: listOf({
    ...place,
    name: text,
    /** The definition, as JSON text. */
    json: text,
    /** The places of its parts, by JSON Pointer into the definition; empty unless traced: PHP prints an empty list. */
    lines: (value): ReadonlyMap<string, PhpPlace> =>
      new Map(Object.entries(mapEntries(objectOrEmpty(value), pair))),
  }),
  refused: listOf({
    ...place,
    name: text,
    reason: text,
    kind: (value): RefusedRegistration["kind"] => (value === "category" ? value : "ability"),
  }),
  /** Callbacks on hooks that this WordPress does not fire. */
  old: listOf(hooked),
  /** The servers of the MCP adapter: the route below `/wp-json/`, and the names of the tools. */
  servers: listOf({ route: text, tools: texts }),
  /** Callbacks that make servers of the MCP adapter, if none is there to call them. */
  uncalled: listOf(place),
  /** The loaded PHP files, without those of WordPress itself. */
  included: texts,
  /** Why there are no abilities. */
  failure: (value: JsonValue | undefined): SiteFailure | undefined =>
    isJsonObject(value) ? object(failure)(value) : undefined,
  /** The questions of the plugins about the site. Only the core without a site returns these and the members below. */
  asked: listOf(question),
  /** Queries of plugins that a database would answer. */
  queries: listOf(place),
  outputs: listOf(output),
};

/** Parses an answer; undefined for a text that is not one. */
export function readPhpAnswer(json: string): PhpAnswer | undefined {
  const value = tryParseJson(json);
  return isJsonObject(value) ? object(answer)(value) : undefined;
}
