import { groupBy } from "../../core/collections.js";
import { deprecationOf, type LockedAbility, toolNameOf } from "../../core/ability.js";
import { canonicalJson, byCodeUnit, getOwn } from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import {
  areOppositeTools,
  propertiesOf,
  scoreMerge,
  scorePart,
  scoreRename,
  traitsOf,
  wordsOfServer,
} from "./score-tools.js";

/** A tool with a new name, or a tool that became part of another tool. */
export interface FoundToolRename {
  readonly before: string;
  readonly after: string;
  /** From 0 to 1; absent if the server declared the replacement. */
  readonly confidence?: number;
  /** Why the rename is certain; absent for a guess. */
  readonly reason?: string;
}

/** The least score of a rename. Otherwise a removal and an addition are reported. */
const LEAST_RENAME = 0.55;
/** The least score for names with the same last word, if no other pair has a similar score. */
const LEAST_ALONE = 0.43;
/** The lead that such a pair needs over every other pair of these two tools. */
const CLEAR_LEAD = 0.2;
/** The least score for several tools that became one, where each tool is evidence for the others. */
const LEAST_MERGE = 0.7;
/** The least score for another tool that became part of such a tool. */
const LEAST_JOIN = 0.6;
/** The least lead of the best candidate over the next one. */
const LEAD = 0.08;
/** The confidence for tools that differ only in their names. */
const IDENTICAL = 0.97;
/** With more pairs, only tools that differ in nothing but their names are matched. */
const MAX_PAIRS = 20_000;

/** The least share of a whole tool's properties that its parts must have together. */
const LEAST_COVERED = 0.75;

/** A tool that several others replaced, each with a part of its input. */
export interface ToolSplit {
  readonly before: string;
  readonly after: readonly string[];
  /** From 0 to 1. */
  readonly confidence: number;
}

/** The fates of removed tools, ordered by their names. */
interface FoundRenames {
  /** Each removed tool that became an added one. Several may have become the same tool. */
  readonly renames: readonly FoundToolRename[];
  readonly splits: readonly ToolSplit[];
}

/**
 * Returns the removed tools that became an added tool: one tool with a new name, or several tools merged into one; and those
 * that were split into several. Tools are matched by the words of their names, by the names and schemas of their properties,
 * and by their descriptions; words that few of the `others` use count most.
 */
export function findToolRenames(
  removed: readonly ToolSnapshot[],
  added: readonly ToolSnapshot[],
  others: readonly ToolSnapshot[],
): FoundRenames {
  if (removed.length === 0 || added.length === 0) return { renames: [], splits: [] };
  const identical = matchIdentical(removed, added);
  const paired = new Set(identical.flatMap(({ before, after }) => [before, after]));
  const toolsBefore = removed.filter(({ name }) => !paired.has(name));
  const toolsAfter = added.filter(({ name }) => !paired.has(name));
  if (toolsBefore.length * toolsAfter.length > MAX_PAIRS) return { renames: identical, splits: [] };
  const server = wordsOfServer(removed, added, others);
  const traits = new Map([...toolsBefore, ...toolsAfter].map((tool) => [tool, traitsOf(tool)]));
  const pairs = toolsBefore.flatMap((before) =>
    toolsAfter.map((after): Pair => {
      const left = traits.get(before) ?? traitsOf(before);
      const right = traits.get(after) ?? traitsOf(after);
      return {
        before: before.name,
        after: after.name,
        rename: scoreRename(left, right, server),
        merge: scoreMerge(left, right, server),
        joined: scorePart(left, right, server),
        divided: Math.max(scorePart(right, left, server), scoreMerge(right, left, server)),
        properties: { before: left.properties, after: right.properties },
        endAlike: left.name.at(-1) === right.name.at(-1),
      };
    }),
  );
  const merges = findWholes(pairs, { whole: "after", part: "before" }, ({ joined }) => joined);
  const splits = findWholes(pairs, { whole: "before", part: "after" }, ({ divided }) => divided);
  const used = new Set([...merges, ...splits].flat().flatMap(({ before, after }) => [before, after]));
  const isFree = ({ before, after }: Pair): boolean => !used.has(before) && !used.has(after);
  const renames = [
    ...identical,
    ...merges.flat().map((pair) => toRename(pair, pair.joined)),
    ...claim(pairs.filter(isFree)),
  ];
  return {
    renames: renames.sort((a, b) => byCodeUnit(a.before, b.before)),
    splits: splits.map(toSplit).sort((a, b) => byCodeUnit(a.before, b.before)),
  };
}

