import { byCodeUnit } from "../../contract/json.js";
import { editDistance } from "../../vocabulary/edit-distance.js";
import type { ToolFinder } from "./find-tools.js";
import type { ToolNames } from "./tool-names.js";

const MOST_NAMES = 5;
/** Longer names are cut before the comparison. */
const LONGEST_NAME = 100;

/**
 * The names that somebody may have meant who asked for a tool that is not there: those that differ in few letters, then
 * those that have most to do with its words. None that the policy hides.
 */
export async function nearestNames(
  name: string,
  finder: ToolFinder,
  names: Pick<ToolNames, "nameOf">,
): Promise<readonly string[]> {
  const asked = normalize(name);
  const most = Math.max(1, Math.floor(asked.length / 4));
  const near = finder.visible
    .flatMap((tool) => {
      const shown = names.nameOf(tool);
      const distance = Math.min(
        ...[shown, tool.name].map((known) => editDistance(asked, normalize(known), most)),
      );
      return distance > most ? [] : [{ shown, distance }];
    })
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.shown, b.shown))
    .map(({ shown }) => shown);
  const { hits } = await finder.find({ query: name.slice(0, LONGEST_NAME), limit: MOST_NAMES });
  return [...new Set([...near, ...hits.map(({ tool }) => names.nameOf(tool))])].slice(0, MOST_NAMES);
}

/** As it is compared: `Create-Post` is `create_post`. */
function normalize(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}
