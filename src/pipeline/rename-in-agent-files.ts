import type { LoadedConfig } from "../config/load-config.js";
import type { Rename } from "../contract/rename.js";
import type { TextEdit } from "../contract/text-edit.js";
import type { Leftover } from "../impact/renames/find-leftovers.js";
import { formOf } from "../mentions/agent-files.js";
import { findNames, normalize } from "../mentions/find-names.js";
import { renameMentions } from "../mentions/rename-names.js";
import { findMentions, tableOf } from "../mentions/resolve-names.js";
import { addMentions, createLocator } from "./find-mentions.js";
import { readAgentFiles } from "./read-agent-files.js";
import type { Locks, RenameEdits } from "./rename-code.js";

/** Edits the names of tools in files that agents read, and lists what is less certain: properties, values and patterns. */
export async function renameInAgentFiles(
  loaded: LoadedConfig,
  locks: Locks,
  renames: readonly Rename[],
): Promise<RenameEdits> {
  const tools = renames.filter(({ kind }) => kind === "tool");
  const agentFiles = await readAgentFiles(loaded);
  const before = tableOf(locks.before, agentFiles.aliases);
  const edits = new Map<string, readonly TextEdit[]>();
  const left: Leftover[] = [];
  const used = new Set<Rename>();
  for (const { path, text, isUtf8 } of tools.length === 0 ? [] : agentFiles.files) {
    const found = renameMentions(findMentions(text, formOf(path), before), tools);
    if (isUtf8 && found.edits.length > 0) edits.set(path, found.edits);
    const locate = createLocator(text);
    for (const { server, known } of [...found.written, ...found.left])
      for (const rename of tools) if (rename.server === server && rename.before === known) used.add(rename);
    for (const mention of isUtf8 ? found.left : [...found.written, ...found.left]) {
      const why = isUtf8 ? "whose new name cannot be written here" : "and the file is not in UTF-8";
      const message = `names \`${mention.text}\`, renamed, ${why}`;
      left.push({ file: path, line: locate(mention).line, message });
    }
    for (const name of findNames(text, formOf(path), before.servers))
      for (const rename of tools)
        if (
          rename.server === name.server &&
          matches(name.tool, rename.before) &&
          !matches(name.tool, rename.after)
        ) {
          used.add(rename);
          const message = `names \`${name.text}\`, which does not match the new name \`${rename.after}\``;
          left.push({ file: path, line: locate(name).line, message });
        }
  }
  for (const rename of renames) {
    if (rename.kind === "tool") continue;
    const old = tools.find((one) => one.server === rename.server && one.after === rename.tool);
    const change = { ...rename.change, tool: old?.before ?? rename.tool };
    for (const { callSites = [] } of addMentions([change], locks.before, agentFiles))
      for (const { file, line, says: message } of callSites) {
        used.add(rename);
        left.push({ file, line, message });
      }
  }
  return { edits, left, used: [...used] };
}

/** Whether a pattern with a trailing `*` matches a tool. */
function matches(pattern: string, tool: string): boolean {
  return pattern.endsWith("*") && normalize(tool).startsWith(normalize(pattern.slice(0, -1)));
}
