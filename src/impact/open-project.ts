import { createRequire } from "node:module";
import { posix } from "node:path";
import { Project, ts } from "ts-morph";
import { McpCodegenError } from "../core/errors.js";
import type { GeneratedFile } from "../core/generated-file.js";
import { findOwn, type JsonValue } from "../core/json.js";
import type { ToolModule } from "./tool-finder.js";

/** A TypeScript project with its resolved configuration. */
export interface OpenProject {
  /** Absolute path of the configuration. */
  readonly path: string;
  readonly options: ts.CompilerOptions;
  readonly fileNames: readonly string[];
  /** Whether the project type-checks JavaScript. */
  readonly checksJs: boolean;
  /** Texts that replace or add files, by absolute posix path. */
  readonly texts?: ReadonlyMap<string, string> | undefined;
}

/**
 * Returns a project, followed by all projects in its `references`. Only options that affect type-checking are kept.
 *
 * @throws McpCodegenError `USAGE` for a configuration that cannot be read
 */
export function openProjects(path: string): readonly OpenProject[] {
  const opened = new Map<string, OpenProject>();
  const open = [posixPath(ts.sys.resolvePath(path))];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    if (opened.has(next)) continue;
    const parsed = parseProject(next);
    opened.set(next, {
      path: next,
      options: analysisOptions(next, parsed.options),
      fileNames: parsed.fileNames,
      checksJs: parsed.options.checkJs === true,
    });
    open.push(
      ...(parsed.projectReferences ?? []).map((reference) => ts.resolveProjectReferencePath(reference)),
    );
  }
  return [...opened.values()];
}

/**
 * Opens scripts without modules as a project. `return` at their top level becomes `throw`, which the compiler accepts there;
 * every place stays.
 *
 * @param scripts texts by absolute posix path
 * @param globals the path and the text of the declarations of their globals
 */
export function openScripts(
  scripts: ReadonlyMap<string, string>,
  globals: readonly [path: string, text: string],
): OpenProject {
  const texts = new Map(Array.from(scripts, ([path, text]) => [path, throwAtTop(text)])).set(...globals);
  return {
    path: globals[0],
    options: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      lib: ["lib.es2023.d.ts"],
      types: [],
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      moduleDetection: ts.ModuleDetectionKind.Force,
      strict: true,
      noImplicitAny: false,
      noEmit: true,
      skipLibCheck: true,
    },
    fileNames: [...texts.keys()],
    checksJs: false,
    texts,
  };
}

function throwAtTop(text: string): string {
  let changed = text;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    ts.forEachChild(node, visit);
    if (!ts.isReturnStatement(node)) return;
    const start = node.getStart();
    const word = node.expression !== undefined ? "throw " : node.getEnd() - start > 6 ? "throw 0" : "{}    ";
    changed = changed.slice(0, start) + word + changed.slice(start + word.length);
  };
  visit(ts.createSourceFile("script.ts", text, ts.ScriptTarget.Latest, true));
  return changed;
}

