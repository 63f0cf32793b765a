/** A thread that type-checks scripts. See check-script.ts. */
import { SourceMap } from "node:module";
import { parentPort } from "node:worker_threads";
import type ts from "typescript";
import type { CheckedScript, CheckRequest, ScriptIssue } from "./check-script.js";
import { findOwn } from "../core/json.js";
import { oneLine, printable } from "../core/printable.js";
import { findHiding, findUnsafe } from "./script-rules.js";

type ScriptCompiler = typeof ts;

interface Loaded {
  readonly compiler: ScriptCompiler;
  readonly readLibrary: (name: string) => string | undefined;
}

const SCRIPT = "/script.ts";
/** One line, which the places in a script are corrected for. */
const HEAD = "(async function script() {\n";
const TAIL = "\n});\n";
const MOST_ISSUES = 5;
const LONGEST_MESSAGE = 400;
/** The compiler reads all that an expression contains once for each level, and compares names letter by letter. */
const MOST_NESTED = 300;
const LONGEST_NAME = 500;

/** Codes of diagnostics about types that are missing: a script needs no types for its parameters. */
const UNTYPED = new Set([7005, 7006, 7011, 7019, 7031, 7034]);
const UNKNOWN_NAMES = new Set([
  2304, 2318, 2503, 2552, 2580, 2581, 2582, 2583, 2584, 2585, 2591, 2592, 2593, 2867, 2868,
]);
const MODULES = new Set([1232, 1233, 1234, 2307, 1323, 1470, 1479, 2792, 1343, 1378]);
const UNKNOWN_VALUES = new Set([18046, 2571]);
const UNKNOWN_KEY = 7053;

/**
 * Loads TypeScript, or the one in ts-morph.
 *
 * @throws Error `ERR_MODULE_NOT_FOUND`, with the version of a TypeScript that has no such interface, as that of TypeScript 7
 */
async function load(): Promise<Loaded> {
  const direct: unknown = (await import("typescript").catch(() => undefined))?.default;
  if (hasService(direct)) {
    const folder = direct.getDefaultLibFilePath({}).replace(/[^/\\]+$/, "");
    return { compiler: direct, readLibrary: (name) => direct.sys.readFile(`${folder}${name}`) };
  }
  const morph = await import("ts-morph").catch(() => undefined);
  const bundled: unknown = morph?.ts;
  if (morph !== undefined && hasService(bundled)) {
    // Its file system does not have the libraries.
    const host = new morph.Project({ useInMemoryFileSystem: true }).getModuleResolutionHost();
    return {
      compiler: bundled,
      readLibrary: (name) => host.readFile(`/node_modules/typescript/lib/${name}`),
    };
  }
  const version = findOwn(direct, "version");
  throw Object.assign(new Error("There is no compiler."), {
    code: "ERR_MODULE_NOT_FOUND",
    version: typeof version === "string" ? printable(version, 40) : undefined,
  });
}

function hasService(value: unknown): value is ScriptCompiler {
  if (typeof value !== "object" || value === null || !("createLanguageService" in value)) return false;
  return typeof value.createLanguageService === "function";
}

function openChecker({ compiler, readLibrary }: Loaded): (request: CheckRequest) => CheckedScript {
  let files: ReadonlyMap<string, string> = new Map();
  const libraries = new Map<string, string | undefined>();
  const read = (path: string): string | undefined => {
    if (!path.startsWith("/lib/")) return files.get(path);
    if (!libraries.has(path)) libraries.set(path, readLibrary(path.slice("/lib/".length)));
    return libraries.get(path);
  };
  const service = compiler.createLanguageService({
    getCompilationSettings: () => ({
      target: compiler.ScriptTarget.ES2022,
      module: compiler.ModuleKind.ESNext,
      lib: ["lib.es2023.d.ts"],
      types: [],
      strict: true,
      useUnknownInCatchVariables: false,
    }),
    getScriptFileNames: () => [...files.keys()],
    // A text is its own version: the service compares versions to notice changes.
    getScriptVersion: (path) => files.get(path) ?? "",
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : compiler.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => "/",
    getDefaultLibFileName: () => "/lib/lib.es2023.d.ts",
    readFile: read,
    fileExists: (path) => read(path) !== undefined,
  });
  return ({ code, declarations }) => {
    files = new Map([[SCRIPT, `${HEAD}${code}${TAIL}`], ...Object.entries(declarations)]);
    return checkScript(compiler, service);
  };
}