type Parts = readonly [Pair, ...Pair[]];

/** Returns the pairs of each whole tool with its parts, where no tool of them has another likely fate. */
function findWholes(
  pairs: readonly Pair[],
  { whole, part }: { readonly whole: "before" | "after"; readonly part: "before" | "after" },
  scoreOf: (pair: Pair) => number,
): readonly Parts[] {
  const groups = groupBy(
    pairs.filter((pair) => scoreOf(pair) >= LEAST_MERGE),
    (pair) => pair[whole],
  );
  const merges = [...groups.values()].filter((parts) => {
    const properties = parts[0].properties[whole];
    const covered = new Set(parts.flatMap((pair) => pair.properties[part]));
    const share = properties.filter((name) => covered.has(name)).length / properties.length;
    const isOther = (pair: Pair): boolean =>
      !parts.includes(pair) &&
      pair.rename >= LEAST_RENAME &&
      parts.some((other) => other.before === pair.before || other.after === pair.after);
    return parts.length > 1 && share >= LEAST_COVERED && !pairs.some(isOther);
  });
  const owners = groupBy(merges.flat(), (pair) => pair[part]);
  return merges.filter((parts) => parts.every((pair) => owners.get(pair[part])?.length === 1));
}

function toSplit(parts: Parts): ToolSplit {
  const confidence = Math.min(...parts.map(({ divided }) => divided));
  const after = parts.map((pair) => pair.after).sort(byCodeUnit);
  return { before: parts[0].before, after, confidence: roundConfidence(confidence) };
}

interface Pair {
  readonly before: string;
  readonly after: string;
  readonly rename: number;
  readonly merge: number;
  /** How likely the old tool is a part of the new one. */
  readonly joined: number;
  /** How likely the new tool is a part of the old one. */
  readonly divided: number;
  readonly properties: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** Whether both names end in the same word, which is usually the subject of the tool. */
  readonly endAlike: boolean;
}

function matchIdentical(
  removed: readonly ToolSnapshot[],
  added: readonly ToolSnapshot[],
): readonly FoundToolRename[] {
  // Two definitions without content are equal by chance.
  const hasContent = (tool: ToolSnapshot): boolean =>
    typeof getOwn(tool, "description") === "string" || propertiesOf(tool).length > 0;
  const group = (tools: readonly ToolSnapshot[]): ReadonlyMap<string, readonly ToolSnapshot[]> =>
    groupBy(tools.filter(hasContent), (tool) => canonicalJson({ ...tool, name: "", title: "" }));
  const candidates = group(added);
  return [...group(removed)].flatMap(([key, tools]): readonly FoundToolRename[] => {
    const [before, ...more] = tools;
    const [after, ...others] = candidates.get(key) ?? [];
    if (before === undefined || after === undefined || more.length + others.length > 0) return [];
    if (areOppositeTools(before, after)) return [];
    return [{ before: before.name, after: after.name, confidence: IDENTICAL }];
  });
}

function claim(pairs: readonly Pair[]): readonly FoundToolRename[] {
  const groups = [...groupBy(pairs, ({ before }) => before).values()];
  const chosen = groupBy(
    groups.flatMap((options) => leaderOf(options, scoreOf) ?? []),
    ({ after }) => after,
  );
  return [...chosen.values()].flatMap((candidates): readonly FoundToolRename[] => {
    const isMerge = candidates.filter(({ merge }) => merge >= LEAST_MERGE).length > 1;
    if (isMerge) {
      const merged = candidates.filter(({ merge }) => merge >= LEAST_JOIN);
      return merged.map((pair) => toRename(pair, scoreOf(pair)));
    }
    const best = leaderOf(candidates, ({ rename }) => rename);
    return best !== undefined && isRename(best, pairs) ? [toRename(best, best.rename)] : [];
  });
}

