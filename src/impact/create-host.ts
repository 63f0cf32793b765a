import { posix } from "node:path";
import { Project, ts } from "ts-morph";
import type { GeneratedFile } from "../contract/generated-file.js";

/** The differences between the output folder and the files of a lock. */
export interface Tree {
  readonly files: readonly GeneratedFile[];
  /** Paths to remove. */
  readonly removed: readonly string[];
}

/** Texts that replace files on the disk, by absolute posix path; undefined for a removed file. */
type Overlay = ReadonlyMap<string, string | undefined>;

/** Returns the overlay of a tree. Links may give the output folder several paths. */
export function overlayOf({ files, removed }: Tree, folders: readonly string[]): Overlay {
  return new Map(
    folders.flatMap((folder) => [
      ...removed.map((path): [string, undefined] => [posix.join(folder, path), undefined]),
      ...files.map(({ path, text }): [string, string] => [posix.join(folder, path), text]),
    ]),
  );
}

/** The path of the compiler's own declarations, which ts-morph provides in memory. */
const LIBRARIES = "/node_modules/typescript/lib";

/** Parsed files by path, so that files of both programs are parsed once. */
export type SourceCache = Map<string, { readonly text: string; readonly file: ts.SourceFile }>;

/** The parsed files of a program, for another one with the same options. */
export function cacheOf(program: ts.Program): SourceCache {
  return new Map(
    program
      .getSourceFiles()
      .map((file) => [keyOf(file.impliedNodeFormat, file.fileName), { text: file.text, file }]),
  );
}

function keyOf(format: ts.ResolutionMode, path: string): string {
  return `${format ?? ""} ${path}`;
}

/** Parsed files that all programs with the same options share. */
interface SharedFiles {
  readonly options: string;
  /** Declarations: parsing those of packages takes longer than parsing the user's code. */
  readonly declarations: SourceCache;
  /** For language services. */
  readonly registry: ts.DocumentRegistry;
}

let shared: SharedFiles | undefined;

/** Returns the files that programs with these options share. Only those of the last options are kept, to bound memory. */
export function shareFiles(options: ts.CompilerOptions): SharedFiles {
  const registry = shared?.registry ?? ts.createDocumentRegistry();
  const key = registry.getKeyForCompilationSettings(options);
  if (shared?.options !== key)
    shared = { options: key, declarations: new Map(), registry: ts.createDocumentRegistry() };
  return shared;
}

let libraryHost: ts.ModuleResolutionHost | undefined;

/** Reads the compiler's own declarations. */
function openLibraries(): ts.ModuleResolutionHost {
  return (libraryHost ??= new Project({ useInMemoryFileSystem: true }).getModuleResolutionHost());
}

/** Whether a file has declarations only. */
export function isDeclaration(path: string): boolean {
  return /\.d\.(?:[cm]?ts|[^.]+\.ts)$/.test(path);
}

/** A compiler host that reads the disk below an overlay. Nothing is ever written. */
export function createHost(
  options: ts.CompilerOptions,
  overlay: Overlay,
  cache: SourceCache,
): ts.CompilerHost {
  const disk = ts.createCompilerHost(options, true);
  const libraries = openLibraries();
  const { declarations } = shareFiles(options);
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
      for (const known of [cache.get(key), files.get(key)]) if (known?.text === text) return known.file;
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
