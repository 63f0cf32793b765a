import type { JsonObject, JsonValue } from "../core/json.js";
import { singularOf } from "../core/words/verbs.js";
import { splitWords } from "../core/words/words.js";

/**
 * `natural`: values as the field has them. `plain`: without optional properties. `boundary`: the least and the most that the
 * schema allows, null, and empty lists.
 */
export type ValueKind = "natural" | "plain" | "boundary";

const NOUNS = "bread garden letter harbour window bicycle lantern market river autumn recipe journey library meadow kitchen station".split(" "); // prettier-ignore
const ADJECTIVES = "fresh quiet golden small early bright open northern wild simple warm blue".split(" ");
const FIRST_NAMES = "Ada Ben Clara Diego Emma Farid Grace Hugo Ines Jonas Keiko Lena".split(" ");
const LAST_NAMES = "Archer Baker Chen Diaz Ebert Fischer Garcia Haddad Ito Jensen".split(" ");
const CITIES = "Lisbon Oslo Kyoto Nairobi Lyon Quito Dublin Graz".split(" ");
const STREETS = ["Mill Lane", "Station Road", "Harbour Street", "Garden Row"];

type TextMaker = (random: Random) => string;

const words = (random: Random): string => `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`;
const title: TextMaker = (random) => capitalize(`${words(random)} ${random.pick(NOUNS)}`);
const sentence: TextMaker = (random) => `The ${words(random)} is near the ${words(random)}.`;
const slug: TextMaker = (random) => words(random).replace(" ", "-");
const person: TextMaker = (random) => `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
const url: TextMaker = (random) => `https://example.com/${slug(random)}`;
const digits = (random: Random, count: number, alphabet: string): string =>
  Array.from({ length: count }, () => alphabet[random.integer(0, alphabet.length - 1)]).join("");
const hex = (random: Random, count: number): string => digits(random, count, "0123456789abcdef");
const pad = (value: number): string => String(value).padStart(2, "0");
const date: TextMaker = (random) => `2026-${pad(random.integer(1, 12))}-${pad(random.integer(1, 28))}`;
const time: TextMaker = (random) =>
  `${pad(random.integer(0, 23))}:${pad(random.integer(0, 59))}:${pad(random.integer(0, 59))}Z`;
