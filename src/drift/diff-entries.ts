import type { Change } from "../core/change.js";
import { ENTRY_LIST_NAMES, type EntryList } from "../core/entries.js";
import {
  foldSpace,
  hasSameWords,
  isSameJson,
  joinPointer,
  keysOfBoth,
  narrowDifference,
} from "../core/json-pointer.js";
import { findOwn, getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import type { EntrySnapshots } from "../core/snapshot.js";
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
    const listBefore = before[list];
    const listAfter = after[list];
    if (listBefore === undefined || listAfter === undefined) return [];
    return keysOfBoth(listBefore, listAfter).flatMap((id) => {
      const locked = getOwn(listBefore, id);
      const listed = getOwn(listAfter, id);
      const report: ReportChange = (rule, path, details = {}) =>
        makeChange(rule, { server, path: `${joinPointer("", list, id)}${path}` }, details);
      const { noun } = COMPARISONS[list];
      if (locked === undefined) return [report(`${noun}-added`, "", { after: listed })];
      if (listed === undefined) return [report(`${noun}-removed`, "", { before: locked })];
      return diffKeys(locked, listed, COMPARISONS[list], report);
    });
  });
}

type ReportChange = (rule: RuleName, path: string, details?: ChangeDetails) => Change;

/** Compares the values of one key; undefined if they are compared like those of any other key. */
type DiffKey = (
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  report: ReportChange,
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
  entryBefore: JsonObject,
  entryAfter: JsonObject,
  { noun, texts, keys }: Comparison,
  report: ReportChange,
): readonly Change[] {
  return keysOfBoth(entryBefore, entryAfter).flatMap((key) => {
    const before = getOwn(entryBefore, key);
    const after = getOwn(entryAfter, key);
    const isSame = TEXTS.has(key) ? hasSameWords : isSameJson;
    if (isSame(before, after) || (key === "title" && isShownNameKept(entryBefore, entryAfter))) return [];
    const changes = getOwn(keys, key)?.(before, after, report);
    if (changes !== undefined) return changes;
    const { at, ...values } = narrowDifference({ at: joinPointer("", key), before, after });
    return [report(`${noun}-${texts.includes(key) ? "text" : "details"}-changed`, at, values)];
  });
}

interface PromptArgument {
  readonly path: string;
  readonly definition: JsonObject;
}

/** Returns the arguments of a prompt by name; undefined for a value that is not a list of arguments, each with its own name. */
function readArguments(value: JsonValue | undefined): ReadonlyMap<string, PromptArgument> | undefined {
  if (value !== undefined && value !== null && !isJsonArray(value)) return undefined;
  const named = (value ?? []).map((definition, index): [JsonValue | undefined, PromptArgument] | undefined =>
    isJsonObject(definition)
      ? [getOwn(definition, "name"), { path: joinPointer("/arguments", index), definition }]
      : undefined,
  );
  const entries = named.filter((entry): entry is [string, PromptArgument] => typeof entry?.[0] === "string");
  const byName = new Map(entries);
  return byName.size === named.length ? byName : undefined;
}

function diffArguments(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  report: ReportChange,
): readonly Change[] {
  const namedBefore = readArguments(before);
  const namedAfter = readArguments(after);
  if (namedBefore === undefined || namedAfter === undefined) {
    const reason = "A list of arguments without names, or with a name twice, cannot be compared.";
    return [report("prompt-details-changed", "/arguments", { before, after, class: "unknown", reason })];
  }
  const gone = [...namedBefore].flatMap(([name, { path, definition }]) =>
    namedAfter.has(name) ? [] : [report("prompt-argument-removed", path, { before: definition, item: name })],
  );
  const others = [...namedAfter].flatMap(([item, { path, definition }]) => {
    const locked = namedBefore.get(item)?.definition;
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
  report: ReportChange,
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
  report: ReportChange,
): readonly Change[] {
  const path = "/resources";
  if (!isJsonArray(after)) return [report("skill-became-dynamic", path, { before, after })];
  if (!isJsonArray(before)) return [report("skill-files-changed", path, { before, after })];
  const filesBefore = filesByUri(before);
  const filesAfter = filesByUri(after);
  const lost = before.flatMap((file, index) =>
    filesAfter.has(uriOf(file))
      ? []
      : [report("skill-files-changed", joinPointer(path, index), { before: file, item: uriOf(file) })],
  );
  const others = after.flatMap((file, index) => {
    const locked = filesBefore.get(uriOf(file));
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
  const names = new Set(toolsOf(before));
  return toolsOf(after).some((tool) => !names.has(tool));
}

/** The tools of `allowed-tools`: separated by spaces or commas, outside of parentheses, or a list. */
function toolsOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonArray(value)) return value;
  return typeof value === "string" ? (value.match(/(?:[^\s,()]|\([^()]*\))+/g) ?? []) : [];
}

/** Whether clients show the same name for two prompts, resources or servers, which have one title at most. */
function isShownNameKept(before: JsonObject, after: JsonObject): boolean {
  const [nameBefore, nameAfter] = [before, after].map((each) => {
    const title = foldSpace(findOwn(each, "title"));
    return title === "" ? foldSpace(findOwn(each, "name")) : title;
  });
  return isSameJson(nameBefore, nameAfter);
}
