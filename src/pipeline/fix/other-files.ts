import type { LoadedConfig } from "../../config/load-config.js";
import { locateNames } from "../../config/locate-keys.js";
import { countNames, findLostPatterns, findToolNames } from "../../config/match-tools.js";
import { isNamePattern } from "../../core/name-pattern.js";
import { type ConfigName, editSpelled, type Rename, type TextEdit } from "../../core/rename.js";
import { readBounded } from "../../files/read-files.js";
import type { Leftover } from "../../impact/renames/find-leftovers.js";
import {
  compileSpelled,
  type TextRegion,
  findSpelledNames,
  findRegions,
  formOf,
} from "../../impact/mentions/find-names.js";
import { type Mention, findToolMentions, tableOf } from "../../impact/mentions/resolve-names.js";
import { openConfigFile } from "../check/find-config-names.js";
import { createLocator } from "../check/find-mentions.js";
import { type AgentFiles, NOT_SEARCHED, readAgentFiles } from "../check/read-agent-files.js";
import type { Locks, RenameEdits } from "./user-code.js";

/** Edits the names of tools in files that agents read, and lists less certain names: properties, values and patterns. */
export async function renameInAgentFiles(
  loaded: LoadedConfig,
  locks: Locks,
  renames: readonly Rename[],
): Promise<RenameEdits> {
  const tools = renames.filter(({ kind }) => kind === "tool");
  const agentFiles = await readAgentFiles(loaded);
  const before = tableOf(locks.before, agentFiles.aliases);
  const edits = new Map<string, readonly TextEdit[]>();
  const left: Leftover[] = agentFiles.tooLarge.map((file) => ({ file, line: 1, message: NOT_SEARCHED }));
  const used = new Set<Rename>();
  for (const { path, text, isUtf8 } of tools.length === 0 ? [] : agentFiles.files) {
    const found = renameMentions(findToolMentions(text, formOf(path), before), tools);
    if (isUtf8 && found.edits.length > 0) edits.set(path, found.edits);
    const locate = createLocator(text);
    for (const { server, known } of [...found.written, ...found.left])
      for (const rename of tools) if (rename.server === server && rename.before === known) used.add(rename);
    for (const mention of isUtf8 ? found.left : [...found.written, ...found.left]) {
      const why = isUtf8 ? ", whose new name cannot be written here" : ", and the file is not in UTF-8";
      const message = `names \`${mention.text}\`, renamed${why}`;
      left.push({ file: path, line: locate(mention).line, message });
    }
    for (const name of findSpelledNames(text, formOf(path), before.servers))
      for (const rename of tools)
        if (
          rename.server === name.server &&
          isNamePattern(name.tool) &&
          compileSpelled(name.tool)(rename.before) &&
          !compileSpelled(name.tool)(rename.after)
        ) {
          used.add(rename);
          const message = `names \`${name.text}\`, which does not match the new name \`${rename.after}\``;
          left.push({ file: path, line: locate(name).line, message });
        }
  }
  listBesideTools(agentFiles, locks, renames, (rename, place) => {
    used.add(rename);
    left.push(place);
  });
  return { edits, left, used: [...used] };
}

/** Lists the properties and values in spans of code that belong to the tool that is named last before them, or else first. */
function listBesideTools(
  { files, aliases }: AgentFiles,
  locks: Locks,
  renames: readonly Rename[],
  onFound: (rename: Rename, place: Leftover) => void,
): void {
  const tools = renames.filter(({ kind }) => kind === "tool");
  const others = renames.filter(({ kind }) => kind !== "tool");
  // An earlier run may have given the tools their new names.
  const renamed = tools.map(({ server, after }) => ({ server, tool: after }));
  const table = tableOf(locks.before, aliases, renamed);
  for (const { path, text } of others.length === 0 ? [] : files) {
    const form = formOf(path);
    const mentions = findToolMentions(text, form, table);
    const locate = createLocator(text);
    const spans =
      mentions.length === 0 ? [] : findRegions(text, form).filter(({ verb }) => verb === undefined);
    for (const rename of others) {
      const { server, before, after } = rename;
      const was = tools.find((one) => one.server === server && one.after === rename.tool);
      for (const offset of spans.flatMap((span) => findWord(text, span, rename))) {
        const owner = mentions.findLast((mention) => mention.offset < offset) ?? mentions[0];
        const isOwner = owner?.known === rename.tool || owner?.known === was?.before;
        if (owner?.server !== server || owner.known === undefined || !isOwner) continue;
        const { line } = locate({ offset, tool: before, text: before });
        onFound(rename, { file: path, line, message: `names \`${before}\`, renamed to \`${after}\`` });
      }
    }
  }
}

