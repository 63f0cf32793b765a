import { createRequire } from "node:module";
import { ts } from "ts-morph";
import { McpCodegenError } from "../contract/errors.js";
import { isDeclaration } from "./create-host.js";

/** A TypeScript project with its resolved configuration. */
export interface OpenProject {
  /** Absolute path of the configuration. */
  readonly path: string;
  readonly options: ts.CompilerOptions;
  readonly fileNames: readonly string[];
  /** Whether the project type-checks JavaScript. */
  readonly checksJs: boolean;
}

/**
 * Returns a project, followed by all projects in its `references`. Only options that affect type-checking are kept.
 *
 * @throws McpCodegenError `USAGE` for a configuration that cannot be read
 */
export function openProjects(path: string): readonly OpenProject[] {
  const opened = new Map<string, OpenProject>();
  const open = [ts.sys.resolvePath(path).replaceAll("\\", "/")];
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

function parseProject(path: string): ts.ParsedCommandLine {
  const problems: ts.Diagnostic[] = [];
  const host: ts.ParseConfigFileHost = {
    useCaseSensitiveFileNames: ts.sys.useCaseSensitiveFileNames,
    fileExists: (file) => ts.sys.fileExists(file),
    readFile: (file) => ts.sys.readFile(file),
    readDirectory: (...found) => ts.sys.readDirectory(...found),
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
  return {
    ...options,
    ...(isBefore6(path) && defaultsBefore6(options)),
    ...((allowJs ?? checkJs) === true && { allowJs: true, checkJs: true }),
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
    const manifest: unknown = createRequire(path)("typescript/package.json");
    const version: unknown =
      typeof manifest === "object" && manifest !== null && "version" in manifest
        ? manifest.version
        : undefined;
    return typeof version === "string" && Number.parseInt(version, 10) < 6;
  } catch {
    return false;
  }
}

/** The files of a project whose types may depend on generated code, and the files needed to compile them. */
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
export function findDependents(
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

/** `import("./order.js")`, and `@import { Order } from "./order.js"`, in a comment of JavaScript. */
const IMPORTS_TYPE = /\bimport\(\s*["']([^"'\n]+)["']|@import\b[^"'\n]*["']([^"'\n]+)["']/g;

/** The modules that a file imports; in JavaScript also those that only its comments name, for their types. */
function importsOf(path: string, text: string): readonly string[] {
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  if (!/\.[cm]?jsx?$/.test(path)) return imports;
  return [
    ...imports,
    ...[...text.matchAll(IMPORTS_TYPE)].flatMap(([, called, named]) => called ?? named ?? []),
  ];
}

/** Returns what finds the file that a module name in another file leads to; undefined for one in a package. */
export function createResolver(
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
