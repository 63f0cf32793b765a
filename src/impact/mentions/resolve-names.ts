import type { LockedServer, LockedServers } from "../../core/lockfile.js";
import { isNamePattern } from "../../core/name-pattern.js";
import { compileSpelled, type Form, type NameInText, findSpelledNames, normalize } from "./find-names.js";

/** A name in a file that is certainly meant for a server. */
export interface Mention extends NameInText {
  readonly server: string;
  /** The locked tool; absent for a name that the lock does not have. */
  readonly known?: string | undefined;
}

/** The tools of the WordPress MCP adapter's default server, which hosts see in place of abilities. */
const ADAPTER = [
  "mcp-adapter-discover-abilities",
  "mcp-adapter-get-ability-info",
  "mcp-adapter-execute-ability",
];

interface NameTable {
  /** The keys of the servers, by the names that hosts give them. */
  readonly servers: ReadonlyMap<string, string>;
  /** The tool of a server by a name; `*` for a name without a tool of its own; undefined for an unknown name. */
  find(server: string, name: string): string | undefined;
  /** The servers that have a tool of this name, which must look like one: `search` is a word, and a tool of hosts. */
  findBare(name: string): readonly (readonly [server: string, tool: string])[];
}

/**
 * @param aliases other names that hosts give to servers, with their keys
 * @param former tools that the lock does not have any more
 */
export function tableOf(
  { servers }: LockedServers<unknown>,
  aliases: ReadonlyMap<string, string> = new Map(),
  former: readonly { readonly server: string; readonly tool: string }[] = [],
): NameTable {
  const byServer = new Map(Object.entries(servers).map(([name, server]) => [name, namesOf(server)]));
  for (const { server, tool } of former) byServer.get(server)?.set(normalize(tool), tool);
  const bare = new Map<string, (readonly [string, string])[]>();
  for (const [server, names] of byServer)
    for (const [name, tool] of names) bare.set(name, [...(bare.get(name) ?? []), [server, tool]]);
  return {
    servers: new Map([
      ...Array.from(aliases).filter(([, server]) => byServer.has(server)),
      ...Array.from(byServer.keys(), (server) => [server, server] as const),
    ]),
    find: (server, name) => {
      const names = byServer.get(server) ?? new Map<string, string>();
      if (!isNamePattern(name)) return names.get(normalize(name));
      return [...names.keys()].some(compileSpelled(name)) ? "*" : undefined;
    },
    findBare: (name) => (/[-_/]/.test(name) ? (bare.get(normalize(name)) ?? []) : []),
  };
}

function namesOf({ tools, wordpress }: LockedServer<unknown>): Map<string, string> {
  const names = new Map<string, string>();
  for (const [tool, { ability }] of Object.entries(tools)) {
    names.set(normalize(tool), tool);
    if (ability !== undefined) names.set(normalize(ability.definition.name), tool);
  }
  if (wordpress !== undefined) for (const tool of ADAPTER) names.set(normalize(tool), "*");
  return names;
}

/**
 * Returns the names in a file that are meant for a locked server: those of its tools, and those with its name that no tool
 * has. A word that is spelled like a tool may be a file (`shop/readme.md`) or a program, so an unknown name counts only if
 * nothing else is likely.
 */
export function findToolMentions(text: string, form: Form, table: NameTable): readonly Mention[] {
  return findSpelledNames(text, form, table.servers).flatMap((name): readonly Mention[] => {
    const { server, tool } = name;
    if (server === undefined)
      return table.findBare(tool).map(([owner, lockedTool]) => ({
        ...name,
        server: owner,
        known: lockedTool === "*" ? undefined : lockedTool,
      }));
    const isKnown = (mention: NameInText): boolean => table.find(server, mention.tool) !== undefined;
    const mention = name.kind === "certain" ? (cutAtMarks(name).find(isKnown) ?? name) : name;
    const lockedName = table.find(server, mention.tool);
    if (lockedName !== undefined)
      return lockedName === "*" ? [] : [{ ...mention, server, known: lockedName }];
    return isUnknownTool(text, mention) ? [{ ...mention, server }] : [];
  });
}

/** A name, and its parts before each `.` and `/`, the longest first. */
function cutAtMarks(name: NameInText): readonly NameInText[] {
  const marks = [...name.tool.matchAll(/[./]/g)]
    .map(({ index }) => name.tool.length - index)
    .sort((a, b) => a - b);
  const cut = marks.map((length) => ({
    ...name,
    tool: name.tool.slice(0, -length),
    text: name.text.slice(0, -length),
  }));
  return [name, ...cut];
}

/** Whether a name that no tool has is meant for one: it is not a path, a placeholder or a program. */
function isUnknownTool(text: string, { tool, text: whole, offset, kind, verb }: NameInText): boolean {
  if (kind !== "certain") return kind === "listed" && /\/[\w*?{},-]+$/.test(whole);
  const end = offset + tool.length;
  const before = text.charAt(end - whole.length - 1);
  const after = text.charAt(end);
  if (before === "/" || /\.[a-z]{1,5}$/.test(tool)) return false;
  if (verb === undefined) return !/[./](?!\*$)|^[A-Z][A-Z\d_]*$|^x+$/.test(tool);
  // `Bash(mcp_shop_cli:*)` is a program.
  return !mayBeOther(whole) || !(/[(\w]/.test(before) || /[:)]/.test(after));
}

/** Whether a name could also be that of a variable or a program, such as `mcp_shop_url`. */
export function mayBeOther(text: string): boolean {
  return /^mcp_[^_]/.test(text);
}
