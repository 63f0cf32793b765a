import { ts } from "ts-morph";
import type { OpenProject } from "./open-project.js";

/** The files of a project whose types may depend on generated code, and the files needed to compile them. */
export interface Dependents {
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
  const cache = ts.createModuleResolutionCache(host.getCurrentDirectory(), (path) => path, project.options);
  for (const path of seen) {
    if (isGenerated(path)) continue;
    const text = host.readFile(path) ?? "";
    if (AUGMENTS.test(text) || isDeclaration(path)) ambient.add(path);
    for (const target of importsOf(path, text, { options: project.options, host, cache })) {
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

/** Absolute paths of the files that a file imports, without packages. */
function importsOf(
  path: string,
  text: string,
  context: {
    readonly options: ts.CompilerOptions;
    readonly host: ts.CompilerHost;
    readonly cache: ts.ModuleResolutionCache;
  },
): readonly string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true);
  if (importedFiles.length === 0) return [];
  const { options, host, cache } = context;
  const format = ts.getImpliedNodeFormatForFile(path, cache.getPackageJsonInfoCache(), host, options);
  return importedFiles.flatMap(({ fileName }) => {
    const { resolvedModule } = ts.resolveModuleName(fileName, path, options, host, cache, undefined, format);
    const target = resolvedModule?.resolvedFileName;
    return target === undefined || target.includes("/node_modules/") ? [] : [target];
  });
}

function isDeclaration(path: string): boolean {
  return /\.d\.(?:[cm]?ts|[^.]+\.ts)$/.test(path);
}
