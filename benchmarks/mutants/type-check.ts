import { join } from "node:path";
import ts from "typescript";

/**
 * Opens the source of a tree once, and returns a function that says whether a changed file still compiles. It leaves out
 * rules about unused names and code that cannot be reached, which would refuse most changes of a condition.
 */
export function openTypeCheck(tree: string): (name: string, text: string) => boolean {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(tree, "src/tsconfig.json"),
    { allowUnreachableCode: true, noUnusedLocals: false, noUnusedParameters: false },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  );
  if (config === undefined) throw new Error("src/tsconfig.json cannot be read.");
  const { options, fileNames } = config;
  let changed = { path: "", text: "" };
  let version = 0;
  const readFile = (path: string): string | undefined =>
    path === changed.path ? changed.text : ts.sys.readFile(path);
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => (path === changed.path ? String(version) : ""),
    getScriptSnapshot: (path) => {
      const text = readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => tree,
    getDefaultLibFileName: (wanted) => ts.getDefaultLibFilePath(wanted),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile,
    directoryExists: (path) => ts.sys.directoryExists(path),
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
  });
  return (name, text) => {
    const path = join(tree, name);
    // The page has a configuration of its own.
    if (!fileNames.includes(path)) return true;
    changed = { path, text };
    version += 1;
    return service.getSemanticDiagnostics(path).length === 0;
  };
}
