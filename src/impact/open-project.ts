import { createRequire } from "node:module";
import { ts } from "ts-morph";
import { McpCodegenError } from "../contract/errors.js";

/** A TypeScript project as its configuration says, `extends` followed. */
export interface OpenProject {
  /** Absolute path of the configuration. */
  readonly path: string;
  readonly options: ts.CompilerOptions;
  readonly fileNames: readonly string[];
  /** Whether JavaScript is type-checked for the user, too. */
  readonly checksJs: boolean;
}

/**
 * A project and, after it, all that its `references` lead to. Of options, only those that say what compiles count.
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
    {
      hint: "Name another with --project <tsconfig>.",
    },
  );
}

/** Broken JSON, or a file that is not there. An option that this compiler does not know is no reason to give up. */
function isFatal({ code }: ts.Diagnostic): boolean {
  return (code >= 1000 && code < 2000) || code === 5083 || code === 5012;
}

/**
 * What a file's errors depend on stays; what only says how it is emitted goes. JavaScript is checked, too: of what is
 * found there, only what a change adds is ever told.
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

/** TypeScript 6 changed what it takes an absent option to mean. */
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