function isRename(pair: Pair, pairs: readonly Pair[]): boolean {
  if (pair.rename >= LEAST_RENAME) return true;
  if (pair.rename < LEAST_ALONE || !pair.endAlike) return false;
  const rivals = pairs.filter(
    (other) => other !== pair && (other.before === pair.before || other.after === pair.after),
  );
  return rivals.length > 0 && rivals.every((other) => pair.rename - scoreOf(other) >= CLEAR_LEAD);
}

function scoreOf({ rename, merge }: Pair): number {
  return Math.max(rename, merge);
}

function toRename({ before, after }: Pair, confidence: number): FoundToolRename {
  return { before, after, confidence: roundConfidence(confidence) };
}

function roundConfidence(confidence: number): number {
  return Math.round(Math.min(confidence, 0.99) * 100) / 100;
}

function leaderOf(pairs: readonly Pair[], scoreOf: (pair: Pair) => number): Pair | undefined {
  const [best, next] = [...pairs].sort((a, b) => scoreOf(b) - scoreOf(a));
  if (best === undefined) return undefined;
  return next === undefined || scoreOf(best) - scoreOf(next) >= LEAD ? best : undefined;
}

/** The ability behind each tool. */
export type ListedAbilities = { readonly [tool: string]: LockedAbility | undefined };

interface ToolList {
  readonly tools: readonly ToolSnapshot[];
  readonly abilities: ListedAbilities;
}

/** The evidence that reports show for a declared rename. */
const DECLARED = "declared by the server";

/**
 * Returns the removed tools whose abilities declared an existing tool in `meta.deprecated.replacement`. If the replacement
 * was removed as well, its own replacement counts. `unchanged` lists existing tools that both lists leave out.
 */
export function findDeclaredRenames(
  before: ToolList,
  after: ToolList & { readonly unchanged: readonly string[] },
): readonly FoundToolRename[] {
  const namesAfter = new Set([...after.tools.map(({ name }) => name), ...after.unchanged]);
  const toolOf = indexByAbility(before.abilities, after.abilities);
  const replacementOf = (tool: string): string | undefined => {
    const ability = getOwn(before.abilities, tool);
    const replacement = ability && deprecationOf(ability.definition)?.replacement;
    return replacement === undefined ? undefined : (toolOf.get(replacement) ?? toolNameOf(replacement));
  };
  return before.tools.flatMap(({ name }): readonly FoundToolRename[] => {
    if (namesAfter.has(name)) return [];
    const replacement = follow(name, replacementOf, (tool) => namesAfter.has(tool));
    return replacement === undefined ? [] : [{ before: name, after: replacement, reason: DECLARED }];
  });
}

/** Adds the renames that a person named to declared ones: those of a removed tool to an added one. */
export function addNamedRenames(
  declared: readonly FoundToolRename[],
  named: readonly FoundToolRename[],
  tools: {
    readonly before: readonly ToolSnapshot[];
    readonly after: readonly ToolSnapshot[];
    readonly unchanged: readonly string[];
  },
): readonly FoundToolRename[] {
  const namesBefore = new Set(tools.before.map(({ name }) => name));
  const namesAfter = new Set([...tools.after.map(({ name }) => name), ...tools.unchanged]);
  const declaredNames = new Set(declared.map(({ before }) => before));
  const added = named.filter(({ before, after }) => {
    const isRemoved = namesBefore.has(before) && !namesAfter.has(before);
    const isAdded = namesAfter.has(after) && !namesBefore.has(after);
    return isRemoved && isAdded && !declaredNames.has(before);
  });
  return [...declared, ...added];
}

/** The tools by ability: a server may give a tool another name than the adapter derives from the ability. */
function indexByAbility(...sides: readonly ListedAbilities[]): ReadonlyMap<string, string> {
  return new Map(
    sides.flatMap((side) =>
      Object.entries(side).flatMap(([tool, ability]) =>
        ability === undefined ? [] : [[ability.definition.name, tool] as const],
      ),
    ),
  );
}

/** Returns the first existing tool of a chain of replacements; undefined if there is none or the chain is a cycle. */
function follow(
  tool: string,
  next: (tool: string) => string | undefined,
  exists: (tool: string) => boolean,
): string | undefined {
  const seen = new Set([tool]);
  for (let at = next(tool); at !== undefined && !seen.has(at); at = next(at)) {
    if (exists(at)) return at;
    seen.add(at);
  }
  return undefined;
}
