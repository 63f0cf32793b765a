import type { Change } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { byCodeUnit, canonicalJson, findOwn, type JsonValue } from "../core/json.js";
import { foldSpace } from "../core/json-pointer.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import { toCamelCase } from "../schema/print/identifiers.js";
import type { RuleName } from "./rules.js";
import { makeChange } from "./unconfirmed-change.js";

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
  const namesBefore = new Set(before.map(({ name }) => name));
  const namesAfter = new Set(after.map(({ name }) => name));
  const added = [...namesAfter].filter((name) => !namesBefore.has(name)).sort(byCodeUnit);
  const report = (rule: RuleName, name: string, before?: string): Change =>
    makeChange(rule, { server, tool: name, path: "/name" }, { before, after: name });
  return [
    ...added.filter((name) => !VALID.test(name)).map((name) => report("tool-name-invalid", name)),
    ...Array.from(repeated, (name) => report("tool-name-duplicate", name)),
    ...findCollisions(added, [...namesAfter, ...unchanged]).map(({ name, other }) =>
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
    const other = byIdentifier.get(identifier)?.find((candidate) => candidate !== name);
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
  const byName = groupBy(before, ({ name }) => name);
  return new Map(
    groups.flatMap(([name, [, ...further]]): readonly (readonly [string, readonly ToolSnapshot[]])[] => {
      const earlier = byName.get(name) ?? [];
      const texts = new Set(earlier.map(canonicalJson));
      const news = further.filter((definition) => !texts.has(canonicalJson(definition)));
      return news.length > 0 || further.length >= Math.max(earlier.length, 1) ? [[name, news]] : [];
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
  const titlesBefore = titlesOf(before);
  const titlesAfter = titlesOf(after);
  const titleBefore = titlesBefore.find(hasText);
  const titleAfter = titlesAfter.find(hasText);
  const shownBefore = titleBefore?.text ?? foldSpace(before.name);
  const shownAfter = titleAfter?.text ?? foldSpace(after.name);
  // Without titles, a new name is a rename.
  if (titleBefore === undefined && titleAfter === undefined) return [];
  const titles = titleAfter === undefined ? titlesBefore : titlesAfter;
  const changedAt = shownBefore === shownAfter ? -1 : titles.findIndex(hasText);
  return PLACES.flatMap((path, index) => {
    const place = { server, tool: after.name, path };
    const from = titlesBefore[index];
    const to = titlesAfter[index];
    if (index === changedAt) {
      // SDKs that begin to write a title repeat it for older clients.
      const isFirst = titleBefore === undefined && titlesAfter.every(({ text }) => text === shownAfter);
      const first = isFirst ? { class: "safe" as const, reason: FIRST_TITLE } : {};
      const details = { before: titleBefore?.value, after: titleAfter?.value, ...first };
      return [makeChange("tool-title-changed", place, details)];
    }
    const isCopy = ["", shownBefore].includes(from?.text ?? "") && ["", shownAfter].includes(to?.text ?? "");
    if (from?.text === to?.text || isCopy) return [];
    const details = { before: from?.value, after: to?.value };
    const reason = "Clients show another title.";
    return [makeChange("tool-title-changed", place, { ...details, class: "safe", reason })];
  });
}

const FIRST_TITLE = "The tool had no title, and has the same one at both places.";

function titlesOf(tool: ToolSnapshot): readonly Title[] {
  return [findOwn(tool, "title"), findOwn(findOwn(tool, "annotations"), "title")].map((value) => {
    const text = foldSpace(value);
    return { value, text: typeof text === "string" ? text : JSON.stringify(text) };
  });
}

function hasText({ text }: Title): boolean {
  return text !== "";
}
