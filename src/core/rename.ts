import type { Change } from "./change.js";
import { groupBy } from "./collections.js";
import { splitPointer } from "./json-pointer.js";

/** A renamed tool, a renamed property of its arguments or results, or a renamed value of such a property's enumeration. */
export interface Rename {
  readonly server: string;
  /** The tool's old name; of a property or a value in a renamed tool, its new name, as in the change. */
  readonly tool: string;
  readonly kind: "tool" | "property" | "value";
  /** Of a value: the property that has it. */
  readonly property?: string;
  readonly before: string;
  readonly after: string;
  /** Who is responsible for it: the server declared it, or a person confirmed it. Absent for a guess, which is not applied. */
  readonly because?: "declared" | "confirmed";
  /** How sure the guess is, from 0 to 1. */
  readonly confidence?: number;
  readonly change: Change;
}

/** A name in a configuration, and the name that replaces it: absent if only a person can decide. */
export interface ConfigName {
  /** Steps from the configuration: keys, `*` for any key, `[]` for any item; last `{}` for the keys themselves. */
  readonly path: readonly string[];
  readonly before: string;
  readonly after?: string | undefined;
}

/** How sure a guess is whose two values differ only in case and punctuation. */
const SAME_WORDS = 0.95;

/**
 * How a person names a rename on the command line: `shop/get_order=fetch_order`, `shop/find_orders.limit=per_page`,
 * `shop/find_orders.status:open=opened`. Names that may be read as several parts are quoted: `shop/"orders.get"=get`.
 */
export function nameOfRename(rename: Rename): string {
  const [plain, quoted] = spellingsOf(rename);
  const [tool = "", ...others] = partsOf(rename);
  return /[.:="]/.test(tool) || others.some((part) => /[:="]/.test(part)) ? quoted : plain;
}

/** Both ways to write a rename: without quotes, and with every part quoted. */
export function spellingsOf(rename: Rename): readonly [plain: string, quoted: string] {
  const { server, after } = rename;
  const spell = (parts: readonly string[]): string => {
    const [tool = "", property, value] = parts;
    const name = [tool, ...(property === undefined ? [] : [property])].join(".");
    return `${server}/${name}${value === undefined ? "" : `:${value}`}=${after}`;
  };
  const parts = partsOf(rename);
  return [spell(parts), spell(parts.map((part) => JSON.stringify(part)))];
}

function partsOf({ tool, kind, property = "", before }: Rename): readonly string[] {
  return { tool: [before], property: [tool, before], value: [tool, property, before] }[kind];
}

/** A renamed tool of a server. */
export interface ServerToolRename {
  readonly server: string;
  readonly before: string;
  readonly after: string;
  readonly confidence: number;
}

/** Returns the renames of tools that names of {@link nameOfRename} may mean: a tool's name may have a dot. */
export function toolRenamesNamed(names: readonly string[]): readonly ServerToolRename[] {
  return names.flatMap((name): readonly ServerToolRename[] => {
    const [, server, quoted, plain, after] = /^([^/]+)\/(?:"([^"]+)"|([^=]+))=(.+)$/s.exec(name) ?? [];
    const before = quoted ?? plain;
    return server === undefined || before === undefined || after === undefined
      ? []
      : [{ server, before, after, confidence: 1 }];
  });
}

/** Returns the renames among changes: certain where the server declared them, else guesses with their confidence. */
export function renamesIn(changes: readonly Change[]): readonly Rename[] {
  const found = changes.flatMap((change): readonly Rename[] => {
    const { rule, server, tool, before, after, confidence } = change;
    const kind =
      rule === "tool-renamed" ? "tool" : rule.endsWith("-property-renamed") ? "property" : undefined;
    if (kind === undefined || tool === undefined) return [];
    if (typeof before !== "string" || typeof after !== "string") return [];
    const sure = confidence === undefined ? ({ because: "declared" } as const) : { confidence };
    return [{ server, tool, kind, before, after, ...sure, change }];
  });
  const values = pairValues(changes).filter(({ before, after }) => wordsOf(before) === wordsOf(after));
  return [...found, ...values.map((rename) => ({ ...rename, confidence: SAME_WORDS }))];
}