const dateTime: TextMaker = (random) => `${date(random)}T${time(random)}`;
const uuid: TextMaker = (random) =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`;
const email: TextMaker = (random) =>
  `${random.pick(FIRST_NAMES).toLowerCase()}.${random.pick(LAST_NAMES).toLowerCase()}@example.com`;
const host: TextMaker = (random) => `${random.pick(NOUNS)}.example.com`;
const ipv4: TextMaker = (random) => `192.0.2.${random.integer(1, 254)}`;
const fileName: TextMaker = (random) => `${slug(random)}.txt`;
const base64: TextMaker = (random) => `${digits(random, 11, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop")}A=`;

function byName<T>(
  separator: string,
  rows: readonly (readonly [names: string, value: T])[],
): ReadonlyMap<string, T> {
  return new Map(
    rows.flatMap(([names, value]) => names.split(separator).map((name) => [name, value] as const)),
  );
}

/** By format of JSON Schema, with those of OpenAPI for texts. */
const BY_FORMAT = byName<TextMaker>(" ", [
  ["date", date],
  ["date-time iso-date-time", dateTime],
  ["time iso-time", time],
  ["duration", (random) => `PT${random.integer(1, 90)}M`],
  ["email idn-email", email],
  ["hostname idn-hostname", host],
  ["ipv4", ipv4],
  ["ipv6", (random) => `2001:db8::${hex(random, 4)}`],
  ["uri url iri uri-template", url],
  ["uri-reference iri-reference", (random) => `/${slug(random)}`],
  ["uuid", uuid],
  ["byte", base64],
  ["binary", words],
  ["json-pointer", (random) => `/${random.pick(NOUNS)}`],
  ["json-pointer-uri-fragment", (random) => `#/${random.pick(NOUNS)}`],
  ["relative-json-pointer", (random) => `0/${random.pick(NOUNS)}`],
  ["regex", (random) => `^${random.pick(NOUNS)}$`],
]);

/** By the last word of a name, or its last two. */
const BY_WORD = byName<TextMaker>(" ", [
  ["url uri link href website homepage permalink avatar thumbnail", url],
  ["email mail", email],
  ["title headline subject label heading", title],
  ["description summary excerpt content body text message note notes comment bio details reason", sentence],
  ["uuid guid", uuid],
  ["date day birthday", date],
  ["at timestamp datetime created updated modified published expires", dateTime],
  ["time", dateTime],
  ["slug handle tag key", slug],
  ["author owner user creator assignee customer", person],
  ["host hostname domain", host],
  ["ip", ipv4],
  ["city town", (random) => random.pick(CITIES)],
  ["street address", (random) => `${random.integer(1, 99)} ${random.pick(STREETS)}`],
  ["country", (random) => random.pick(["PT", "NO", "JP", "KE", "FR", "IE"])],
  ["currency", (random) => random.pick(["EUR", "USD", "JPY", "GBP"])],
  ["language lang locale", (random) => random.pick(["en", "de", "fr", "ja"])],
  ["color colour", (random) => `#${hex(random, 6)}`],
  ["phone telephone mobile", (random) => `+1 555 01${pad(random.integer(0, 99))}`],
  ["zip postcode", (random) => digits(random, 5, "123456789")],
  ["version", (random) => `${random.integer(1, 4)}.${random.integer(0, 9)}.${random.integer(0, 9)}`],
  ["hash sha digest checksum commit", (random) => hex(random, 40)],
  ["cursor token etag", (random) => hex(random, 16)],
  ["id identifier", (random) => `${random.pick(NOUNS)}-${random.integer(100, 999)}`],
  ["path directory folder", (random) => `/${random.pick(NOUNS)}/${fileName(random)}`],
  ["file filename", fileName],
  ["mime", () => "text/plain"],
  ["timezone", () => "Europe/Lisbon"],
  ["price amount total", (random) => `${random.integer(1, 99)}.${pad(random.integer(0, 99))}`],
  ["html", (random) => `<p>${sentence(random)}</p>`],
  ["status state", (random) => random.pick(["active", "pending", "done"])],
  ["name", title],
]);

const BY_LAST_TWO = byName<TextMaker>(", ", [
  ["first name, given name", (random) => random.pick(FIRST_NAMES)],
  ["last name, family name", (random) => random.pick(LAST_NAMES)],
  ["user name, full name, author name, display name", person],
  ["file name", fileName],
  ["host name", host],
  ["file path", (random) => `/${random.pick(NOUNS)}/${fileName(random)}`],
  ["mime type, content type", () => "text/plain"],
  ["time zone", () => "Europe/Lisbon"],
]);

/** Returns a plausible text for a field with this name, or of this format if it is known. It may violate other rules. */
export function makeFieldText(name: string, format: string | undefined, random: Random): string {
  const byFormat = BY_FORMAT.get(format ?? "");
  if (byFormat !== undefined) return byFormat(random);
  const parts = splitWords(name);
  const last = parts.at(-1) ?? "";
  const maker =
    BY_LAST_TWO.get(parts.slice(-2).join(" ")) ??
    BY_WORD.get(last) ??
    // Items of a list have its name.
    BY_WORD.get(singularOf(last)) ??
    words;
  return maker(random);
}

const NUMBERS = byName<readonly [number, number]>(" ", [
  ["id number", [1, 999]],
  ["count total size quantity length stock", [1, 50]],
  ["year", [2020, 2026]],
  ["month", [1, 12]],
  ["day", [1, 28]],
  ["hour", [0, 23]],
  ["percent percentage progress", [0, 100]],
  ["price amount cost", [1, 200]],
  ["page", [1, 1]],
  ["pages", [1, 5]],
  ["rating stars", [1, 5]],
  ["width height", [100, 1600]],
  ["latitude lat", [-60, 60]],
  ["longitude lng lon", [-170, 170]],
  ["timestamp at", [1_767_225_600, 1_798_675_200]],
  ["port", [1024, 9000]],
  ["score confidence probability ratio", [0, 1]],
]);

/** Returns the usual range of a field of this name. */
export function rangeOfField(name: string): readonly [least: number, most: number] {
  const last = splitWords(name).at(-1) ?? "";
  return NUMBERS.get(last) ?? NUMBERS.get(singularOf(last)) ?? [1, 100];
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The ids of an answer by their subject: `post_id`, `postId` and the `id` of `post` are the same id. */
export class FieldIds {
  readonly #known: Map<string, JsonValue>;

  constructor(values: ReadonlyMap<string, JsonValue>) {
    this.#known = new Map(values);
  }

  /** Returns the ids in the arguments of a call. */
  static of(args: JsonObject, entity: string): FieldIds {
    const entries = Object.entries(args).flatMap(([name, value]): readonly [string, JsonValue][] => {
      const subject = subjectOf(name, entity);
      return subject === undefined || subject === "" ? [] : [[subject, value]];
    });
    return new FieldIds(new Map(entries));
  }

  get(name: string, entity: string): JsonValue | undefined {
    const subject = subjectOf(name, entity);
    return subject === undefined ? undefined : this.#known.get(subject);
  }

  /** Stores a value if its field is an id. Returns the value. */
  set(name: string, entity: string, value: JsonValue): JsonValue {
    const subject = subjectOf(name, entity);
    if (subject !== undefined) this.#known.set(subject, value);
    return value;
  }

  /** Returns the ids for an item of a list, which has its own id. */
  forItem(list: string): FieldIds {
    const ids = new FieldIds(this.#known);
    ids.#known.delete(entityOf(list));
    return ids;
  }
}

export function isIdField(name: string): boolean {
  return splitWords(name).at(-1) === "id";
}

/** Returns the subject of an id; undefined for a field that is not an id. */
function subjectOf(name: string, entity: string): string | undefined {
  if (!isIdField(name)) return undefined;
  const words = splitWords(name);
  return words.length === 1 ? entityOf(entity) : words.slice(0, -1).join(" ");
}

function entityOf(name: string): string {
  return singularOf(splitWords(name).join(" "));
}

/** A seeded generator of numbers. Equal seeds give equal numbers on every machine. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** Returns an integer between two others, inclusive. */
  integer(least: number, most: number): number;
  /** One of the items. Throws `RangeError` for an empty list. */
  pick<T>(items: readonly T[]): T;
}

/** Creates a generator: xmur3 hashes the seed, and mulberry32 generates the numbers. Not for secrets. */
export function createRandom(seed: string): Random {
  let state = hashText(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => {
      const index = Math.floor(next() * items.length);
      if (index >= items.length) throw new RangeError("There is nothing to pick from.");
      return items[index] as (typeof items)[number];
    },
  };
}

function hashText(text: string): number {
  let hash = 1_779_033_703 ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3_432_918_353);
    hash = (hash << 13) | (hash >>> 19);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return (hash ^ (hash >>> 16)) >>> 0;
}
