import type { Change } from "../../core/change.js";
import { groupBy, quoteAll } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Lockfile } from "../../core/lockfile.js";
import { type Rename, nameOfRename, possibleRenames, renamesIn, spellingsOf } from "../../core/rename.js";
import { editDistance, nearestName } from "../../core/words/words.js";

/** The renames between two locks. */
interface ListedRenames {
  /** Those that the server declared, or a person named. */
  readonly certain: readonly Rename[];
  readonly guessed: readonly Rename[];
}

/**
 * Returns the renames among changes, and those that a person names.
 *
 * @param named as {@link spellingsOf} writes them
 * @param before the lock before the changes
 * @throws McpCodegenError `USAGE` for a name with several meanings, and for a named rename that the changes do not include
 */
export function listRenames(
  changes: readonly Change[],
  named: readonly string[],
  before: Lockfile,
): ListedRenames {
  const renames = renamesIn(changes);
  const found = groupByName(renames, new Set(named));
  const unknown = new Set(named.filter((name) => !found.has(name)));
  const others = groupByName(unknown.size === 0 ? [] : possibleRenames(changes), unknown);
  const chosen = new Set<Rename>();
  for (const name of named) {
    const meant = found.get(name) ?? others.get(name);
    if (meant === undefined) throw notFound(name, renames, changes, before);
    if (uniqueRenames(meant).length > 1) throw ambiguous(name, uniqueRenames(meant));
    for (const rename of meant) chosen.add(rename);
  }
  const certain = renames.filter((rename) => rename.because !== undefined || chosen.has(rename));
  const possible = [...chosen].filter((rename) => !renames.includes(rename));
  return {
    certain: [...certain, ...possible].map((rename) => ({
      ...rename,
      because: chosen.has(rename) ? "confirmed" : (rename.because ?? "confirmed"),
    })),
    guessed: renames.filter((rename) => rename.because === undefined && !chosen.has(rename)),
  };
}

/** The renames that each name may mean. */
function groupByName(
  renames: Iterable<Rename>,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly Rename[]> {
  const found = new Map<string, Rename[]>();
  for (const rename of renames)
    for (const name of new Set(spellingsOf(rename)))
      if (names.has(name)) found.set(name, [...(found.get(name) ?? []), rename]);
  return found;
}

function ambiguous(name: string, meant: readonly Rename[]): McpCodegenError {
  const spelled = meant.map((rename) => `'${spellingsOf(rename)[1]}' (a ${rename.kind})`);
  return new McpCodegenError("USAGE", `The rename ${JSON.stringify(name)} is ambiguous.`, {
    hint: `Quote the parts: ${spelled.join(", ")}.`,
  });
}

/** Renames without those of the same name: arguments and results may have the same rename. */
export function uniqueRenames(renames: readonly Rename[]): readonly Rename[] {
  return Array.from(groupBy(renames, nameOfRename).values(), ([first]) => first);
}

/** The tool at the start of the rest of a name: the longest one that was locked, or else all before the first mark. */
function toolIn(rest: string, tools: readonly string[]): string {
  const begins = (tool: string): boolean =>
    [tool, JSON.stringify(tool)].some((text) => rest.startsWith(`${text}.`) || rest.startsWith(`${text}=`));
  const [longest] = tools.filter(begins).sort((one, other) => other.length - one.length);
  const [, quoted, plain] = /^(?:"([^"]*)"|([^.=]*))/.exec(rest) ?? [];
  return longest ?? quoted ?? plain ?? "";
}

const FORMS =
  'Name a tool "server/old=new", a property "server/tool.old=new" by its own name wherever it is nested, or a value "server/tool.property:old=new". Quotes around each name make clear where it ends.';

