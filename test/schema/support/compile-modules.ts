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

/** Returns the diagnostics of tsc for modules, in one program and with the strictest flags. */
export function compileModules(
  modules: Modules,
  options: { readonly exactOptionalPropertyTypes: boolean },
): readonly string[] {
  const folder = `${ROOT}test/schema/virtual/`;
  const files = new Map([...modules].map(([name, text]) => [`${folder}${name}.ts`, text]));
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2023.d.ts"],
    types: [],
    noEmit: true,
    strict: true,
    declaration: true,
    isolatedDeclarations: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    ...options,
    paths: { "mcp-codegen/codegen": [`${ROOT}src/runtime/checks/index.ts`] },
  };
  const host = ts.createCompilerHost(compilerOptions);
  const disk = ts.createCompilerHost(compilerOptions);
  host.fileExists = (path) => files.has(path) || disk.fileExists(path);
  host.readFile = (path) => files.get(path) ?? disk.readFile(path);
  host.getSourceFile = (path, language, onError, isNew) => {
    const text = files.get(path);
    return text === undefined
      ? disk.getSourceFile(path, language, onError, isNew)
      : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([...files.keys()], compilerOptions, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const line =
      diagnostic.file && diagnostic.start !== undefined
        ? ts.getLineAndCharacterOfPosition(diagnostic.file, diagnostic.start).line
        : 0;
    const at = diagnostic.file ? `${diagnostic.file.fileName.slice(folder.length)}:${line + 1} ` : "";
    const source = diagnostic.file?.text.split("\n")[line]?.slice(0, 2_000) ?? "";
    return `${at}${ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")}\n${source}`;
  });
}

/**
 * Adds assertions to a printed module, or to the declarations of a generated one: for each schema, its interface and the
 * type that Zod infers for the body of its `z.lazy` are assignable to each other. (The annotated export would also accept
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
  // Omit the interface of the tool, which contains its call.
  if (ts.isInterfaceDeclaration(statement) && statement.heritageClauses !== undefined) return [];
  if (
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    findLazySchema(statement)
  )
    // Only the signature of the runtime's openSchema() matters.
    return [statement.getText().replace(/\bopenSchema(?=\()/u, "(<T>(make: () => T): T => make())")];
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
  const text = statement.getText();
  if (statement.moduleSpecifier.text === "mcp-codegen/codegen")
    return [
      text.replaceAll(
        /\b(?:defineTool|openSchema|throughAbility|type (?:CallOptions|Tool|ToolContent|ToolMembers))\b,?/gu,
        "",
      ),
    ];
  return statement.moduleSpecifier.text === "zod" ? [text] : [];
}

function findLazySchema(
  statement: ts.Statement,
): { readonly name: string; readonly body: string; readonly isOpen: boolean } | undefined {
  const declaration = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations[0]
    : undefined;
  const name = declaration?.name.getText() ?? "";
  // Remove the cast of the lazy schema.
  let call = declaration?.initializer;
  while (call && ts.isAsExpression(call)) call = call.expression;
  if (!call || !ts.isCallExpression(call)) return undefined;
  if (!["z.lazy", "openSchema"].includes(call.expression.getText())) return undefined;
  const [make] = call.arguments;
  if (!make || !ts.isArrowFunction(make)) throw new Error(`What is lazy in ${name}?`);
  const isOpen = /^(?:z\.ZodObject<|typeof )/u.test(declaration?.type?.getText() ?? "");
  return { name, body: make.body.getText(), isOpen };
}
