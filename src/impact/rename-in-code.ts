import { posix } from "node:path";
import type { TextEdit } from "../contract/text-edit.js";
import { dropDoubled } from "./drop-doubled.js";
import { findLeftovers, type Leftover } from "./find-leftovers.js";
import { findLikelyProperties } from "./find-likely-properties.js";
import { findLikelyValues } from "./find-likely-values.js";
import { findOwnTypes } from "./find-own-types.js";
import { type AddEdits, openCode, type OpenedCode } from "./open-code.js";
import { openProjects, type OpenProject } from "./open-project.js";
import { findRenamedProperties, renameProperties } from "./rename-properties.js";
import type { CodeLocation, PropertyRename, RenameRequest, ToolRename } from "./rename-request.js";
import { renameStrings } from "./rename-strings.js";
import { renameTools } from "./rename-tools.js";

export interface RenamedCode {
  /** By absolute posix path; sorted by place. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The renames that concern the code: of names that it has. */
  readonly used: ReadonlySet<ToolRename | PropertyRename>;
  /**
   * Returns what a person has to look at after the edits.
   *
   * @param former files that changed since the code was written for the old generated files, as they were, by absolute
   *   posix path
   */
  readonly findLeft: (former: ReadonlyMap<string, string>) => readonly Leftover[];
}

/** The user's code as it was, opened once to apply several sets of renames. */
export interface CodeToRename {
  /** Finds the edits that renames need. Nothing is written. */
  readonly rename: (request: RenameRequest) => RenamedCode;
}

/**
 * Opens the user's code against the old generated files. The compiler's language service finds the references there, so that
 * nothing is renamed by its spelling alone.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function openCodeToRename(code: CodeLocation): CodeToRename {
  const opened = openWithSources(code).flatMap(({ project, own }) => {
    const found = openCode(project, code, own);
    return found === undefined ? [] : [{ project, opened: found }];
  });
  return {
    rename: (request) =>
      mergeRenamed(opened.map((each) => renameInProject(each.project, each.opened, { ...code, ...request }))),
  };
}

/** Joins what was found in several projects, which may share files. */
function mergeRenamed(all: readonly RenamedCode[]): RenamedCode {
  const edits = new Map<string, Map<string, TextEdit>>();
  for (const found of all)
    for (const [path, added] of found.edits) {
      const known = edits.get(path) ?? new Map<string, TextEdit>();
      for (const edit of added) known.set(keyOf(edit), edit);
      edits.set(path, known);
    }
  return {
    edits: new Map([...edits].map(([path, found]) => [path, sorted([...found.values()])])),
    used: new Set(all.flatMap(({ used }) => [...used])),
    findLeft: (former) => {
      const left = all.flatMap((found) => found.findLeft(former));
      return [...new Map(left.map((one) => [JSON.stringify(one), one])).values()];
    },
  };
}

/** The projects, and one more for the sources that none of them includes, such as tests and scripts. */
function openWithSources({ tsconfig, sources }: CodeLocation): readonly {
  readonly project: OpenProject;
  readonly own?: ReadonlySet<string>;
}[] {
  const projects = openProjects(tsconfig.replaceAll("\\", "/"));
  const included = new Set(projects.flatMap(({ fileNames }) => fileNames));
  const others = sources.filter((path) => !included.has(path));
  const [first] = projects;
  const opened = projects.map((project) => ({ project }));
  if (first === undefined || others.length === 0) return opened;
  const options = { ...first.options, allowJs: true, checkJs: true };
  return [...opened, { project: { ...first, options, fileNames: others }, own: new Set(others) }];
}

function keyOf({ start, length, text }: TextEdit): string {
  return JSON.stringify([start, length, text]);
}

/** Edits in order, without those that overlap an earlier one. */
function sorted(edits: readonly TextEdit[]): readonly TextEdit[] {
  let end = 0;
  return [...edits]
    .sort((a, b) => a.start - b.start || b.length - a.length)
    .filter((edit) => {
      const isFree = edit.start >= end;
      if (isFree) end = edit.start + edit.length;
      return isFree;
    });
}

function renameInProject(
  project: OpenProject,
  opened: OpenedCode,
  request: CodeLocation & RenameRequest,
): RenamedCode {
  const { program, files, folder } = opened;
  const edits = new Map<string, TextEdit[]>();
  const used = new Set<ToolRename | PropertyRename>();
  const add: AddEdits = (rename, path, found) => {
    if (found.length === 0 || path.startsWith(`${folder}/`) || path.includes("/node_modules/")) return;
    if (rename !== undefined) used.add(rename);
    edits.set(path, [...(edits.get(path) ?? []), ...found]);
  };
  const properties = findRenamedProperties(opened, request.properties);
  const tools = new Map(request.tools.map((rename) => [posix.join(folder, rename.before.path), rename]));
  const strings = renameStrings(opened, { modules: tools, properties: properties.properties });
  const left = [
    ...renameTools(opened, request.tools, add),
    ...renameProperties(opened, properties, request, { add, use: (rename) => used.add(rename) }),
    ...strings.left,
    ...findOwnTypes(opened, properties),
  ];
  for (const { path, rename, edit } of strings.edits) add(rename, path, [edit]);
  const namesOf = (module: string): ToolRename["names"] | undefined => tools.get(module)?.names;
  for (const file of files)
    add(undefined, file.fileName, dropDoubled(file, program.getTypeChecker(), namesOf));
  const renamed = new Map([...edits].map(([path, found]) => [path, sorted(found)]));
  const likely = [
    ...findLikelyValues(opened, properties.values, renamed),
    ...findLikelyProperties(opened, properties.targets),
  ];
  for (const { rename } of likely) used.add(rename);
  return {
    edits: renamed,
    used,
    findLeft: (former) =>
      findLeftovers(project, { ...request, former }, { ...opened, renamed, left: [...left, ...likely] }),
  };
}
