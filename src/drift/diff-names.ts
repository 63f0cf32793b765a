import type { Change } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import { byCodeUnit, canonicalJson, findOwn, type JsonObject, type JsonValue } from "../core/json.js";
import { toCamelCase } from "../schema/print/identifiers.js";
import { makeChange } from "./finding.js";
import { foldSpace, isSameJson } from "../core/json-pointer.js";

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
export function isShownNameKept(before: JsonObject, after: JsonObject): boolean {
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
