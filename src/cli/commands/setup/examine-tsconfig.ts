import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { findOwn, findText, type JsonValue } from "../../../core/json.js";
import { findForeignOwner } from "../../../files/owners.js";
import { readManifest } from "../../../files/project-settings.js";
import { upwards } from "../../../files/read-files.js";
import { READ_LIMIT } from "../../../core/limits.js";
import type { Project } from "../../../project/project.js";
import type { Context } from "../../context.js";
import { findOwnTsconfig } from "../../load-project.js";
import { missingPackages } from "../../packages.js";
import type { Diagnosis } from "../../../report/documents.js";
import { printable } from "../../../core/printable.js";

/** Returns what an examination found. Messages and fixes may have texts of servers. */
export function diagnose(
  about: Diagnosis["about"],
  status: Diagnosis["status"],
  message: string,
  fix?: string,
): Diagnosis {
  return { about, status, message: printable(message, 1_000), fix: fix && printable(fix, 1_000) };
}

/** How TypeScript found modules before packages had `exports`. */
const OLD_RESOLUTIONS: readonly string[] = ["node", "node10", "classic"];
/** The values of `module` that decide how modules are found, in TypeScript 5. */
const DECIDING_MODULES: readonly string[] = ["node16", "node18", "node20", "nodenext", "preserve"];

/** Whether the TypeScript project around the output folder resolves the imports of generated code; empty without one. */
export async function examineTsconfig(project: Project): Promise<readonly Diagnosis[]> {
  const note = diagnose.bind(undefined, "tsconfig");
  const path = findOwnTsconfig(project);
  const compiler = path === undefined ? undefined : findCompiler(dirname(path));
  if (path === undefined || compiler === undefined) return [];
  const name = relative(project.dir, path);
  const [options, reason] = await Promise.all([
    showOptions(compiler.bin, path),
    findUnreadable(compiler.bin, path),
  ]);
  if (options === undefined || reason !== undefined) {
    const why = reason === undefined ? "." : `: ${reason}`;
    const fix = `Correct it until "npx tsc -p ${name} --noEmit" can read it.`;
    return [note("failed", `TypeScript cannot read "${name}"${why}`, fix)];
  }
  // TypeScript 6 changed the defaults: strict, and the resolution of bundlers.
  const isOld = compiler.major < 6;
  const module = settingOf(options, "module");
  const resolution = settingOf(options, "moduleResolution");
  const isLost =
    OLD_RESOLUTIONS.includes(resolution) ||
    (resolution === "" && isOld && !DECIDING_MODULES.includes(module));
  if (isLost) {
    const problem = `"${name}" does not resolve "mcp-codegen/runtime", which generated code imports.`;
    return [note("failed", problem, 'Set "module": "nodenext", or "moduleResolution": "bundler".')];
  }
  const conflict = await findModuleConflict(options, project.output);
  if (conflict !== undefined)
    return [note("failed", `"${name}" cannot compile generated code: ${conflict.reason}.`, conflict.fix)];
  const strict = findOwn(options, "strict");
  if (strict === false || (strict === undefined && isOld)) {
    const problem = `"${name}" is not strict, so the compiler finds less of what a change breaks.`;
    return [note("warning", problem, 'Set "strict": true.')];
  }
  return [note("ok", `"${name}" resolves the imports of generated code.`)];
}

interface ModuleConflict {
  readonly reason: string;
  readonly fix: string;
}

/** Returns the steps for the user until the generated code compiles: install packages, or change the compiler options. */
export async function adviseImports(
  { paint }: Context,
  project: Project,
  hasNewCode: boolean,
): Promise<readonly string[]> {
  const install = missingPackages(project.output);
  if (install !== undefined)
    return [`Install the packages that the generated code imports: ${paint.bold(install)}`];
  // A start of the compiler is too slow for a run that writes nothing. Files of ES modules have no conflict.
  if (!hasNewCode || (await isModulePackage(project.output))) return [];
  const conflict = await findImportConflict(project);
  if (conflict === undefined) return [];
  return [paint.yellow(`The generated code does not compile: ${conflict.reason}.`), conflict.fix];
}

/**
 * As the TypeScript project around the output folder, but only whether its modules can have the imports of generated
 * code.
 */
