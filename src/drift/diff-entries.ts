import type { Change } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { ENTRY_LIST_NAMES, type EntryList } from "../core/entries.js";
import {
  foldSpace,
  hasSameWords,
  isSameJson,
  joinPointer,
  keysOfBoth,
  narrowDifference,
} from "../core/json-pointer.js";
import {
  byCodeUnit,
  canonicalJson,
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../core/json.js";
import type { EntrySnapshots, ToolSnapshot } from "../core/snapshot.js";
import { toCamelCase } from "../schema/print/identifiers.js";
import { type ChangeDetails, makeChange } from "./unconfirmed-change.js";
import type { RuleName } from "./rules.js";

/**
 * Returns the changes of a server's prompts, resources, templates and skills. Paths begin with the list and the entry,
 * such as `/prompts/review/arguments/0`. A list that one side does not have was not requested, so it is not compared.
 */
export function diffEntries(
  server: string,
  before: EntrySnapshots,
  after: EntrySnapshots,
): readonly Change[] {
  return ENTRY_LIST_NAMES.flatMap((list) => {
    const [old, now] = [before[list], after[list]];
    if (old === undefined || now === undefined) return [];
    return keysOfBoth(old, now).flatMap((id) => {
      const [locked, listed] = [getOwn(old, id), getOwn(now, id)];
      const report: Report = (rule, path, details = {}) =>
        makeChange(rule, { server, path: `${joinPointer("", list, id)}${path}` }, details);
      const { noun } = COMPARISONS[list];
      if (locked === undefined) return [report(`${noun}-added`, "", { after: listed })];
      if (listed === undefined) return [report(`${noun}-removed`, "", { before: locked })];
      return isSameJson(locked, listed) ? [] : diffKeys(locked, listed, COMPARISONS[list], report);
    });
  });
}

type Report = (rule: RuleName, path: string, details?: ChangeDetails) => Change;

/** Compares the values of one key; undefined if they are compared like those of any other key. */
type DiffKey = (
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  report: Report,
) => readonly Change[] | undefined;

/** How an entry or a part of one is compared: the keys that hold a text, and the keys with their own rules. */
interface Comparison {
  readonly noun: "prompt" | "resource" | "skill";
  readonly texts: readonly string[];
  readonly keys: Readonly<Record<string, DiffKey>>;
}

const RESOURCE: Comparison = {
  noun: "resource",
  texts: ["name", "title", "description"],
  keys: {
    mimeType: (before, after, report) => [report("resource-type-changed", "/mimeType", { before, after })],
  },
};

/** Templates of resources have the rules of resources. */
const COMPARISONS: Readonly<Record<EntryList, Comparison>> = {
  prompts: { noun: "prompt", texts: ["title", "description"], keys: { arguments: diffArguments } },
  resources: RESOURCE,
  resourceTemplates: RESOURCE,
  skills: { noun: "skill", texts: [], keys: { resources: diffFiles, frontmatter: diffFrontmatter } },
};

const ARGUMENT: Comparison = {
  noun: "prompt",
  texts: ["title", "description"],
  keys: { required: () => [] },
};

const FRONTMATTER: Comparison = {
  noun: "skill",
  texts: ["name", "description"],
  keys: {
    "allowed-tools": (before, after, report) =>
      isWider(before, after)
        ? [report("skill-tools-widened", "/allowed-tools", { before, after })]
        : undefined,
  },
};

/** Keys of entries, of their arguments and of frontmatter that hold a text. */
const TEXTS: ReadonlySet<string> = new Set(["name", "title", "description"]);

/** Compares two entries or parts of entries, key by key. Paths are relative to them. */
function diffKeys(
  before: JsonObject,
  after: JsonObject,
  { noun, texts, keys }: Comparison,
  report: Report,
): readonly Change[] {
  return keysOfBoth(before, after).flatMap((key) => {
    const [old, now] = [getOwn(before, key), getOwn(after, key)];
    const isSame = TEXTS.has(key) ? hasSameWords : isSameJson;
    if (isSame(old, now) || (key === "title" && isShownNameKept(before, after))) return [];
    const own = getOwn(keys, key)?.(old, now, report);
    if (own !== undefined) return own;
    const { at, ...values } = narrowDifference({ at: joinPointer("", key), before: old, after: now });
    return [report(`${noun}-${texts.includes(key) ? "text" : "details"}-changed`, at, values)];
  });
}

interface PromptArgument {
  readonly path: string;
  readonly definition: JsonObject;
}

/** Returns the arguments of a prompt by name; undefined for a value that is not a list of arguments. */
function readArguments(value: JsonValue | undefined): ReadonlyMap<string, PromptArgument> | undefined {
  if (value !== undefined && value !== null && !isJsonArray(value)) return undefined;
  const named = (value ?? []).map((definition, index): [JsonValue | undefined, PromptArgument] | undefined =>
    isJsonObject(definition)
      ? [getOwn(definition, "name"), { path: joinPointer("/arguments", index), definition }]
      : undefined,
  );
  const entries = named.filter((entry): entry is [string, PromptArgument] => typeof entry?.[0] === "string");
  return entries.length === named.length ? new Map(entries) : undefined;
}

function diffArguments(
  old: JsonValue | undefined,
  now: JsonValue | undefined,
  report: Report,
): readonly Change[] | undefined {
  const [before, after] = [readArguments(old), readArguments(now)];
  if (before === undefined || after === undefined) return undefined;
  const gone = [...before].flatMap(([name, { path, definition }]) =>
    after.has(name) ? [] : [report("prompt-argument-removed", path, { before: definition, item: name })],
  );
  const others = [...after].flatMap(([item, { path, definition }]) => {
    const locked = before.get(item)?.definition;
    const isRequired = getOwn(definition, "required") === true;
    const details = { before: locked, after: definition, item };
    const kind = isRequired ? "required" : "optional";
    if (locked === undefined) return [report(`prompt-${kind}-argument-added`, path, details)];
    const hasTurned = (getOwn(locked, "required") === true) !== isRequired;
    return [
      ...(hasTurned ? [report(`prompt-argument-became-${kind}`, path, details)] : []),
      ...diffKeys(locked, definition, ARGUMENT, (rule, inner, values) =>
        report(rule, `${path}${inner}`, { ...values, item }),
      ),
    ];
  });
  return [...gone, ...others];
}

function diffFrontmatter(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  report: Report,
): readonly Change[] | undefined {
  if (!isJsonObject(before) || !isJsonObject(after)) return undefined;
  return diffKeys(before, after, FRONTMATTER, (rule, inner, values) =>
    report(rule, `/frontmatter${inner}`, values),
  );
}

/**
 * Compares the files of a skill: a list with their digests, or `dynamic` where the server publishes none (SEP-2640,
 * "Resources").
 */
function diffFiles(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  report: Report,
): readonly Change[] {
  const path = "/resources";
  if (!isJsonArray(after)) return [report("skill-became-dynamic", path, { before, after })];
  if (!isJsonArray(before)) return [report("skill-files-changed", path, { before, after })];
  const [old, now] = [filesByUri(before), filesByUri(after)];
  const lost = before.flatMap((file, index) =>
    now.has(uriOf(file))
      ? []
      : [report("skill-files-changed", joinPointer(path, index), { before: file, item: uriOf(file) })],
  );
  const others = after.flatMap((file, index) => {
    const locked = old.get(uriOf(file));
    if (locked !== undefined && isSameJson(locked, file)) return [];
    const details = { before: locked, after: file, item: uriOf(file) };
    return [report("skill-files-changed", joinPointer(path, index), details)];
  });
  return [...lost, ...others];
}

function filesByUri(files: readonly JsonValue[]): ReadonlyMap<string | undefined, JsonValue> {
  return new Map(files.map((file) => [uriOf(file), file]));
}

function uriOf(file: JsonValue): string | undefined {
  const uri = findOwn(file, "uri");
  return typeof uri === "string" ? uri : undefined;
}

function isWider(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  const known = new Set(toolsOf(before));
  return toolsOf(after).some((tool) => !known.has(tool));
}

/** The tools of `allowed-tools`: separated by spaces or commas, outside of parentheses, or a list. */
function toolsOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonArray(value)) return value;
  return typeof value === "string" ? (value.match(/(?:[^\s,()]|\([^()]*\))+/g) ?? []) : [];
}

