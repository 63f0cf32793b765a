/** How a file that agents read is written. */
export type Form = "markdown" | "settings";

/** A part of a text whose words are names, not prose. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /** What a list of tools does with them, such as `allowed-tools` in front matter; absent elsewhere. */
  readonly verb?: ListVerb;
}

export type ListVerb = "allows" | "denies" | "asks about" | "lists";

/** The keys of front matter and of settings whose values are names of tools. */
const LIST_KEYS: ReadonlyMap<string, ListVerb> = new Map([
  ...["tools", "allowedtools", "enabledtools", "includetools", "allow", "autoapprove"].map(
    (key) => [key, "allows"] as const,
  ),
  ...["disallowedtools", "disabledtools", "excludetools", "deny"].map((key) => [key, "denies"] as const),
  ["ask", "asks about"],
  ["permissions", "lists"],
]);

/** Returns the parts of a text that may name tools: all of a settings file; front matter and spans of code in Markdown. */
export function findRegions(text: string, form: Form): readonly Region[] {
  switch (form) {
    case "settings":
      return [...findLists(text, 0, text.length), ...findArrays(text)];
    case "markdown": {
      const matter = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
      const end = matter?.[0].length ?? 0;
      return [...(matter === null ? [] : findLists(text, 0, end)), ...findSpans(text, end)];
    }
    default:
      return form satisfies never;
  }
}

/** The arrays of keys that list tools, wherever they are on a line: JSON may have no lines. */
function* findArrays(text: string): Generator<Region> {
  for (const match of text.matchAll(/"([A-Za-z_-]{1,40})"\s{0,20}:\s{0,20}\[([^\]]*)\]/g)) {
    const [whole, key = "", items = ""] = match;
    const verb = verbOf(key);
    if (verb === undefined) continue;
    const end = match.index + whole.length - 1;
    yield { start: end - items.length, end, verb };
  }
}

function verbOf(key: string): ListVerb | undefined {
  return LIST_KEYS.get(key.replaceAll(/[-_]/g, "").toLowerCase());
}

/** The values of keys that list tools, in YAML, TOML or JSON: on the key's line, or on the lines below that are deeper. */
function* findLists(text: string, start: number, end: number): Generator<Region> {
  let list:
    | { readonly start: number; readonly indent: number; readonly verb: ListVerb; depth: number }
    | undefined;
  let at = start;
  for (const line of text.slice(start, end).split("\n")) {
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    const key = /^[ \t]*["']?([A-Za-z_-]+)["']?[ \t]*[:=]([^]*)$/.exec(line);
    const opens = (part: string): number =>
      (part.match(/[[{]/g)?.length ?? 0) - (part.match(/[\]}]/g)?.length ?? 0);
    if (list !== undefined) {
      const isItem = /^[ \t]*(?:-|["'\]}])/.test(line);
      const isInside = list.depth > 0 || line.trim() === "" || indent > list.indent || isItem;
      const wasOpen = list.depth > 0;
      list.depth += opens(line);
      if (!isInside || (wasOpen && list.depth <= 0)) {
        yield { start: list.start, end: isInside ? at + line.length : at, verb: list.verb };
        list = undefined;
        if (isInside) {
          at += line.length + 1;
          continue;
        }
      }
    }
    const verb = verbOf(key?.[1] ?? "");
    if (list === undefined && key !== null && verb !== undefined) {
      const value = key[2] ?? "";
      const from = at + line.length - value.length;
      const depth = opens(value);
      // A value on the key's line is the whole list, unless it opens a bracket or a block of lines.
      if (depth <= 0 && !/^\s*(?:[|>][-+\d]*\s*)?$/.test(value))
        yield { start: from, end: at + line.length, verb };
      else list = { start: from, indent, verb, depth };
    }
    at += line.length + 1;
  }
  if (list !== undefined) yield { start: list.start, end, verb: list.verb };
}

/** Spans of code in Markdown, without blocks of code, which are programs. */
function* findSpans(text: string, start: number): Generator<Region> {
  let fence: string | undefined;
  let at = start;
  for (const line of text.slice(start).split("\n")) {
    const mark = /^[ \t]{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else
      for (const match of line.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)) {
        const [, ticks = "", code = ""] = match;
        const from = at + match.index + ticks.length;
        yield { start: from, end: from + code.length };
      }
    at += line.length + 1;
  }
}
