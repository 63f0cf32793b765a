import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A module's text by its name. */
export type Modules = ReadonlyMap<string, string>;

const ASSERTION = `
// Ignore index signatures: both sides may have them, and Zod's loose objects always do.
type Known<T> = T extends readonly unknown[] ? { [I in keyof T]: Known<T[I]> }
  : T extends object ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> } : T;
type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
`;

/** Returns the errors of tsc for modules, in one program and with the strictest flags, each with its line of code. */
export function compileModules(
  modules: Modules,
  options: { readonly exactOptionalPropertyTypes: boolean },
): readonly string[] {
  // In node_modules, so that the modules resolve zod and git ignores them.
  const cache = join(ROOT, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  // Without links, since tsc prints the paths of files relative to where they are.
  const folder = mkdtempSync(join(realpathSync(cache), "modules-"));
  try {
    for (const [name, text] of modules) writeFileSync(join(folder, `${name}.ts`), text);
    const compilerOptions = {
      target: "es2023",
      module: "nodenext",
      lib: ["es2023"],
      types: [],
      noEmit: true,
      strict: true,
      declaration: true,
      isolatedDeclarations: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      ...options,
      paths: { "mcp-codegen/codegen": [`${ROOT}dist/codegen.d.ts`] },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    // The native compiler needs a fifth of the time of the others, which compile the golden files.
    const tsc = join(ROOT, "node_modules/typescript-7/bin/tsc");
    const args = [tsc, "-p", folder, "--singleThreaded", "--pretty", "false"];
    const { stdout, status } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1e9,
    });
    const errors = stdout.split(/\n(?!\s)/u).filter((error) => error.trim() !== "");
    if (status !== 0 && errors.length === 0) throw new Error(`tsc ended with ${status}.`);
    return errors.map((error) => withSource(error, modules));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds the line of code that an error such as `name.ts(3,1): error TS2322: …` names. */
function withSource(error: string, modules: Modules): string {
  const [, name = "", line = ""] = /^(\w+)\.ts\((\d+),/u.exec(error) ?? [];
  const source = modules.get(name)?.split("\n")[Number(line) - 1] ?? "";
  return `${error}\n${source.slice(0, 2_000)}`;
}

/**
 * Adds assertions to a printed module, or to the declarations of a generated one: for each schema, its interface and the
 * type that Zod infers for the body of its schema are assignable to each other. (The annotated export would also accept
 * a wider interface.)
 */
export function assertAgreement(module: string): string {
  const file = ts.createSourceFile("module.ts", module, ts.ScriptTarget.ES2023, true);
  const assertions = file.statements.flatMap((statement) => {
    const found = findLazySchema(statement);
    if (found === undefined) return [];
    const { name, body, isOpen } = found;
    return [
      // Zod also infers the interface from the annotated schema, including index signatures.
      ...(isOpen
        ? ["output", "input"].map(
            (side) => `void (true satisfies Mutual<z.${side}<typeof ${name}>, ${name}>);`,
          )
        : []),
      `const bodyOf${name} = ${body};`,
      `void (true satisfies Mutual<Known<z.output<typeof bodyOf${name}>>, Known<${name}>>);`,
    ];
  });
  if (assertions.length === 0) throw new Error("The module declares no schema.");
  return [...file.statements.flatMap(keepDeclaration), ASSERTION, ...assertions].join("\n");
}

/** Returns the part that compiles on its own: schemas, types, and the checks of the runtime. */
function keepDeclaration(statement: ts.Statement): readonly string[] {
  // Omit the type of the tool itself.
  if (ts.isTypeAliasDeclaration(statement) && statement.type.getText().startsWith("Tool<")) return [];
  if (
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    findLazySchema(statement)
  )
    return [statement.getText()];
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
  return ["zod", "mcp-codegen/codegen"].includes(statement.moduleSpecifier.text) ? [statement.getText()] : [];
}

function findLazySchema(
  statement: ts.Statement,
): { readonly name: string; readonly body: string; readonly isOpen: boolean } | undefined {
  const declaration = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations[0]
    : undefined;
  const name = declaration?.name.getText() ?? "";
  const call = declaration?.initializer;
  if (!call || !ts.isCallExpression(call)) return undefined;
  if (!/^(?:schema|openSchema)(?:Check)*$/u.test(call.expression.getText())) return undefined;
  const [make] = call.arguments;
  if (!make || !ts.isArrowFunction(make)) throw new Error(`What is lazy in ${name}?`);
  const isOpen = /^(?:z\.ZodObject<|typeof )/u.test(declaration.type?.getText() ?? "");
  return { name, body: make.body.getText(), isOpen };
}