/** Yields every rename that a person could name: each pair of something removed and something added at one place. */
export function* possibleRenames(changes: readonly Change[]): Generator<Rename> {
  const removed = changes.filter(({ rule }) => rule === "tool-removed");
  for (const now of changes.filter(({ rule }) => rule === "tool-added"))
    for (const was of removed)
      if (was.server === now.server && was.tool !== undefined && now.tool !== undefined) {
        const { server, tool } = was;
        yield { server, tool, kind: "tool", before: tool, after: now.tool, change: was };
      }
  const added = groupBy(
    changes.filter(({ rule }) => /-property-added(?:-to-closed)?$/.test(rule)),
    siteOf,
  );
  for (const was of changes.filter(({ rule }) => rule.endsWith("-property-removed")))
    for (const now of added.get(siteOf(was)) ?? []) {
      const [before, after] = [was, now].map(({ path }) => splitPointer(path).at(-1));
      if (before === undefined || after === undefined || was.tool === undefined) continue;
      const rule = was.rule.replace("-removed", "-renamed");
      const change = { ...now, rule, before, after };
      yield { server: was.server, tool: was.tool, kind: "property", before, after, change };
    }
  yield* pairValues(changes);
}

/** The object that has a property, or had it. */
function siteOf({ server, tool = "", path }: Change): string {
  return JSON.stringify([server, tool, path.slice(0, path.lastIndexOf("/"))]);
}

/** Each removed value of an enumeration with each added one; and a constant that changed. */
function pairValues(changes: readonly Change[]): readonly Rename[] {
  const of = (rule: string): readonly Change[] => changes.filter((change) => change.rule.endsWith(rule));
  const added = groupBy(of("-enum-value-added"), placeOfValue);
  const pairs = of("-enum-value-removed").flatMap((was) =>
    (added.get(placeOfValue(was)) ?? []).flatMap(({ after }) =>
      after === undefined ? [] : [{ ...was, after }],
    ),
  );
  return [...pairs, ...of("-const-changed")].flatMap((change): readonly Rename[] => {
    const { server, tool, path, before, after } = change;
    const property = splitPointer(path).findLast((_, index, all) => all[index - 1] === "properties");
    if (tool === undefined || property === undefined) return [];
    if (typeof before !== "string" || typeof after !== "string") return [];
    return [{ server, tool, kind: "value", property, before, after, change }];
  });
}

function placeOfValue({ server, tool = "", path }: Change): string {
  return JSON.stringify([server, tool, path]);
}

function wordsOf(value: string): string {
  return value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** A part of a text, in UTF-16 units, and its replacement. */
export interface TextEdit {
  readonly start: number;
  readonly length: number;
  readonly text: string;
}

/** Returns a text after edits. Of those that overlap, the first counts. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let at = 0;
  let edited = "";
  for (const { start, length, text: by } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    edited += text.slice(at, start) + by;
    at = start + length;
  }
  return edited + text.slice(at);
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/**
 * Returns the text of a name in code: inside the quote that it starts with, or else as a key. A name comes from a server, so it
 * must not end the string.
 */
export function spellName(name: string, quote: string): string {
  const escaped = JSON.stringify(name).slice(1, -1);
  switch (quote) {
    case '"':
      return escaped;
    case "'":
      return escaped.replaceAll('\\"', '"').replaceAll("'", "\\'");
    case "`":
      return escaped.replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
    default:
      return isIdentifier(name) ? name : `"${escaped}"`;
  }
}

/** Returns the edit of a name in code, with its quotes if it has some. */
export function editSpelled(code: string, start: number, end: number, name: string): TextEdit {
  const quote = code.charAt(start);
  const text = spellName(name, quote);
  return /["'`]/.test(quote)
    ? { start: start + 1, length: end - start - 2, text }
    : { start, length: end - start, text };
}
