import type { LockedAbility } from "../../core/ability.js";
import type { Span } from "../../core/change.js";
import { groupBy } from "../../core/collections.js";
import { joinPointer, isSameJson } from "../../core/json-pointer.js";
import { byCodeUnit, getOwn, type JsonValue } from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";

/** One string of a definition: a key or a value. */
export interface FoundText {
  readonly text: string;
  readonly isKey: boolean;
  readonly place: PartPlace;
}

/** The place of a value, or of the value of a key. */
interface PartPlace {
  readonly parent: PartPlace | undefined;
  readonly name: string;
}

/** Returns the JSON Pointer to a text. Most texts never need theirs. */
export function pathOf({ place }: FoundText): string {
  const names: string[] = [];
  for (let at = place; at.parent !== undefined; at = at.parent) names.push(at.name);
  return joinPointer("", ...names.reverse());
}

/** Returns every string of a JSON value, including keys, in document order. */
export function textsOf(root: JsonValue): readonly FoundText[] {
  const texts: FoundText[] = [];
  // An explicit stack, since a server may nest deeper than recursion can go.
  const open: [value: JsonValue, place: PartPlace, isKey: boolean][] = [
    [root, { parent: undefined, name: "" }, false],
  ];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [value, place, isKey] = entry;
    if (isKey) texts.push({ text: place.name, isKey, place });
    if (typeof value === "string") texts.push({ text: value, isKey: false, place });
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    // Reversed, since the stack returns the last entry first.
    for (const [name, item] of Object.entries(value).reverse())
      open.push([item, { parent: place, name }, !isList]);
  }
  return texts;
}

/**
 * Letters of other scripts that look exactly like Latin letters (Unicode Technical Standard 39), as pairs: the look-alike,
 * then the Latin letter.
 */
const LOOK_ALIKES =
  "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwкkмmтtвbгrпnАAВBЕEЗ3КKМMНHОOРPСCТTУYХXІIЈJЅSԌGԚQԜWүyҮYӏl" +
  "αaεeοoρpνvιiκkτtυuχxγyΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϲcϳjɑaɡgıiｌlǀlօoսuցgհhոnԼLՏSՕO";

const LATIN_OF: ReadonlyMap<string, string> = new Map(
  Array.from(LOOK_ALIKES.matchAll(/(.)(.)/gu), ([, alike = "", latin = ""]): [string, string] => [
    alike,
    latin,
  ]),
);

const NON_ASCII = /[^\0-\x7f]/;
const IGNORABLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\u2800]/gu;

/**
 * Returns a text as it looks: replaces styled and full-width letters and look-alikes of other scripts by Latin letters,
 * and removes invisible characters and combining marks.
 */
function foldLetters(text: string): string {
  if (!NON_ASCII.test(text)) return text;
  const plain = text.normalize("NFKD").replace(IGNORABLE, "");
  return plain.replace(/[^\0-\x7f]/gu, (character) => LATIN_OF.get(character) ?? character);
}

/** As {@link foldLetters}, and replaces white space by single spaces. */
export function foldText(text: string): string {
  const letters = foldLetters(text);
  return (OTHER_SPACE.test(letters) ? letters.replace(/\s+/g, " ") : letters).trim();
}

/** White space that is not one space. */
const OTHER_SPACE = /\s\s|[^\S ]/;

/** Returns the words in a name: `ssh key` for `sshKey`, `ssh-key` and `SSH_KEY`. */
export function foldName(name: string): string {
  return foldLetters(name)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z\d]+/g, " ")
    .trim()
    .toLowerCase();
}

/**
 * Returns a form that is equal for names that look alike: it unifies look-alikes of other scripts, and ASCII characters
 * that look alike in many typefaces.
 */
export function skeletonOf(name: string): string {
  return foldLetters(name).replace(/[1I|]/g, "l").replace(/0/g, "O").replace(/rn/g, "m").replace(/vv/g, "w");
}

/**
 * Returns the places of the matches of a global pattern, or of those that are wanted. `matchAll` would copy the pattern for
 * every text, which takes longer than the search.
 */
export function spansOf(
  text: string,
  pattern: RegExp,
  isWanted: (match: RegExpExecArray) => boolean = () => true,
): readonly Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (isWanted(match)) spans.push([match.index, pattern.lastIndex]);
  }
  return spans;
}

/** The tools of one server, to compare with those of other servers. */
export interface ServerTools {
  readonly server: string;
  readonly tools: readonly ToolSnapshot[];
  readonly abilities?: Abilities | undefined;
}

/** WordPress abilities by the name of their tool. */
type Abilities = { readonly [tool: string]: LockedAbility };

interface ToolOfServer {
  readonly server: string;
  readonly tool: ToolSnapshot;
}

/** Finds tools of different servers with the same or similar names. */
export interface ToolNameIndex {
  /** The names of the tools of every other server. */
  readonly othersOf: (server: string) => ReadonlySet<string>;
  /**
   * Returns tools of other servers whose names look like a tool's name, ordered by server. Excludes the same tool on two
   * servers: the same name with the same definition, or with the same WordPress ability.
   */
  readonly alike: (server: string, tool: ToolSnapshot) => readonly ToolOfServer[];
  /** Returns an index with the current abilities of a server. */
  readonly withAbilities: (server: string, abilities: Abilities) => ToolNameIndex;
}

export const NO_OTHER_TOOLS: ToolNameIndex = indexToolNames([]);

/** Returns the index of these servers. Compares names only when they are looked up. */
export function indexToolNames(neighbours: readonly ServerTools[]): ToolNameIndex {
  const sorted = [...neighbours].sort((a, b) => byCodeUnit(a.server, b.server));
  const others = new Map<string, ReadonlySet<string>>();
  let bySkeleton: ReadonlyMap<string, readonly ToolOfServer[]> | undefined;
  const abilities = new Map(neighbours.map((each) => [each.server, each.abilities]));
  const abilityOf = (server: string, tool: string): JsonValue | undefined =>
    getOwn(abilities.get(server) ?? {}, tool)?.definition;
  const isSame = (server: string, tool: ToolSnapshot, other: ToolOfServer): boolean => {
    if (other.tool.name !== tool.name) return false;
    const ability = abilityOf(server, tool.name);
    if (ability !== undefined && isSameJson(ability, abilityOf(other.server, tool.name))) return true;
    return isSameJson(other.tool, tool);
  };
  return {
    othersOf: (server) => {
      const other = others.get(server);
      if (other !== undefined) return other;
      const tools = sorted.flatMap((each) => (each.server === server ? [] : each.tools));
      const names = new Set(tools.map(({ name }) => name));
      others.set(server, names);
      return names;
    },
    alike: (server, tool) => {
      bySkeleton ??= groupBySkeleton(sorted);
      const same = bySkeleton.get(skeletonOf(tool.name)) ?? [];
      return same.filter((other) => other.server !== server && !isSame(server, tool, other));
    },
    withAbilities: (server, abilities) => {
      const others = sorted.filter((each) => each.server !== server);
      const tools = sorted.find((each) => each.server === server) ?? { server, tools: [] };
      return indexToolNames([...others, { ...tools, abilities: { ...tools.abilities, ...abilities } }]);
    },
  };
}

function groupBySkeleton(neighbours: readonly ServerTools[]): ReadonlyMap<string, readonly ToolOfServer[]> {
  const tools = neighbours.flatMap(({ server, tools: toolNames }) =>
    toolNames.map((tool) => ({ server, tool })),
  );
  return groupBy(tools, ({ tool }) => skeletonOf(tool.name));
}
