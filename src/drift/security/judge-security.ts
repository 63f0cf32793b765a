import type { Change } from "../../contract/change.js";
import { byCodeUnit } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import { isEqual } from "../is-equal.js";
import { makeChange } from "../make-change.js";
import { isIconsChangeSuspicious } from "./diff-icons.js";
import { diffToolPoison } from "./diff-poison.js";
import type { ToolNameIndex, ToolOfServer } from "./tool-name-index.js";

/**
 * The changes between two lists of tools with what they mean for trust: texts that mislead and are new, names that are
 * taken for those of another server's tools, icons from elsewhere. Tools stay in their order.
 */
export function judgeSecurity(
  changes: readonly Change[],
  before: ReadonlyMap<string, ToolSnapshot>,
  after: ReadonlyMap<string, ToolSnapshot>,
  {
    server,
    neighbourhood,
    unchanged,
    repeated,
  }: {
    readonly server: string;
    readonly neighbourhood: ToolNameIndex;
    /** The names of the server's other tools. */
    readonly unchanged: readonly string[];
    /** By name, further definitions that are new. */
    readonly repeated: ReadonlyMap<string, readonly ToolSnapshot[]>;
  },
): readonly Change[] {
  const surroundings = {
    server,
    own: new Set([...after.keys(), ...unchanged]),
    others: neighbourhood.othersOf(server),
  };
  const added = [...after.values()].filter(({ name }) => !before.has(name));
  const shadows = new Map(
    added.flatMap((tool): [string, Change][] => {
      const [alike] = neighbourhood.alike(server, tool);
      return alike === undefined ? [] : [[tool.name, shadowing(server, tool.name, alike)]];
    }),
  );
  const poison = [...after.values()].flatMap((tool) => {
    const earlier = before.get(tool.name);
    const news = [...(isEqual(earlier, tool) ? [] : [tool]), ...(repeated.get(tool.name) ?? [])];
    return diffToolPoison(earlier, news, surroundings);
  });
  const judged = changes.flatMap((change): readonly Change[] => {
    if (change.rule === "tool-added" && shadows.has(change.tool ?? "")) return [];
    return [judgeIcons(change)];
  });
  const found = [...shadows.values(), ...poison];
  if (found.length === 0) return judged;
  return [...shadows.values(), ...judged, ...poison].sort((a, b) => byCodeUnit(a.tool ?? "", b.tool ?? ""));
}

/** The finding for a new tool that takes another tool's name. `after` names the tool that it resembles. */
export function shadowing(server: string, tool: string, alike: ToolOfServer): Change {
  const taken = { server: alike.server, tool: alike.tool.name };
  return {
    ...makeChange("tool-added", { server, tool, path: "" }, { after: { shadows: taken } }),
    security: true,
    reason: "its name is that of another server's tool, or is hard to tell from it",
  };
}

/** The same change, a matter of trust when the icons are more than a new picture. */
export function judgeIcons(change: Change): Change {
  const isOfIcons =
    change.rule === "icons-changed" ||
    (change.rule === "server-info-changed" && change.path === "/serverInfo/icons");
  if (!isOfIcons || !isIconsChangeSuspicious(change.before, change.after)) return change;
  return { ...change, security: true, reason: "they come from elsewhere, or may hold a script" };
}
