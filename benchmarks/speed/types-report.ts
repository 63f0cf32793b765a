/**
 * What generated code costs a user's own type check: the processor time and memory of TypeScript 6 and 7 over the same 1,000
 * tools as generated code, as Zod schemas whose types are inferred, and as plain interfaces; and how long an editor takes for a
 * completion with 300 tools. `npm run report types -- <rounds>`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import ts from "typescript";
import { createProject, ROOT } from "./bench-project.js";
import { benchTools } from "./bench-tools.js";

const ROUNDS = Number(process.argv[2] ?? 3);
const COMPILER_OPTIONS = {
  target: "es2023",
  lib: ["es2023", "esnext.disposable", "dom"],
  module: "nodenext",
  types: [],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
};
const COMPILERS = [
  ["TypeScript 6", "typescript"],
  ["TypeScript 7", "typescript-7"],
] as const;
/** The same tools, written in several ways. `none` is a program that imports only the packages. */
const FORMS = ["generated", "inferred", "interfaces", "none"] as const;
type Form = (typeof FORMS)[number];

const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-types-"));
try {
  const { source, tools } = benchTools(1000);
  const dir = join(folder, "project");
  const servers = { a: tools.slice(0, 300), b: tools.slice(300, 600), c: tools.slice(600) };
  createProject(dir, servers, "json");
  for (const form of FORMS) {
    if (form !== "generated") writeForm(dir, form);
    const tsconfig = { compilerOptions: COMPILER_OPTIONS, include: [`${form}/**/*.ts`] };
    writeFileSync(join(dir, `tsconfig.${form}.json`), JSON.stringify(tsconfig));
  }
  process.stdout.write(`Node ${process.version}, 1,000 ${source}, the best of ${ROUNDS} runs\n\n`);
  for (const [title, compiler] of COMPILERS) {
    const measured = new Map<Form, Usage>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const form of FORMS) {
        const usage = check(compiler, dir, form);
        if (usage.seconds < (measured.get(form)?.seconds ?? Infinity)) measured.set(form, usage);
      }
    }
    const base = measured.get("interfaces")?.seconds ?? Number.NaN;
    for (const [form, { seconds, megabytes, errors }] of measured) {
      const columns = [
        title,
        form.padEnd(10),
        `${seconds.toFixed(2)} s CPU`.padStart(11),
        `${(seconds / base).toFixed(2)}×`.padStart(6),
        `${megabytes.toFixed(0)} MB`.padStart(7),
        // A recursive schema has no type that can be inferred, and definitions are in the order of the lock.
        errors === 0 ? "" : `${errors} errors`,
      ];
      process.stdout.write(`${columns.join("  ").trimEnd()}\n`);
    }
  }
  process.stdout.write(`\n${measureSizes(dir)}\n${measureEditor(dir)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Usage {
  /** Processor time of the whole process, all threads together. */
  readonly seconds: number;
  /** As tsc reports it. */
  readonly megabytes: number;
  readonly errors: number;
}

function check(compiler: string, dir: string, form: Form): Usage {
  const tsc = join(ROOT, "node_modules", compiler, "bin/tsc");
  const command = `"$0" "$@"; times`;
  const args = [
    process.execPath,
    tsc,
    "-p",
    `tsconfig.${form}.json`,
    "--extendedDiagnostics",
    "--pretty",
    "false",
  ];
  const { stdout } = spawnSync("sh", ["-c", command, ...args], {
    cwd: dir,
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  // The last line is the user and system time of child processes, such as "0m1.234s 0m0.567s".
  const times = stdout.trimEnd().split("\n").at(-1) ?? "";
  const seconds = [...times.matchAll(/(\d+)m([\d.]+)s/gu)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  const memory = /^Memory used:\s*(\d+)K/mu.exec(stdout)?.[1];
  return {
    seconds: seconds.reduce((a, b) => a + b, 0),
    megabytes: Number(memory) / 1000,
    errors: stdout.match(/error TS\d+/gu)?.length ?? 0,
  };
}

function writeForm(dir: string, form: Exclude<Form, "generated">): void {
  const to = join(dir, form);
  cpSync(join(dir, "generated"), to, { recursive: true });
  for (const path of modulesBelow(to)) {
    const file = join(to, path);
    if (/(?:^|\/)(?:index|server|schemas)\.ts$/u.test(path)) rmSync(file);
    else if (form === "none") rmSync(file);
    else writeFileSync(file, rewrite(readFileSync(file, "utf8"), form));
  }
  if (form !== "none") return;
  const imports = ["zod", "mcp-codegen/runtime", "mcp-codegen/codegen"];
  writeFileSync(
    join(to, "main.ts"),
    imports.map((name, at) => `export type * as m${at} from "${name}";\n`).join(""),
  );
}

/** Returns the interfaces of a generated module, or its schemas as a person would write them, with types that Zod infers. */
function rewrite(text: string, form: "inferred" | "interfaces"): string {
  const file = ts.createSourceFile("module.ts", text, ts.ScriptTarget.ES2023, true);
  const kept = file.statements.flatMap((statement): readonly string[] => {
    if (form === "interfaces") {
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
      return isType ? [statement.getFullText()] : [];
    }
    if (ts.isImportDeclaration(statement))
      return /"(?:zod|mcp-codegen\/codegen)"/u.test(statement.moduleSpecifier.getText())
        ? [statement.getText()]
        : [];
    if (!ts.isVariableStatement(statement)) return [];
    const [declaration] = statement.declarationList.declarations;
    const call = declaration?.initializer;
    if (declaration === undefined || call === undefined || !ts.isCallExpression(call)) return [];
    const [make] = call.arguments;
    if (make === undefined || !ts.isArrowFunction(make)) return [];
    const [name, body] = [declaration.name.getText(), make.body.getText()];
    const isRecursive = new RegExp(`\\b${name}\\b`, "u").test(body);
    const schema = isRecursive ? `: z.ZodType = z.lazy(() => ${body})` : ` = ${body}`;
    return [`export const ${name}${schema};\nexport type ${name} = z.infer<typeof ${name}>;`];
  });
  return `${kept.join("\n")}\nexport {};\n`;
}

function modulesBelow(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
}

function measureSizes(dir: string): string {
  const generated = join(dir, "generated");
  const sizes = modulesBelow(generated).map((path) => ({
    path,
    bytes: statSync(join(generated, path)).size,
  }));
  const sum = (files: readonly { readonly bytes: number }[]): string =>
    `${(files.reduce((total, { bytes }) => total + bytes, 0) / 1000).toFixed(0)} KB`;
  const of = (name: string): string => sum(sizes.filter(({ path }) => path.endsWith(`/${name}.ts`)));
  return `output: ${sum(sizes)}, of which ${of("schemas")} raw schemas and ${of("index")} indexes`;
}

/** Times completions in a program that uses a server of 300 tools, with TypeScript 6. TypeScript 7 has no such API. */
function measureEditor(dir: string): string {
  const user = join(dir, "user.ts");
  const text = 'import { connect } from "./generated/a/index.js";\nconst a = connect();\na.';
  let typed = "";
  const read = (path: string): string | undefined => (path === user ? text + typed : ts.sys.readFile(path));
  const service = ts.createLanguageService({
    getScriptFileNames: () => [user],
    getScriptVersion: (path) => (path === user ? typed : "1"),
    getScriptSnapshot: (path) => {
      const found = read(path);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => dir,
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      types: [],
    }),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (path) => path === user || ts.sys.fileExists(path),
    readFile: read,
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => [...ts.sys.getDirectories(path)],
  });
  const times = ["", "t", "t1", "t12", "t1"].map((prefix) => {
    typed = prefix;
    const { user: before, system } = process.cpuUsage();
    const entries =
      service.getCompletionsAtPosition(user, text.length + prefix.length, undefined)?.entries ?? [];
    if (!entries.some(({ name }) => name.startsWith("t12"))) throw new Error("The editor completes no tool.");
    const used = process.cpuUsage();
    return (used.user + used.system - before - system) / 1000;
  });
  const [first = Number.NaN, ...later] = times;
  const mean = later.reduce((a, b) => a + b, 0) / later.length;
  return `completion with 300 tools: the first ${first.toFixed(0)} ms of CPU, later ones ${mean.toFixed(0)} ms`;
}