async function findImportConflict(project: Project): Promise<ModuleConflict | undefined> {
  const path = findOwnTsconfig(project);
  const compiler = path === undefined ? undefined : findCompiler(dirname(path));
  if (path === undefined || compiler === undefined) return undefined;
  const options = await showOptions(compiler.bin, path);
  return options === undefined ? undefined : findModuleConflict(options, project.output);
}

/** The modules in which a file of a CommonJS package cannot import an ES module (TS1479). */
const WITHOUT_REQUIRED_MODULES: readonly string[] = ["node16", "node18"];
/** The modules in which the `package.json` decides whether a file is CommonJS. */
const BY_PACKAGE: readonly string[] = [...WITHOUT_REQUIRED_MODULES, "node20", "nodenext"];

async function findModuleConflict(options: JsonValue, output: string): Promise<ModuleConflict | undefined> {
  const module = settingOf(options, "module");
  const isByPackage = BY_PACKAGE.includes(module);
  if (module !== "commonjs" && !(isByPackage && !(await isModulePackage(output)))) return undefined;
  // TS1295, TS1287
  if (findOwn(options, "verbatimModuleSyntax") === true) {
    return {
      reason: `under "verbatimModuleSyntax", a CommonJS file cannot have import and export`,
      fix: `${isByPackage ? 'Set "type": "module" in package.json' : 'Set "module": "preserve"'}, or remove "verbatimModuleSyntax".`,
    };
  }
  if (!WITHOUT_REQUIRED_MODULES.includes(module)) return undefined;
  return {
    reason: `under "module": ${JSON.stringify(module)}, a CommonJS file cannot import an ES module`,
    fix: 'Set "module": "nodenext", or "type": "module" in package.json.',
  };
}

/** Whether the nearest `package.json` makes files in the folder ES modules. */
async function isModulePackage(folder: string): Promise<boolean> {
  const path = [...upwards(folder)].map((dir) => join(dir, "package.json")).find(existsSync);
  return path !== undefined && findOwn(await readManifest(path), "type") === "module";
}

/** Returns a setting in lower case, since the compiler ignores case; empty if it is absent. */
function settingOf(options: JsonValue, key: string): string {
  return (findText(options, key) ?? "").toLowerCase();
}

function findCompiler(folder: string) {
  const require = createRequire(join(folder, "index.js"));
  try {
    const bin = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
    const version = findText(require("typescript/package.json"), "version");
    // It may be above the project.
    const isOwn = findForeignOwner(bin, folder) === undefined;
    return isOwn && version !== undefined ? { bin, major: Number.parseInt(version, 10) } : undefined;
  } catch {
    return undefined;
  }
}

/** The options of a project, with those that it inherits; undefined if the compiler rejects its configuration. */
async function showOptions(bin: string, path: string): Promise<JsonValue | undefined> {
  const stdout = await runCompiler(bin, path, ["--showConfig"]);
  try {
    return findOwn(JSON.parse(stdout), "compilerOptions") ?? {};
  } catch {
    return undefined;
  }
}

/** Errors that make a configuration unreadable: its syntax, an unknown key or value, or a file that it names and does not exist. */
const UNREADABLE =
  /^(?:(.*\.json)\((\d+),(\d+)\): )?error TS(?:1\d{3}|50(?:12|23|24|25|83)|60(?:46|53)|18000): (.+)$/m;

/** The first problem of a configuration, which TypeScript 7 does not print with its options; undefined without one. */
async function findUnreadable(bin: string, path: string): Promise<string | undefined> {
  // The compiler need not open what files import.
  const options = ["--listFilesOnly", "--noResolve", "--noLib", "--pretty", "false"];
  const stdout = await runCompiler(bin, path, options);
  const [, file, line, column, reason] = UNREADABLE.exec(stdout) ?? [];
  return file === undefined ? reason : `${file}:${line ?? ""}:${column ?? ""}: ${reason ?? ""}`;
}

function runCompiler(bin: string, path: string, options: readonly string[]): Promise<string> {
  const cwd = dirname(path);
  const maxBuffer = READ_LIMIT;
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, "-p", path, ...options], { cwd, maxBuffer }, (_error, text) => {
      resolve(text.replaceAll("\r\n", "\n"));
    });
  });
}