/** Where a span of code has a name as a whole word. A value may follow its property: `status:open`, `status=open`. */
function findWord(text: string, { start, end }: TextRegion, { kind, before }: Rename): readonly number[] {
  const [isBefore, isAfter] = kind === "value" ? [/[\w-]/, /[\w-]/] : [/[\w/.:-]/, /[\w/-]/];
  const found: number[] = [];
  for (let at = text.indexOf(before, start); at !== -1; at = text.indexOf(before, at + 1)) {
    const after = at + before.length;
    if (after > end || before === "") break;
    if (at > start && isBefore.test(text.charAt(at - 1))) continue;
    if (after === end || !isAfter.test(text.charAt(after))) found.push(at);
  }
  return found;
}

/**
 * Returns the edits that give names in a file the new names of tools, the mentions that they write, and those whose new name
 * cannot be written there: the name comes from a server, and another character could end the string or the list that it is in.
 */
function renameMentions(
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

/** Edits the names of renamed tools in the configuration, and lists those that it cannot edit. */
export async function renameInSettings(
  loaded: LoadedConfig,
  applied: readonly Rename[],
): Promise<RenameEdits> {
  const { config, path } = loaded;
  const tools = applied.filter(({ kind }) => kind === "tool");
  const named = tools.flatMap((rename) =>
    findToolNames(config, rename).flatMap((name) => {
      const count = countNames(config, name);
      return count === 0 ? [] : [{ rename, name, count }];
    }),
  );
  const lost = tools.flatMap((rename) =>
    findLostPatterns(config, rename).map((pattern) => ({ rename, pattern })),
  );
  if (named.length + lost.length === 0) return { edits: new Map(), left: [], used: [] };
  const { path: file, find } = await openConfigFile(loaded);
  const text = (await readBounded(path)).toString("utf8");
  const found = await renameInConfig(
    file,
    text,
    named.map(({ name }) => name),
  );
  const left = named.flatMap(
    ({ rename: { server, before, after }, count, name }, index): readonly Leftover[] => {
      const message = `${name.path.slice(0, 2).join(".")} names \`${before}\`, renamed to \`${after}\` on server \`${server}\``;
      return (found[index] ?? []).length < count ? [{ file, line: find(name.before).line, message }] : [];
    },
  );
  const unmatched = lost.map(({ rename: { after }, pattern }): Leftover => {
    const message = `names \`${pattern}\`, which does not match the new name \`${after}\``;
    return { file, line: find(pattern).line, message };
  });
  return {
    edits: new Map(found.flat().length === 0 ? [] : [[file, found.flat()]]),
    left: [...left, ...unmatched],
    used: [...named, ...lost].map(({ rename }) => rename),
  };
}

/** Returns the edits of each name in the text of a configuration. A name that code computes has none. */
export async function renameInConfig(
  path: string,
  text: string,
  names: readonly ConfigName[],
): Promise<readonly (readonly TextEdit[])[]> {
  const located = await locateNames(
    path,
    text,
    names.map((name) => name.path),
  );
  return names.map(({ before, after }, index) =>
    (located[index] ?? []).flatMap(({ name, start, end }) =>
      name === before && after !== undefined ? [editSpelled(text, start, end, after)] : [],
    ),
  );
}
