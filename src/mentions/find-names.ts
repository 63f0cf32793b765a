import { findRegions, type Form, type ListVerb, type Region } from "./find-regions.js";

/** A name in a text, which may be that of a server's tool. */
export interface NameInText {
  /** The key of the server; absent for a name without one. */
  readonly server?: string;
  /** The tool as it is spelled there: hosts replace characters. It ends in `*` or `.*` for all tools that begin so. */
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
  /** What the list of tools does that it is in; absent elsewhere. */
  readonly verb?: ListVerb;
}

/** A name is not part of a longer one. */
const BEFORE = "(?<![A-Za-z0-9_])";
/**
 * A tool's name behind a prefix, with a trailing `*` or `.*`; two stars are the end of bold text. Most hosts replace `.` and
 * `/`, which otherwise end a name: `findMentions` knows which.
 */
const SPELLED = "[A-Za-z0-9][\\w-]*(?:[./](?!mcp_)[A-Za-z0-9][\\w-]*)*(?:\\.?\\*(?!\\*))?|\\.?\\*";
/** Longer texts are not read as names: no host takes longer ones. */
const LONGEST_NAME = 200;

/**
 * Returns the names of tools of these servers in a file that agents read, in order. Prose has only names with the prefix of a
 * host (`mcp__shop__get_order`); lists of tools and spans of code also those with a server (`shop/get_order`) and bare ones.
 *
 * @param servers their keys in the configuration, by the names that hosts give them; hosts may spell `_` as `-`
 */
export function findNames(
  text: string,
  form: Form,
  servers: ReadonlyMap<string, string>,
): readonly NameInText[] {
  const keyOf = keysBySpelling(servers);
  const anyServer = [...servers.keys()]
    .sort((a, b) => b.length - a.length)
    .map((server) => server.replaceAll(/[^A-Za-z0-9]/g, "[-_ ./]?"))
    .join("|");
  // A list within another says more: `permissions` has `allow` and `deny`.
  const regions = findRegions(text, form).toSorted((a, b) => a.end - a.start - (b.end - b.start));
  const lists = regions.filter(({ verb }) => verb !== undefined);
  const found = [...findPrefixed(text, anyServer, keyOf)].map((name): NameInText => {
    const verb = lists.find(({ start, end }) => name.offset >= start && name.offset < end)?.verb;
    return { ...name, ...(verb !== undefined && { verb }) };
  });
  const taken = new Set(found.map(({ offset }) => offset));
  for (const region of regions)
    for (const name of findInRegion(text, region, anyServer, keyOf))
      if (!taken.has(name.offset)) {
        taken.add(name.offset);
        found.push(name);
      }
  return found.sort((a, b) => a.offset - b.offset);
}

/** Returns the key of a server by a spelling of its name; undefined for another one. */
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
    if (key === undefined || /^(?:\.?\*|_)/.test(tool) || !whole.startsWith("mcp")) continue;
    if (whole.length > LONGEST_NAME) continue;
    const offset = match.index + whole.length - tool.length;
    yield { server: key, tool, text: whole, offset, kind: "certain" };
  }
}

function* findInRegion(
  text: string,
  { start, end, verb }: Region,
  anyServer: string,
  keyOf: KeyOf,
): Generator<NameInText> {
  const kind = verb === undefined ? "code" : "listed";
  const list = verb === undefined ? {} : { verb };
  const part = text.slice(start, end);
  const qualified = new RegExp(`(?<![\\w/.:(-])(${anyServer})[/.:]([A-Za-z0-9][\\w./-]*\\*?)`, "gi");
  const inQualified: (readonly [number, number])[] = [];
  for (const match of part.matchAll(qualified)) {
    const [whole, server = "", tool = ""] = match;
    const key = keyOf(server);
    if (key === undefined || whole.length > LONGEST_NAME) continue;
    inQualified.push([match.index, match.index + whole.length]);
    const offset = start + match.index + whole.length - tool.length;
    yield { server: key, tool, text: whole, offset, kind, ...list };
  }
  for (const match of part.matchAll(/(?<![\w/.:-])[A-Za-z0-9][\w/-]*/g)) {
    const [tool] = match;
    const isInside = inQualified.some(([from, to]) => match.index >= from && match.index < to);
    if (isInside || tool.length > LONGEST_NAME || tool.startsWith("mcp_")) continue;
    yield { tool, text: tool, offset: start + match.index, kind, ...list };
  }
}

/** A name without what hosts replace or leave out between its words. */
export function squash(name: string): string {
  return normalize(name).replaceAll("_", "");
}

/** A server's key, or a tool's name, as all hosts spell it. */
export function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "_");
}
