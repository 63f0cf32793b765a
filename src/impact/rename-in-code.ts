import { posix } from "node:path";
import type { TextEdit } from "../contract/text-edit.js";
import { dropDoubled } from "./drop-doubled.js";
import { findLeftovers, type Leftover } from "./find-leftovers.js";
import { findLikelyProperties } from "./find-likely-properties.js";
import { findLikelyValues } from "./find-likely-values.js";
import { findOwnTypes } from "./find-own-types.js";
import { type AddEdits, openCode } from "./open-code.js";
import { openProjects, type OpenProject } from "./open-project.js";
import { findRenamedProperties, renameProperties } from "./rename-properties.js";
import type { PropertyRename, RenameRequest, ToolRename } from "./rename-request.js";
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

/**
 * Finds the edits that renames need in the user's code. The compiler's language service finds the references in the code as
 * it was, against the old generated files, so that nothing is renamed by its spelling alone. Nothing is written.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function renameInCode(request: RenameRequest): RenamedCode {
  const edits = new Map<string, Map<string, TextEdit>>();
  const used = new Set<ToolRename | PropertyRename>();
  const all: RenamedCode[] = [];
  for (const { project, own } of openWithSources(request)) {
    const found = renameInProject(project, request, own);
    for (const [path, added] of found.edits) {
      const known = edits.get(path) ?? new Map<string, TextEdit>();
      for (const edit of added) known.set(keyOf(edit), edit);
      edits.set(path, known);
    }
    for (const rename of found.used) used.add(rename);
    all.push(found);
  }
  return {
    edits: new Map([...edits].map(([path, found]) => [path, sorted([...found.values()])])),
    used,
    findLeft: (former) => {
      const left = all.flatMap((found) => found.findLeft(former));
      return [...new Map(left.map((one) => [JSON.stringify(one), one])).values()];
    },
  };
}

/** The projects, and one more for the sources that none of them includes, such as tests and scripts. */
function openWithSources({ tsconfig, sources }: RenameRequest): readonly {
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

/** @param own the only files to report, if the project also has files of others */
function renameInProject(
  project: OpenProject,
  request: RenameRequest,
  own: ReadonlySet<string> | undefined,
): RenamedCode {
  const opened = openCode(project, request, own);
  if (opened === undefined) return NOTHING;
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

const NOTHING: RenamedCode = { edits: new Map(), used: new Set(), findLeft: () => [] };
