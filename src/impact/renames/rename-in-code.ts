import { posix } from "node:path";
import { ts } from "ts-morph";
import { byCodeUnit } from "../../core/json.js";
import type { TextEdit } from "../../core/text-edit.js";
import { dropDoubled, renameTools } from "./rename-tools.js";
import { addWhereNone, findLeftovers, type Leftover, type LeftoverNode } from "./find-leftovers.js";
import { findOtherProperties, findOtherTools, type OtherName } from "./find-other-names.js";
import { isEdited, mergeEdits } from "./edit-name.js";
import {
  type AddEdits,
  type CodeLocation,
  type OpenedCode,
  type PlacedPropertyRename,
  type RenameRequest,
  type PlacedToolRename,
  openCode,
  ownFilesOf,
} from "./open-code.js";
import { openProjects, type OpenProject } from "../open-project.js";
import { renamePropertiesInCode, renameValues } from "./rename-properties.js";
import { findRenamedProperties, type RenamedProperties } from "./renamed-declarations.js";
import { renameStrings } from "./rename-strings.js";
import { GeneratedToolFinder, findUses } from "../tool-finder.js";

interface RenamedCode {
  /** By absolute posix path; sorted by place. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The renames that concern the code: of names that it has. */
  readonly used: ReadonlySet<PlacedToolRename | PlacedPropertyRename>;
  /**
   * Returns the places that a person has to look at after the edits.
   *
   * @param former files that changed since the code was written for the old generated files, as they were, by absolute
   *   posix path
   */
  readonly findLeft: (former: ReadonlyMap<string, string>) => readonly Leftover[];
}

/** The user's code as it was, opened once to apply several sets of renames. */
interface CodeToRename {
  /** The files that use generated code, as absolute posix paths. */
  readonly users: ReadonlySet<string>;
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
  const opened = openWithSources(code).flatMap(({ project, own }): readonly OpenedProject[] => {
    const found = openCode(project, code, own);
    return found === undefined ? [] : [{ ...found, project }];
  });
  return {
    users: new Set(opened.flatMap(({ users }) => users)),
    rename: (request) => rename(opened, { ...code, ...request }),
  };
}

type RenameInCode = CodeLocation & RenameRequest;

interface OpenedProject extends OpenedCode {
  readonly project: OpenProject;
}

function rename(all: readonly OpenedProject[], request: RenameInCode): RenamedCode {
  const found = all.map((opened) => ({ opened, ...renameInProject(opened, request) }));
  // Projects may share files.
  const edits = mergeEdits(found);
  const others = [
    ...found.flatMap(({ opened, properties, ofOthers }) =>
      findInProject(opened, properties, request).filter(({ node }) => !ofOthers.has(node)),
    ),
    ...filesWithTexts(all, request).flatMap((file) => findOtherTools(file, request.tools)),
  ].filter(({ node }) => !isEdited(node, edits));
  return {
    edits,
    used: new Set([...found.flatMap(({ used }) => [...used]), ...others.map((one) => one.rename)]),
    findLeft: (former) => {
      const left = found.flatMap((one) =>
        findLeftovers(
          one.opened.project,
          { ...request, former },
          { ...one.opened, renamed: edits, left: one.left },
        ),
      );
      const all = addWhereNone(request.dir, left, others).toSorted(
        (a, b) => byCodeUnit(a.file, b.file) || a.line - b.line,
      );
      return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    },
  };
}

/** The places that may name a renamed property or value of a tool that the project uses. */
function findInProject(
  opened: OpenedCode,
  { targets }: RenamedProperties,
  { before }: CodeLocation,
): readonly OtherName[] {
  if (targets.length === 0) return [];
  const { program, files, folder } = opened;
  const checker = program.getTypeChecker();
  const finder = new GeneratedToolFinder(checker, before.tools, (path) => [posix.join(folder, path)]);
  const used = new Set(files.flatMap((file) => [...findUses(file, finder, checker).tools]));
  const own = targets.filter(({ rename }) => used.has(rename.tool));
  return ownFilesOf(opened).flatMap((file) => findOtherProperties(file, own, checker));
}

/** The user's files that may have a renamed tool's name in a string, also those that use no generated code. */
function filesWithTexts(
  all: readonly OpenedProject[],
  { sources, tools, agentFiles }: RenameInCode,
): readonly ts.SourceFile[] {
  if (tools.length === 0) return [];
  const paths = new Set([...sources, ...all.flatMap(({ users }) => users)]);
  return [...paths].flatMap((path) => {
    if (agentFiles.has(path)) return [];
    const known = all.flatMap(({ program }) => program.getSourceFile(path) ?? [])[0];
    const text = known?.text ?? ts.sys.readFile(path) ?? "";
    if (!tools.some(({ before }) => text.includes(before.tool))) return [];
    return [known ?? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)];
  });
}

/** The projects, and one more for the sources that none of them includes, such as tests and scripts. */
function openWithSources({ tsconfig, sources }: CodeLocation): readonly {
  readonly project: OpenProject;
  readonly own?: ReadonlySet<string>;
}[] {
  if (typeof tsconfig !== "string") return [{ project: tsconfig }];
  const projects = openProjects(tsconfig.replaceAll("\\", "/"));
  const included = new Set(projects.flatMap(({ fileNames }) => fileNames));
  const others = sources.filter((path) => !included.has(path));
  const [first] = projects;
  const opened = projects.map((project) => ({ project }));
  if (first === undefined || others.length === 0) return opened;
  const options = { ...first.options, allowJs: true, checkJs: true };
  return [...opened, { project: { ...first, options, fileNames: others }, own: new Set(others) }];
}

interface ProjectRenames {
  readonly used: RenamedCode["used"];
  /** By absolute posix path. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  readonly properties: RenamedProperties;
  readonly left: readonly LeftoverNode[];
  /** The literals that are values of other properties. */
  readonly ofOthers: ReadonlySet<ts.Node>;
}

function renameInProject(opened: OpenedCode, request: RenameInCode): ProjectRenames {
  const { program, files, folder } = opened;
  const edits = new Map<string, TextEdit[]>();
  const used = new Set<PlacedToolRename | PlacedPropertyRename>();
  const add: AddEdits = (rename, path, found) => {
    if (found.length === 0 || path.startsWith(`${folder}/`) || path.includes("/node_modules/")) return;
    if (rename !== undefined) used.add(rename);
    edits.set(path, [...(edits.get(path) ?? []), ...found]);
  };
  const properties = findRenamedProperties(opened, request.properties);
  const tools = new Map(request.tools.map((rename) => [posix.join(folder, rename.before.path), rename]));
  const strings = renameStrings(opened, { modules: tools, properties: properties.properties });
  renameTools(opened, request.tools, add);
  const ofOthers = renameValues(opened, properties.values, add);
  const left = renamePropertiesInCode(opened, properties, request, {
    add,
    use: (rename) => used.add(rename),
  });
  for (const { path, rename, edit } of strings) add(rename, path, [edit]);
  const namesOf = (module: string): PlacedToolRename["names"] | undefined => tools.get(module)?.names;
  for (const file of files)
    add(undefined, file.fileName, dropDoubled(file, program.getTypeChecker(), namesOf));
  return { edits, used, properties, left, ofOthers };
}
