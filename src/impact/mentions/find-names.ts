import { compileNamePattern } from "../../core/name-pattern.js";

/** The files that agents read, by globs. */
export const AGENT_FILES: readonly string[] = [
  "**/SKILL.md",
  "**/{CLAUDE,CLAUDE.local,AGENTS,GEMINI}.md",
  ".claude/**/*.md",
  ".claude/settings*.json",
  ".cursor/rules/**/*.{md,mdc}",
  ".github/{agents,chatmodes,prompts,instructions}/**/*.md",
  ".github/copilot-instructions.md",
  ".vscode/{settings,mcp}.json",
  ".gemini/settings.json",
  ".codex/config.toml",
  ".mcp.json",
];

/** The form of a file by its name: settings in JSON, YAML and TOML, everything else Markdown. */
export function formOf(path: string): Form {
  return /\.(?:jsonc?|ya?ml|toml)$/i.test(path) ? "settings" : "markdown";
}

/** How a file that agents read is written. */
export type Form = "markdown" | "settings";

/** A part of a text whose words are names, not prose. */
export interface TextRegion {
  readonly start: number;
  readonly end: number;
  /** The verb for a list of tools, such as `allowed-tools` in front matter; absent elsewhere. */
  readonly verb?: ListVerb;
}

type ListVerb = "allows" | "denies" | "asks about" | "lists";

const LIST_KEYS: ReadonlyMap<string, ListVerb> = new Map([
  ["tools", "allows"],
  ["allowedtools", "allows"],
  ["enabledtools", "allows"],
  ["includetools", "allows"],
  ["allow", "allows"],
  ["autoapprove", "allows"],
  ["disallowedtools", "denies"],
  ["disabledtools", "denies"],
  ["excludetools", "denies"],
  ["deny", "denies"],
  ["ask", "asks about"],
  ["permissions", "lists"],
]);

/** Returns the parts of a text that may name tools: all of a settings file; front matter and spans of code in Markdown. */
export function findRegions(text: string, form: Form): readonly TextRegion[] {
  switch (form) {
    case "settings":
      return [...findLists(text), ...findArrays(text)];
    case "markdown": {
      const matter = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text);
      const end = matter?.[0].length ?? 0;
      return [...(matter === null ? [] : findLists(text.slice(0, end))), ...findSpans(text, end)];
    }
    default:
      return form satisfies never;
  }
}