/** Valid names of tools (MCP specification 2025-11-25, "Tool Names"). */
const VALID = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Returns the problems of new names: invalid names, names that generate the same identifier as another tool, and names that
 * are now `repeated`. `unchanged` lists the names of tools that both lists leave out.
 */
export function diffNames(
  server: string,
  before: readonly ToolSnapshot[],
  after: readonly ToolSnapshot[],
  { unchanged, repeated }: { readonly unchanged: readonly string[]; readonly repeated: Iterable<string> },
): readonly Change[] {
  const known = new Set(before.map(({ name }) => name));
  const now = new Set(after.map(({ name }) => name));
  const added = [...now].filter((name) => !known.has(name)).sort(byCodeUnit);
  const report = (rule: RuleName, name: string, before?: string): Change =>
    makeChange(rule, { server, tool: name, path: "/name" }, { before, after: name });
  return [
    ...added.filter((name) => !VALID.test(name)).map((name) => report("tool-name-invalid", name)),
    ...[...repeated].map((name) => report("tool-name-duplicate", name)),
    ...findCollisions(added, [...now, ...unchanged]).map(({ name, other }) =>
      report("tool-name-collision", name, other),
    ),
  ];
}

/** New names that generate the same identifier as another tool. */
function findCollisions(
  added: readonly string[],
  all: readonly string[],
): readonly { readonly name: string; readonly other: string }[] {
  if (added.length === 0) return [];
  const byIdentifier = groupBy([...all].sort(byCodeUnit), toCamelCase);
  return added.flatMap((name) => {
    const identifier = toCamelCase(name);
    const other = byIdentifier.get(identifier)?.find((one) => one !== name);
    return identifier === "" || other === undefined ? [] : [{ name, other }];
  });
}

