import { ts } from "ts-morph";
import {
  type CodeUsers,
  findUsers,
  type Generated,
  type OpenProject,
  openProjects,
  posixPath,
} from "../open-project.js";

/** Where the user's code is, and the generated files that it was written for. */
export interface CodeLocation {
  /** The configuration's folder, the output folder and the TypeScript configuration, absolute. */
  readonly dir: string;
  readonly output: string;
  /** Scripts are a project of their own. */
  readonly tsconfig: string | OpenProject;
  readonly before: Generated;
  /** Absolute paths of code that the TypeScript project may leave out, such as tests. */
  readonly sources: readonly string[];
}

/** A project of the user's code, compiled against the old generated files. */
export interface OpenedCode {
  readonly service: ts.LanguageService;
  readonly program: ts.Program;
  /** The user's files that use generated code. */
  readonly users: readonly string[];
  /** The output folder, posix. */
  readonly folder: string;
  readonly compile: CodeUsers["compile"];
}

/**
 * Opens the files that use generated code: those of each project, and those that no project includes.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function openCode(code: CodeLocation): readonly OpenedCode[] {
  const { tsconfig, sources } = code;
  if (typeof tsconfig !== "string") return openProject(tsconfig, code);
  const projects = openProjects(posixPath(tsconfig));
  const included = new Set(projects.flatMap(({ fileNames }) => fileNames));
  const others = sources.filter((path) => !included.has(path));
  const opened = projects.flatMap((project) => openProject(project, code));
  const [first] = projects;
  if (first === undefined || others.length === 0) return opened;
  const options = { ...first.options, allowJs: true, checkJs: true };
  return [...opened, ...openProject({ ...first, options, fileNames: others }, code, new Set(others))];
}

function openProject(
  project: OpenProject,
  { output, before }: CodeLocation,
  only?: ReadonlySet<string>,
): readonly OpenedCode[] {
  const folder = posixPath(output);
  const { users, paths, open, compile } = findUsers(project, output, [before], only);
  if (users.length === 0) return [];
  const modules = before.tools.map(({ path }) => `${folder}/${path}`);
  const host = open(before.tree);
  const service = ts.createLanguageService({
    getCompilationSettings: () => project.options,
    getScriptFileNames: () => [...new Set([...paths, ...modules])],
    // No file changes while the service lives.
    getScriptVersion: () => "",
    getScriptSnapshot: (path) => {
      const text = host.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => host.getCurrentDirectory(),
    getDefaultLibFileName: (wanted) => host.getDefaultLibFileName(wanted),
    fileExists: (path) => host.fileExists(path),
    readFile: (path) => host.readFile(path),
    directoryExists: (path) => host.directoryExists?.(path) === true,
    realpath: (path) => host.realpath?.(path) ?? path,
  });
  const program = service.getProgram();
  return program === undefined ? [] : [{ service, program, users, folder, compile }];
}
