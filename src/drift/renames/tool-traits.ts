import { canonicalJson } from "../../contract/canonical-json.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import { partsOfName, weighByRarity, type Weigh, wordsOfName, wordsOfText } from "./similarity.js";

/** The parts of a tool that are compared. */
export interface Traits {
  readonly name: readonly string[];
  /** The words of the name, sorted. */
  readonly spelt: string;
  readonly description: readonly string[];
  readonly properties: readonly string[];
  /** The type of each property as text. */
  readonly schemas: ReadonlyMap<string, string>;
  /**
   * The words of the enumerated values of each property. For a required property also the words of its description, because
   * some servers describe the values in words.
   */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  readonly isReader: boolean | undefined;
}

export function traitsOf(tool: ToolSnapshot): Traits {
  const annotations = getOwn(tool, "annotations");
  const reads = isJsonObject(annotations) ? getOwn(annotations, "readOnlyHint") : undefined;
  const [keyed, required] = [propertiesOf(tool), requiredOf(tool)];
  return {
    name: wordsOfName(tool.name),
    spelt: [...partsOfName(tool.name)].sort().join(" "),
    description: wordsOfDescription(tool),
    properties: keyed.map(([key]) => key),
    schemas: new Map(keyed.map(([key, item]) => [key, typeTextOf(item)])),
    choices: new Map(keyed.map(([key, item]) => [key, choicesOf(item, required.includes(key))])),
    isReader: typeof reads === "boolean" ? reads : undefined,
  };
}

/** Properties by the words of their names. */
export function propertiesOf(tool: ToolSnapshot): readonly (readonly [string, JsonValue])[] {
  const schema = getOwn(tool, "inputSchema");
  const map = isJsonObject(schema) ? getOwn(schema, "properties") : undefined;
  const properties = isJsonObject(map) ? Object.entries(map) : [];
  return properties.map(([name, item]) => [wordsOfName(name).join(" "), item]);
}

function requiredOf(tool: ToolSnapshot): readonly string[] {
  const schema = getOwn(tool, "inputSchema");
  const names = isJsonObject(schema) ? getOwn(schema, "required") : undefined;
  const list: readonly JsonValue[] = Array.isArray(names) ? names : [];
  return list.flatMap((name) => (typeof name === "string" ? [wordsOfName(name).join(" ")] : []));
}

function wordsOfDescription(tool: ToolSnapshot): readonly string[] {
  const description = getOwn(tool, "description");
  return typeof description === "string" ? wordsOfText(description) : [];
}

function choicesOf(schema: JsonValue, isRequired: boolean): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const [values, description] = [getOwn(schema, "enum"), getOwn(schema, "description")];
  const listed: readonly JsonValue[] = Array.isArray(values) ? values : [];
  return [
    ...listed.slice(0, 50).flatMap((value) => (typeof value === "string" ? wordsOfName(value) : [])),
    ...(isRequired && typeof description === "string" ? wordsOfText(description) : []),
  ];
}

function typeTextOf(schema: JsonValue): string {
  const type = isJsonObject(schema) ? getOwn(schema, "type") : undefined;
  return type === undefined ? "" : canonicalJson(type);
}

/** The words of all tools of a server. */
export interface ServerWords {
  /** The weight of a word or a property, by its rarity. */
  readonly name: Weigh;
  readonly description: Weigh;
  readonly property: Weigh;
  /** The words of all names, before and after. */
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  /** The words in most names, such as a prefix. */
  readonly common: ReadonlySet<string>;
}

const LEAST_NAMES = 4;

export function wordsOfServer(
  removed: readonly ToolSnapshot[],
  added: readonly ToolSnapshot[],
  others: readonly ToolSnapshot[],
): ServerWords {
  const tools = [...removed, ...added, ...others];
  const wordsOf = (some: readonly ToolSnapshot[]): ReadonlySet<string> =>
    new Set(some.flatMap(({ name }) => wordsOfName(name)));
  const names = tools.map(({ name }) => wordsOfName(name));
  const kept = others.map(({ name }) => wordsOfName(name));
  // If there are few tools, a word in most of them may be their topic.
  const isCommon = (word: string): boolean =>
    kept.length >= LEAST_NAMES && 2 * kept.filter((name) => name.includes(word)).length > kept.length;
  return {
    name: weighByRarity(names),
    description: weighByRarity(tools.map(wordsOfDescription)),
    property: weighByRarity(tools.map((tool) => propertiesOf(tool).map(([key]) => key))),
    before: wordsOf([...removed, ...others]),
    after: wordsOf([...added, ...others]),
    common: new Set([...wordsOf(others)].filter(isCommon)),
  };
}
