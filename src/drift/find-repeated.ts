import { canonicalJson } from "../contract/canonical-json.js";
import { groupByName } from "../contract/group-by-name.js";
import type { ToolSnapshot } from "../contract/snapshot.js";

/**
 * The names that a list has more than once and that another one had less often, or with other definitions; under each
 * the further definitions that the other did not have. Which definition is the first one is another matter.
 */
export function findRepeated(
  before: readonly ToolSnapshot[],
  after: readonly ToolSnapshot[],
): ReadonlyMap<string, readonly ToolSnapshot[]> {
  const groups = [...groupByName(after)].filter(([, definitions]) => definitions.length > 1);
  if (groups.length === 0) return new Map();
  const known = groupByName(before);
  return new Map(
    groups.flatMap(([name, [, ...further]]): readonly (readonly [string, readonly ToolSnapshot[]])[] => {
      const old = known.get(name) ?? [];
      const texts = new Set(old.map(canonicalJson));
      const news = further.filter((definition) => !texts.has(canonicalJson(definition)));
      return news.length > 0 || further.length >= Math.max(old.length, 1) ? [[name, news]] : [];
    }),
  );
}