/**
 * Returns the names that the new list repeats more often than the old list, or with other definitions. The value of each is
 * its further definitions that the old list did not have. A change of the first definition does not count.
 */
export function findRepeated(
  before: readonly ToolSnapshot[],
  after: readonly ToolSnapshot[],
): ReadonlyMap<string, readonly ToolSnapshot[]> {
  const groups = [...groupBy(after, ({ name }) => name)].filter(([, definitions]) => definitions.length > 1);
  if (groups.length === 0) return new Map();
  const known = groupBy(before, ({ name }) => name);
  return new Map(
    groups.flatMap(([name, [, ...further]]): readonly (readonly [string, readonly ToolSnapshot[]])[] => {
      const old = known.get(name) ?? [];
      const texts = new Set(old.map(canonicalJson));
      const news = further.filter((definition) => !texts.has(canonicalJson(definition)));
      return news.length > 0 || further.length >= Math.max(old.length, 1) ? [[name, news]] : [];
    }),
  );
}

/** The places of a title, in the order in which clients look for the name to show (MCP specification, `BaseMetadata`). */
const PLACES = ["/title", "/annotations/title"] as const;

interface Title {
  readonly value: JsonValue | undefined;
  /** Empty if there is no title. */
  readonly text: string;
}

/**
 * Returns the change of the name that clients show: the title, else the title among the annotations, else the name of the
 * tool. A title that repeats the shown name says nothing new; one that clients do not show is safe.
 */
export function diffTitles(server: string, before: ToolSnapshot, after: ToolSnapshot): readonly Change[] {
  const [old, now] = [titlesOf(before), titlesOf(after)];
  const [was, is] = [old.find(hasText), now.find(hasText)];
  const [shown, shows] = [was?.text ?? foldSpace(before.name), is?.text ?? foldSpace(after.name)];
  // Without titles, a new name is a rename.
  if (was === undefined && is === undefined) return [];
  const changedAt = shown === shows ? -1 : is === undefined ? old.findIndex(hasText) : now.indexOf(is);
  return PLACES.flatMap((path, index) => {
    const place = { server, tool: after.name, path };
    const [from, to] = [old[index], now[index]];
    if (index === changedAt) {
      // SDKs that begin to write a title repeat it for older clients.
      const isFirst = was === undefined && now.every(({ text }) => text === shows);
      const first = isFirst ? { class: "safe" as const, reason: FIRST_TITLE } : {};
      return [makeChange("tool-title-changed", place, { before: was?.value, after: is?.value, ...first })];
    }
    const isCopy = ["", shown].includes(from?.text ?? "") && ["", shows].includes(to?.text ?? "");
    if (from?.text === to?.text || isCopy) return [];
    const details = { before: from?.value, after: to?.value };
    const reason = "Clients show another title.";
    return [makeChange("tool-title-changed", place, { ...details, class: "safe", reason })];
  });
}

const FIRST_TITLE = "The tool had no title, and has the same one at both places.";

/** Whether clients show the same name for two prompts, resources or servers, which have one title at most. */
function isShownNameKept(before: JsonObject, after: JsonObject): boolean {
  const [was, is] = [before, after].map((each) => {
    const title = foldSpace(findOwn(each, "title"));
    return title === "" ? foldSpace(findOwn(each, "name")) : title;
  });
  return isSameJson(was, is);
}

function titlesOf(tool: ToolSnapshot): readonly Title[] {
  return [findOwn(tool, "title"), findOwn(findOwn(tool, "annotations"), "title")].map((value) => {
    const text = foldSpace(value);
    return { value, text: typeof text === "string" ? text : JSON.stringify(text) };
  });
}

function hasText({ text }: Title): boolean {
  return text !== "";
}