/** The arrays of keys that list tools, wherever they are on a line: JSON may have no lines. */
function* findArrays(text: string): Generator<TextRegion> {
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
function* findLists(text: string): Generator<TextRegion> {
  let list:
    | { readonly start: number; readonly indent: number; readonly verb: ListVerb; depth: number }
    | undefined;
  let at = 0;
  for (const line of text.split("\n")) {
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
  if (list !== undefined) yield { start: list.start, end: text.length, verb: list.verb };
}

/** Spans of code in Markdown, without blocks of code, which are programs. */
function* findSpans(text: string, start: number): Generator<TextRegion> {
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

/** A name in a text, which may be that of a server's tool. */
export interface NameInText {
  /** The key of the server; absent for a name without one. */
  readonly server?: string;
  /** The tool as it is spelled there: hosts replace characters. Or a pattern for tools, as {@link compileSpelled} reads it. */
  readonly tool: string;
  /** The whole spelling, such as `mcp__shop__get_order`. */
  readonly text: string;
  /** The place of {@link tool} in the text, in UTF-16 units. */
  readonly offset: number;
  /**
   * `certain`: only a tool of that server is spelled so. `listed`: in a list of tools. `code`: in a span of code, where it may
   * be something else.
   */
  readonly kind: "certain" | "listed" | "code";
  /** The effect of the list of tools around it; absent elsewhere. */
  readonly verb?: ListVerb | undefined;
}

/** A name is not part of a longer one. */
const BEFORE = "(?<![A-Za-z0-9_])";
/** Marks of a pattern inside a name: a final `?` ends a sentence. */
const MARK = "[*?](?=[\\w{-])|\\{[\\w*-]{0,60}(?:,[\\w*-]{0,60}){1,20}\\}";
/**
 * A tool's name behind a prefix, or a pattern for names, such as one with a trailing `*` or `.*`; two stars are the end of bold
 * text. Most hosts replace `.` and `/`, which otherwise end a name: `findMentions` knows which.
 */
const SPELLED = `(?:[A-Za-z0-9]|${MARK})(?:[\\w-]|${MARK})*(?:[./](?!mcp_)(?:[A-Za-z0-9]|${MARK})(?:[\\w-]|${MARK})*)*(?:\\.?\\*(?!\\*))?|\\.?\\*`;
/** Longer texts are not read as names: no host takes longer ones. */
const LONGEST_NAME = 200;

/**
 * Returns the names of tools of these servers in a file that agents read, in order. Prose has only names with the prefix of a
 * host (`mcp__shop__get_order`); lists of tools and spans of code also those with a server (`shop/get_order`) and bare ones.
 *
 * @param servers their keys in the configuration, by the names that hosts give them; hosts may spell `_` as `-`
 */
export function findSpelledNames(
  text: string,
  form: Form,
  servers: ReadonlyMap<string, string>,
): readonly NameInText[] {
  const keyOf = keysBySpelling(servers);
  const anyServer = [...servers.keys()]
    .sort((a, b) => b.length - a.length)
    .map((server) => server.replaceAll(/[^A-Za-z0-9]/g, "[-_ ./]?"))
    .join("|");
  // An inner list takes precedence: `permissions` has `allow` and `deny`.
  const regions = findRegions(text, form).toSorted((a, b) => a.end - a.start - (b.end - b.start));
  const lists = regions.filter(({ verb }) => verb !== undefined);
  const names = [...findPrefixed(text, anyServer, keyOf)].map((name): NameInText => {
    const verb = lists.find(({ start, end }) => name.offset >= start && name.offset < end)?.verb;
    return { ...name, verb };
  });
  const offsets = new Set(names.map(({ offset }) => offset));
  for (const region of regions)
    for (const name of findInRegion(text, region, anyServer, keyOf))
      if (!offsets.has(name.offset)) {
        offsets.add(name.offset);
        names.push(name);
      }
  return names.sort((a, b) => a.offset - b.offset);
}

type KeyOf = (spelling: string) => string | undefined;

/** Hosts and editors spell `the_bakery` as `the-bakery` and `theBakery`. */
function keysBySpelling(servers: ReadonlyMap<string, string>): KeyOf {
  const exact = new Map([...servers].map(([name, server]) => [normalize(name), server]));
  const squashed = new Map([...servers].map(([name, server]) => [squash(name), server]));
  return (spelling) => exact.get(normalize(spelling)) ?? squashed.get(squash(spelling));
}

function* findPrefixed(text: string, anyServer: string, keyOf: KeyOf): Generator<NameInText> {
  // `mcp__server__tool` is how Claude Code and others spell it, `mcp_server_tool` how others do.
  const pattern = new RegExp(`${BEFORE}mcp(__?)(${anyServer})\\1(${SPELLED})`, "gi");
  for (const match of text.matchAll(pattern)) {
    // `*name*` is emphasis.
    const isEmphasis = text[match.index - 1] === "*" && match[0].endsWith("*");
    const [whole = "", , server = "", tool = ""] = isEmphasis
      ? match.map((part) => part.replace(/\*$/, ""))
      : match;
    const key = keyOf(server);
    // `MCP_SHOP_TOKEN` is a variable of the environment.
    if (key === undefined || /^(?:\.?\*$|_)/.test(tool) || !whole.startsWith("mcp")) continue;
    if (whole.length > LONGEST_NAME) continue;
    const offset = match.index + whole.length - tool.length;
    yield { server: key, tool, text: whole, offset, kind: "certain" };
  }
}

function* findInRegion(
  text: string,
  { start, end, verb }: TextRegion,
  anyServer: string,
  keyOf: KeyOf,
): Generator<NameInText> {
  const kind = verb === undefined ? "code" : "listed";
  const part = text.slice(start, end);
  const qualified = new RegExp(
    `(?<![\\w/.:(-])(${anyServer})[/.:]((?:[A-Za-z0-9]|${MARK})(?:[\\w./-]|${MARK})*\\*?)`,
    "gi",
  );
  const inQualified: (readonly [number, number])[] = [];
  for (const match of part.matchAll(qualified)) {
    const [whole, server = "", tool = ""] = match;
    const key = keyOf(server);
    if (key === undefined || whole.length > LONGEST_NAME) continue;
    inQualified.push([match.index, match.index + whole.length]);
    const offset = start + match.index + whole.length - tool.length;
    yield { server: key, tool, text: whole, offset, kind, verb };
  }
  for (const match of part.matchAll(/(?<![\w/.:-])[A-Za-z0-9][\w/-]*/g)) {
    const [tool] = match;
    const isInside = inQualified.some(([from, to]) => match.index >= from && match.index < to);
    if (isInside || tool.length > LONGEST_NAME || tool.startsWith("mcp_")) continue;
    yield { tool, text: tool, offset: start + match.index, kind, verb };
  }
}

/** A name without the characters between its words, which hosts replace or leave out. */
export function squash(name: string): string {
  return normalize(name).replaceAll("_", "");
}

/** A server's key, or a tool's name, as all hosts spell it. */
export function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "_");
}

/** Returns a function that reports whether a spelled name or pattern means a tool; `.*` at its end is `*`. */
export function compileSpelled(spelled: string): (tool: string) => boolean {
  const pattern = spelled.replace(/\.\*$/, "*").toLowerCase();
  const matches = compileNamePattern(pattern.replaceAll(/[^a-z0-9*?{},]/g, "_"));
  return (tool) => matches(normalize(tool));
}