function checkScript(compiler: ScriptCompiler, service: ts.LanguageService): CheckedScript {
  const program = service.getProgram();
  const file = program?.getSourceFile(SCRIPT);
  if (program === undefined || file === undefined) throw new Error("The script was not read.");
  const at = (position: number, message: string): ScriptIssue => {
    // An error may be behind the script, where the end of a statement is missing.
    const end = file.text.slice(0, -TAIL.length).trimEnd().length;
    const { line, character } = file.getLineAndCharacterOfPosition(Math.min(position, end));
    // An error about the whole text is at its start, which is before the script.
    return { line: Math.max(1, line), column: character + 1, message: oneLine(message, LONGEST_MESSAGE) };
  };
  const syntax = service
    .getSyntacticDiagnostics(SCRIPT)
    .map(({ start, code, messageText }) => at(start, reword(compiler, code, messageText)));
  const body = bodyOf(compiler, file);
  if (syntax.length === 0 && body === undefined)
    syntax.push({ line: 1, column: 1, message: "The braces of the script are not balanced." });
  const slow = body && findSlow(compiler, body, MOST_NESTED);
  if (slow !== undefined)
    syntax.push(
      at(slow.getStart(file), `This is nested too deep, or is a name of over ${LONGEST_NAME} letters.`),
    );
  if (syntax.length > 0 || body === undefined) return { ok: false, issues: cut(syntax) };
  const issues = service
    .getSemanticDiagnostics(SCRIPT)
    .filter(({ code }) => !UNTYPED.has(code))
    .map(({ start = 0, code, messageText }) => at(start, reword(compiler, code, messageText)));
  const checker = program.getTypeChecker();
  for (const { node, message } of [
    ...findUnsafe(compiler, checker, body),
    ...findHiding(compiler, checker, body),
  ])
    issues.push(at(node.getStart(file), message));
  for (const comment of file.text.matchAll(/@ts-(?:ignore|expect-error|nocheck)/g))
    issues.push(at(comment.index, `Remove "${comment[0]}": every line of a script is checked.`));
  if (issues.length > 0) return { ok: false, issues: cut(issues) };
  const { outputText, sourceMapText = "{}" } = compiler.transpileModule(file.text, {
    compilerOptions: { target: compiler.ScriptTarget.ES2022, sourceMap: true },
  });
  return { ok: true, code: outputText, lines: readLines(outputText, sourceMapText) };
}

/** Returns the statements of the script; undefined if its braces end the function around it. */
function bodyOf(compiler: ScriptCompiler, { statements }: ts.SourceFile): ts.Block | undefined {
  const [only, ...others] = statements;
  if (only === undefined || others.length > 0 || !compiler.isExpressionStatement(only)) return undefined;
  const { expression } = only;
  if (!compiler.isParenthesizedExpression(expression)) return undefined;
  return compiler.isFunctionExpression(expression.expression) ? expression.expression.body : undefined;
}

/** Returns what would take the compiler a time that grows with the square of the script. */
function findSlow(compiler: ScriptCompiler, node: ts.Node, levels: number): ts.Node | undefined {
  const isKey = compiler.isStringLiteralLike(node) && compiler.isElementAccessExpression(node.parent);
  const isName = compiler.isIdentifier(node) || isKey;
  if (levels === 0 || (isName && node.getText().length > LONGEST_NAME)) return node;
  return compiler.forEachChild(node, (child) => findSlow(compiler, child, levels - 1));
}

const NO_MODULES = "There are no imports and exports. Call the functions of the servers.";

/** In the order of the script, each place once: with the words of TypeScript, if it has any. An import has several. */
function cut(issues: readonly ScriptIssue[]): readonly ScriptIssue[] {
  const places = new Map(
    [...issues]
      .reverse()
      .map((issue) => [`${issue.line}:${issue.message === NO_MODULES ? "module" : issue.column}`, issue]),
  );
  return [...places.values()].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MOST_ISSUES);
}

/** Rewrites messages whose advice is about a project with packages. */
function reword(
  compiler: ScriptCompiler,
  code: number,
  messageText: string | ts.DiagnosticMessageChain,
): string {
  const text = compiler.flattenDiagnosticMessageText(messageText, " ").replace(/\s+/g, " ");
  const name = /'([^']*)'/.exec(text)?.[1] ?? "";
  if (MODULES.has(code)) return NO_MODULES;
  if (UNKNOWN_NAMES.has(code) && !text.includes("Did you mean"))
    return `There is no '${name}' here: no modules, network, disk, timers or environment.`;
  if (text.includes("on type 'Promise<") && text.endsWith(".")) return `${text} Did you forget await?`;
  if (UNKNOWN_VALUES.has(code))
    return `${text} The answer has no declared type: return it once to see it, or read it with parse(…).`;
  const unknown = text.indexOf("Property '");
  return code === UNKNOWN_KEY && text.includes("' does not exist", unknown) ? text.slice(unknown) : text;
}

function readLines(code: string, map: string): readonly number[] {
  const source = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
  let last = 1;
  return code.split("\n").map((text, line) => {
    const entry = source.findEntry(line, Math.max(0, text.search(/\S/)));
    if ("originalLine" in entry && entry.generatedLine === line) last = Math.max(1, entry.originalLine);
    return last;
  });
}

const check = openChecker(await load());
// The first check loads the declarations of the language.
check({ code: "", declarations: {} });
parentPort?.postMessage("ready");
// Both ends are in this package: see check-script.ts.
parentPort?.on("message", (request: CheckRequest) => {
  parentPort?.postMessage(check(request));
});
