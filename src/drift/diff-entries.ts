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
import { type ChangeDetails, makeChange } from "./finding.js";
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
      const noun = NOUN_OF[list];
      if (locked === undefined) return [report(`${noun}-added`, "", { after: listed })];
      if (listed === undefined) return [report(`${noun}-removed`, "", { before: locked })];
      return isSameJson(locked, listed) ? [] : DIFF_OF[noun](locked, listed, report);
    });
  });
}

type Report = (rule: RuleName, path: string, details?: ChangeDetails) => Change;

/** Templates of resources have the rules of resources. */
const NOUN_OF = {
  prompts: "prompt",
  resources: "resource",
  resourceTemplates: "resource",
  skills: "skill",
} as const satisfies Record<EntryList, string>;

const DIFF_OF = { prompt: diffPrompt, resource: diffResource, skill: diffSkill } as const;

function diffPrompt(before: JsonObject, after: JsonObject, report: Report): readonly Change[] {
  return diffKeys(before, after, (key, old, now, path) => {
    if (key === "title" || key === "description")
      return [report("prompt-text-changed", path, { before: old, after: now })];
    const [locked, listed] = [readArguments(old), readArguments(now)];
    return key === "arguments" && locked !== undefined && listed !== undefined
      ? diffArguments(locked, listed, report)
      : [report("prompt-details-changed", path, { before: old, after: now })];
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
  before: ReadonlyMap<string, PromptArgument>,
  after: ReadonlyMap<string, PromptArgument>,
  report: Report,
): readonly Change[] {
  const gone = [...before].flatMap(([name, { path, definition }]) =>
    after.has(name) ? [] : [report("prompt-argument-removed", path, { before: definition, item: name })],
  );
  const others = [...after].flatMap(([name, { path, definition }]) => {
    const locked = before.get(name);
    const isRequired = getOwn(definition, "required") === true;
    if (locked === undefined) {
      const kind = isRequired ? "required" : "optional";
      return [report(`prompt-${kind}-argument-added`, path, { after: definition, item: name })];
    }
    const wasRequired = getOwn(locked.definition, "required") === true;
    const turned: readonly Change[] =
      wasRequired === isRequired
        ? []
        : [
            report(isRequired ? "prompt-argument-became-required" : "prompt-argument-became-optional", path, {
              before: locked.definition,
              after: definition,
              item: name,
            }),
          ];
    const rest = diffKeys(locked.definition, definition, (key, old, now, inner) => {
      if (key === "required") return [];
      const rule =
        key === "title" || key === "description" ? "prompt-text-changed" : "prompt-details-changed";
      return [report(rule, `${path}${inner}`, { before: old, after: now, item: name })];
    });
    return [...turned, ...rest];
  });
  return [...gone, ...others];
}

function diffResource(before: JsonObject, after: JsonObject, report: Report): readonly Change[] {
  return diffKeys(before, after, (key, old, now, path) => {
    const rule =
      key === "mimeType"
        ? "resource-type-changed"
        : key === "name" || key === "title" || key === "description"
          ? "resource-text-changed"
          : "resource-details-changed";
    return [report(rule, path, { before: old, after: now })];
  });
}

function diffSkill(before: JsonObject, after: JsonObject, report: Report): readonly Change[] {
  return diffKeys(before, after, (key, old, now, path) => {
    if (key === "resources") return diffFiles(old, now, report);
    if (key !== "frontmatter" || !isJsonObject(old) || !isJsonObject(now))
      return [report("skill-details-changed", path, { before: old, after: now })];
    return diffKeys(old, now, (field, was, is, inner) => {
      const rule =
        field === "name" || field === "description"
          ? "skill-text-changed"
          : field === "allowed-tools" && isWider(was, is)
            ? "skill-tools-widened"
            : "skill-details-changed";
      return [report(rule, `${path}${inner}`, { before: was, after: is })];
    });
  });
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

/** Whether the list of tools in the frontmatter of a skill gained a tool. */
function isWider(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  const known = new Set(toolsOf(before));
  return toolsOf(after).some((tool) => !known.has(tool));
}

/** The tools of `allowed-tools`: separated by spaces or commas, outside of parentheses, or a list. */
function toolsOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonArray(value)) return value;
  return typeof value === "string" ? (value.match(/(?:[^\s,()]|\([^()]*\))+/g) ?? []) : [];
}

/** Keys of entries, of their arguments and of frontmatter that hold a text. */
const TEXTS: ReadonlySet<string> = new Set(["name", "title", "description"]);

/** Keys of a skill that are compared by their own rules. */
const WHOLE: ReadonlySet<string> = new Set(["frontmatter"]);

/** Calls `diff` for each key that differs, with the place of the difference. Paths are relative to the entry. */
function diffKeys(
  before: JsonObject,
  after: JsonObject,
  diff: (
    key: string,
    before: JsonValue | undefined,
    after: JsonValue | undefined,
    path: string,
  ) => readonly Change[],
): readonly Change[] {
  const keys = keysOfBoth(before, after);
  return keys.flatMap((key) => {
    const [old, now] = [getOwn(before, key), getOwn(after, key)];
    const isSame = TEXTS.has(key) ? hasSameWords : isSameJson;
    if (isSame(old, now) || (key === "title" && isShownNameKept(before, after))) return [];
    const at = joinPointer("", key);
    if (WHOLE.has(key)) return diff(key, old, now, at);
    const inner = narrowDifference({ at, before: old, after: now });
    return diff(key, inner.before, inner.after, inner.at);
  });
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
  const place = (
    tool: string,
  ): { readonly server: string; readonly tool: string; readonly path: string } => ({
    server,
    tool,
    path: "/name",
  });
  return [
    ...added
      .filter((name) => !VALID.test(name))
      .map((name) => makeChange("tool-name-invalid", place(name), { after: name })),
    ...[...repeated].map((name) => makeChange("tool-name-duplicate", place(name), { after: name })),
    ...findCollisions(added, [...now, ...unchanged]).map(({ name, other }) =>
      makeChange("tool-name-collision", place(name), { before: other, after: name }),
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
    if (index === changedAt)
      return [makeChange("tool-title-changed", place, { before: was?.value, after: is?.value })];
    const isCopy = ["", shown].includes(from?.text ?? "") && ["", shows].includes(to?.text ?? "");
    if (from?.text === to?.text || isCopy) return [];
    const details = { before: from?.value, after: to?.value };
    const reason = "Clients show another title.";
    return [makeChange("tool-title-changed", place, { ...details, class: "safe", reason })];
  });
}

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