function notFound(
  name: string,
  known: readonly Rename[],
  changes: readonly Change[],
  { servers }: Lockfile,
): McpCodegenError {
  const fail = (why: string, hint: string): McpCodegenError =>
    new McpCodegenError("USAGE", `Unknown rename ${JSON.stringify(name)}: ${why}.`, { hint });
  if (!name.includes("=")) return fail('it has no "="', FORMS);
  const [, server = "", rest = ""] = /^([^/=]+)\/(.*)/s.exec(name) ?? [];
  if (server === "") {
    const [only = "server", ...others] = Object.keys(servers);
    return fail("it names no server", `Write "${others.length === 0 ? only : "server"}/${name}". ${FORMS}`);
  }
  const tools = servers[server]?.tools;
  if (tools === undefined) return fail(`there is no locked server ${JSON.stringify(server)}`, FORMS);
  const tool = toolIn(rest, Object.keys(tools));
  const moved = known.find((one) => one.kind === "tool" && one.server === server && one.before === tool);
  if (moved !== undefined && moved.after !== rest.slice(rest.indexOf("=") + 1))
    return fail(
      `tool ${JSON.stringify(tool)} was renamed to ${JSON.stringify(moved.after)}`,
      `Name it by its new name: "${server}/${rest.replace(tool, () => moved.after)}".`,
    );
  const found = uniqueRenames([...known, ...possibleIn(changes, server, tool)]);
  const names = found.map(nameOfRename);
  // A nested property is named without its path.
  const ending = /\.[^.]*$/.exec(name)?.[0] ?? name;
  const nearest = names.find((one) => one.endsWith(ending)) ?? nearestName(name, names);
  const meant = nearest === undefined ? "" : `Did you mean "${nearest}"? `;
  const shown = names.length === 0 ? "" : `Renames that were found: ${quoteAll(names.slice(0, 10))}. `;
  const hint = `${meant}${shown}${FORMS}`;
  return Object.hasOwn(tools, tool) || known.some((rename) => rename.tool === tool)
    ? fail("the changes of the lock do not include it", hint)
    : fail(`server ${JSON.stringify(server)} had no tool ${JSON.stringify(tool)}`, hint);
}

/** A tool with many changes has more pairs than help. */
const MOST_POSSIBLE = 10;

/** The first renames that a person could name in a tool. */
function possibleIn(changes: readonly Change[], server: string, tool: string): readonly Rename[] {
  const found: Rename[] = [];
  for (const rename of possibleRenames(changes)) {
    if (rename.kind !== "tool" && rename.server === server && rename.tool === tool) found.push(rename);
    if (found.length === MOST_POSSIBLE) break;
  }
  return found;
}

/** How sure a guess is whose names differ in a letter or two, such as `cancelled` and `canceled`. */
const ALIKE = 0.8;
const SHORTEST_ALIKE = 5;

/**
 * Returns the properties and values that may have been renamed since one was removed and one was added at the same place.
 * Those that are spelled alike are guesses with a confidence; the others are only possible.
 *
 * @param known renames that are certain or guessed already
 */
export function guessRenames(changes: readonly Change[], known: readonly Rename[]): readonly Rename[] {
  const names = new Set(known.map(nameOfRename));
  const places = new Map<string, Rename | undefined>();
  for (const rename of possibleRenames(changes)) {
    if (rename.kind === "tool") continue;
    const key = placeOf(rename);
    // Undefined if there are several pairs.
    places.set(key, places.has(key) ? undefined : rename);
  }
  return [...places.values()].flatMap((rename): readonly Rename[] => {
    if (rename === undefined || names.has(nameOfRename(rename))) return [];
    const { before, after } = rename;
    const isAlike = before.length >= SHORTEST_ALIKE && editDistance(before, after, 2) <= 2;
    return [isAlike ? { ...rename, confidence: ALIKE } : rename];
  });
}

function placeOf({ kind, server, tool, property = "", change: { path } }: Rename): string {
  return JSON.stringify([
    ...[kind, server, tool, property],
    kind === "value" ? path : path.slice(0, path.lastIndexOf("/")),
  ]);
}
