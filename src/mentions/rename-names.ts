import type { TextEdit } from "../contract/text-edit.js";
import type { Mention } from "./resolve-names.js";

/**
 * Returns the edits that give names in a file the new names of tools, the mentions that they write, and those whose new name
 * cannot be written there: the name comes from a server, and another character could end the string or the list that it is in.
 */
export function renameMentions(
  mentions: readonly Mention[],
  renames: readonly { readonly server: string; readonly before: string; readonly after: string }[],
): {
  readonly edits: readonly TextEdit[];
  readonly written: readonly Mention[];
  readonly left: readonly Mention[];
} {
  const edits: TextEdit[] = [];
  const written: Mention[] = [];
  const left: Mention[] = [];
  for (const mention of mentions) {
    const { server, known, tool, offset, kind } = mention;
    const rename = renames.find((one) => one.server === server && one.before === known);
    if (rename === undefined) continue;
    // Behind the prefix of a host, only these characters are left of a name, unless the host keeps others.
    const replaced = /[./]/.test(tool) ? /[^\w./-]/g : /[^\w-]/g;
    const text = kind === "certain" ? rename.after.replaceAll(replaced, "_") : rename.after;
    const isSafe = /^[\w./-]+$/.test(text);
    if (isSafe) edits.push({ start: offset, length: tool.length, text });
    (isSafe ? written : left).push(mention);
  }
  return { edits, written, left };
}