function parseProject(path: string): ts.ParsedCommandLine {
  const problems: ts.Diagnostic[] = [];
  const host: ts.ParseConfigFileHost = {
    useCaseSensitiveFileNames: ts.sys.useCaseSensitiveFileNames,
    fileExists: (file) => ts.sys.fileExists(file),
    readFile: (file) => ts.sys.readFile(file),
    readDirectory: (...args) => ts.sys.readDirectory(...args),
    getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
    onUnRecoverableConfigFileDiagnostic: (problem) => problems.push(problem),
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(path, {}, host);
  const [problem] = [...problems, ...(parsed?.errors ?? [])].filter(isFatal);
  if (parsed !== undefined && problem === undefined) return parsed;
  const why = problem === undefined ? "" : `: ${ts.flattenDiagnosticMessageText(problem.messageText, " ")}`;
  throw new McpCodegenError(
    "USAGE",
    `The TypeScript configuration "${path}" cannot be read${why.replace(/\.$/, "")}.`,
    { hint: "Name another with --project <tsconfig>." },
  );
}

/** Invalid JSON or a missing file is fatal. An option that this compiler does not know is not. */
function isFatal({ code }: ts.Diagnostic): boolean {
  return (code >= 1000 && code < 2000) || code === 5083 || code === 5012;
}

/**
 * Keeps the options that affect errors, and drops those about emitting. JavaScript is always checked, since only new
 * errors are reported.
 */
function analysisOptions(path: string, options: ts.CompilerOptions): ts.CompilerOptions {
  const { allowJs, checkJs } = options;
  const js = (allowJs ?? checkJs) === true ? { allowJs: true, checkJs: true } : {};
  return {
    ...options,
    ...(isBefore6(path) ? defaultsBefore6(options) : {}),
    ...js,
    noEmit: true,
    skipLibCheck: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    isolatedDeclarations: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
}

/** TypeScript 6 changed the defaults of some options. */
function defaultsBefore6({ strict = false, types = ["*"] }: ts.CompilerOptions): ts.CompilerOptions {
  return { strict, types };
}

function isBefore6(path: string): boolean {
  try {
    const manifest = createRequire(path)("typescript/package.json") as JsonValue;
    const version = findOwn(manifest, "version");
    return typeof version === "string" && Number.parseInt(version, 10) < 6;
  } catch {
    return false;
  }
}

interface Dependents {
  /** The user's files that import generated code, directly or indirectly. */
  readonly users: readonly string[];
  /** Declarations that apply to all files: ambient ones, and augmentations of modules. */
  readonly ambient: readonly string[];
}

/** Declarations that change the types of files that do not import them. */
const AUGMENTS = /\bdeclare\s+(?:global|module)\b/;

/**
 * Scans the imports of a project's files and of the files they import, outside `node_modules`. Files that do not lead
 * to generated code are neither parsed nor checked.
 */
function findDependents(
  project: OpenProject,
  host: ts.CompilerHost,
  isGenerated: (path: string) => boolean,
): Dependents {
  const importers = new Map<string, Set<string>>();
  const ambient = new Set<string>();
  const seen = new Set(project.fileNames);
  const resolve = createResolver(project.options, host);
  for (const path of seen) {
    if (isGenerated(path)) continue;
    const text = host.readFile(path) ?? "";
    if (AUGMENTS.test(text) || isDeclaration(path)) ambient.add(path);
    for (const name of importsOf(path, text)) {
      const target = resolve(name, path);
      if (target === undefined) continue;
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
      if (!isDeclaration(target)) seen.add(target);
    }
  }
  const users = new Set<string>();
  const open = [...importers.keys()].filter(isGenerated);
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const importer of importers.get(next) ?? [])
      if (!users.has(importer)) {
        users.add(importer);
        open.push(importer);
      }
  const isSpread = [...ambient].some((path) => users.has(path));
  const files = isSpread ? [...seen].filter((path) => !isGenerated(path)) : [...users];
  return { users: files.filter((path) => !isDeclaration(path)).sort(), ambient: [...ambient].sort() };
}

/** `import(…)`, and `@import { Order } from "./order.js"`, in a comment of JavaScript. */
const IMPORTS_TYPE = /\bimport\(\s*["']([^"'\n]+)["']|@import\b[^"'\n@]*["']([^"'\n]+)["']/g;

/** The modules that a file imports; in JavaScript also those that only its comments name, for their types. */
function importsOf(path: string, text: string): readonly string[] {
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  if (!/\.[cm]?jsx?$/.test(path)) return imports;
  return [
    ...imports,
    ...Array.from(text.matchAll(IMPORTS_TYPE)).flatMap(([, called, named]) => called ?? named ?? []),
  ];
}

/** Returns a function that resolves a module name in a file to a path; undefined for a file in a package. */
function createResolver(
  options: ts.CompilerOptions,
  host: ts.CompilerHost,
): (name: string, from: string) => string | undefined {
  const cache = ts.createModuleResolutionCache(host.getCurrentDirectory(), (path) => path, options);
  return (name, from) => {
    const format = ts.getImpliedNodeFormatForFile(from, cache.getPackageJsonInfoCache(), host, options);
    const { resolvedModule } = ts.resolveModuleName(name, from, options, host, cache, undefined, format);
    const target = resolvedModule?.resolvedFileName;
    return target?.includes("/node_modules/") === true ? undefined : target;
  };
}

/** The differences between the output folder and the files of a lock. */
export interface Tree {
  readonly files: readonly GeneratedFile[];
  /** Paths to remove. */
  readonly removed: readonly string[];
}

/** Texts that replace files on the disk, by absolute posix path; undefined for a removed file. */
type Overlay = ReadonlyMap<string, string | undefined>;

/** Returns the overlay of a tree and of a project's own texts. Links may give the output folder several paths. */
function overlayOf(
  { files, removed }: Tree,
  folders: readonly string[],
  { texts = new Map() }: OpenProject,
): Overlay {
  return new Map([
    ...texts,
    ...folders.flatMap((folder) => [
      ...removed.map((path): [string, undefined] => [posix.join(folder, path), undefined]),
      ...files.map(({ path, text }): [string, string] => [posix.join(folder, path), text]),
    ]),
  ]);
}

export interface Generated {
  readonly tree: Tree;
  readonly tools: readonly ToolModule[];
}

/** The user's files that use generated code, directly or indirectly. */
export interface CodeUsers {
  readonly users: readonly string[];
  /** The same files, and declarations that apply to all files. */
  readonly paths: readonly string[];
  /** The paths of a generated file: links may give the output folder several. */
  readonly pathsOf: (path: string) => readonly string[];
  /** Returns a host that also has these generated files and other texts. */
  readonly open: (tree: Tree, texts?: Overlay) => ts.CompilerHost;
  /** Compiles them against these generated files. */
  readonly compile: (tree: Tree, before?: ts.Program, texts?: Overlay) => ts.Program;
}

/**
 * Finds the files of a project that use the generated code of a folder, in any of these forms.
 *
 * @param only the only files to return, if the project also has files of others
 */
export function findUsers(
  project: OpenProject,
  output: string,
  forms: readonly [Generated, ...Generated[]],
  only?: ReadonlySet<string>,
): CodeUsers {
  const { options } = project;
  const folder = posixPath(output);
  const folders = [...new Set([folder, posixPath(ts.sys.realpath?.(folder) ?? folder)])];
  const pathsOf = (path: string): readonly string[] => folders.map((each) => posix.join(each, path));
  const generated = new Set(forms.flatMap(generatedPaths).flatMap(pathsOf));
  const cache: SourceCache = new Map();
  const open = (tree: Tree, texts: Overlay = new Map()): ts.CompilerHost =>
    createHost(options, new Map([...overlayOf(tree, folders, project), ...texts]), cache);
  const dependents = findDependents(project, open(forms[0].tree), (path) => generated.has(path));
  const users = only === undefined ? dependents.users : dependents.users.filter((path) => only.has(path));
  const paths = [...new Set([...users, ...dependents.ambient])];
  return {
    users,
    paths,
    pathsOf,
    open,
    compile: (tree, before, texts) => ts.createProgram(paths, options, open(tree, texts), before),
  };
}

function generatedPaths({ tree, tools }: Generated): readonly string[] {
  return [
    ...tree.files.map(({ path }) => path),
    ...tree.removed,
    ...tools.flatMap(({ path, index }) => [path, index]),
    "index.ts",
  ];
}

export function posixPath(path: string): string {
  return path.replaceAll("\\", "/");
}

/** The path of the compiler's own declarations, which ts-morph provides in memory. */
const LIBRARIES = "/node_modules/typescript/lib";

/** Parsed files by path, so that files of both programs are parsed once. */
type SourceCache = Map<string, { readonly text: string; readonly file: ts.SourceFile }>;

function keyOf(format: ts.ResolutionMode, path: string): string {
  return `${format ?? ""} ${path}`;
}

let shared: { readonly options: string; readonly declarations: SourceCache } | undefined;

/** Parsing the declarations of packages takes longer than parsing the user's code. Those of the last options are kept. */
function shareDeclarations(options: ts.CompilerOptions): SourceCache {
  const key = ts.createDocumentRegistry().getKeyForCompilationSettings(options);
  if (shared?.options !== key) shared = { options: key, declarations: new Map() };
  return shared.declarations;
}

let libraryHost: ts.ModuleResolutionHost | undefined;

function openLibraries(): ts.ModuleResolutionHost {
  return (libraryHost ??= new Project({ useInMemoryFileSystem: true }).getModuleResolutionHost());
}

function isDeclaration(path: string): boolean {
  return /\.d\.(?:[cm]?ts|[^.]+\.ts)$/.test(path);
}

/** A compiler host that reads the disk below an overlay. Nothing is ever written. */
function createHost(options: ts.CompilerOptions, overlay: Overlay, cache: SourceCache): ts.CompilerHost {
  const disk = ts.createCompilerHost(options, true);
  const libraries = openLibraries();
  const declarations = shareDeclarations(options);
  const folders = foldersOf(overlay);
  const isLibrary = (path: string): boolean => path.startsWith(`${LIBRARIES}/`);
  const below = (path: string): Pick<ts.CompilerHost, "readFile" | "fileExists"> =>
    isLibrary(path) ? libraries : disk;
  const readFile = (path: string): string | undefined =>
    overlay.has(path) ? overlay.get(path) : below(path).readFile(path);
  return {
    ...disk,
    jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
    getDefaultLibLocation: () => LIBRARIES,
    getDefaultLibFileName: (wanted) => `${LIBRARIES}/${ts.getDefaultLibFileName(wanted)}`,
    readFile,
    fileExists: (path) =>
      overlay.has(path) ? overlay.get(path) !== undefined : below(path).fileExists(path),
    directoryExists: (path) => folders.has(path) || disk.directoryExists?.(path) === true,
    realpath: (path) => (overlay.has(path) || isLibrary(path) ? path : (disk.realpath?.(path) ?? path)),
    writeFile: () => undefined,
    getSourceFile: (path, languageVersion) => {
      const text = readFile(path);
      if (text === undefined) return undefined;
      const format = typeof languageVersion === "object" ? languageVersion.impliedNodeFormat : undefined;
      const key = keyOf(format, path);
      const files = isDeclaration(path) ? declarations : cache;
      for (const entry of [cache.get(key), files.get(key)]) if (entry?.text === text) return entry.file;
      const file = ts.createSourceFile(path, text, languageVersion, true);
      files.set(key, { text, file });
      return file;
    },
  };
}

function foldersOf(overlay: Overlay): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const [path, text] of overlay) {
    if (text === undefined) continue;
    for (let at = posix.dirname(path); !folders.has(at) && at !== posix.dirname(at); at = posix.dirname(at))
      folders.add(at);
  }
  return folders;
}
