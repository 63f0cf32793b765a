import type { TextEdit } from "../contract/text-edit.js";
import type { Mention } from "./resolve-names.js";

/** Returns the edits that give names in a file the new names of tools. */
export function renameMentions(
  mentions: readonly Mention[],
  renames: readonly { readonly server: string; readonly before: string; readonly after: string }[],
): readonly TextEdit[] {
  return mentions.flatMap(({ server, known, tool, offset, kind }): readonly TextEdit[] => {
    const rename = renames.find((one) => one.server === server && one.before === known);
    if (rename === undefined) return [];
    // Behind the prefix of a host, only these characters are left of a name.
    const text = kind === "certain" ? rename.after.replaceAll(/[^A-Za-z0-9_-]/g, "_") : rename.after;
    return [{ start: offset, length: tool.length, text }];
  });
}
