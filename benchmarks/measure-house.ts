import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ts from "typescript";

/** A source file, with the facts about its own text. */
export interface SourceFile {
  /** Relative to `src`, with `/`. */
  readonly name: string;
  readonly lines: number;
  readonly exports: readonly string[];
  /** The files that it imports, types included, without `import()`. */
  readonly imports: readonly string[];
  /** The files that it loads with `import()`. */
  readonly loads: readonly string[];
  /** Its named functions: name and body, with equal white space. */
  readonly functions: readonly { readonly name: string; readonly body: string }[];
  /** The number of conditional spreads, such as `...(x !== undefined && { x })`. */
  readonly spreads: number;
  /** The number of uses of `Pick` and `Omit`. */
  readonly picks: number;
}

/** Returns the facts about each TypeScript file below `src`, sorted by name. */
export function measureFiles(src: string): readonly SourceFile[] {
  const names = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => name.split(sep).join("/"))
    .sort();
  return names.map((name) => measureFile(src, name, readFileSync(join(src, name), "utf8")));
}

/** The source of an imported module. */
function sourceOf(path: string): string {
  const file = path.replace(/\.js$/, ".ts");
  return existsSync(file) ? file : `${file}x`;
}

function measureFile(src: string, name: string, text: string): SourceFile {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const exports: string[] = [];
  const imports = new Set<string>();
  const loads = new Set<string>();
  const functions: { name: string; body: string }[] = [];
  const targetOf = (specifier: ts.Node | undefined): string | undefined =>
    specifier !== undefined && ts.isStringLiteral(specifier) && specifier.text.startsWith(".")
      ? relative(src, sourceOf(join(src, dirname(name), specifier.text)))
          .split(sep)
          .join("/")
      : undefined;
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
      const target = targetOf(statement.moduleSpecifier);
      if (target !== undefined) imports.add(target);
    } else exports.push(...exportedNames(statement));
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const target = targetOf(node.arguments[0]);
      if (target !== undefined) loads.add(target);
    } else if (ts.isFunctionDeclaration(node) && node.body !== undefined && node.name !== undefined) {
      functions.push({ name: node.name.text, body: node.body.getText(file).replace(/\s+/g, " ") });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return {
    name,
    lines: text.split("\n").length - 1,
    exports,
    imports: [...imports],
    loads: [...loads],
    functions,
    spreads: countOf(text, /\.\.\.\([^()]*(?:\([^()]*\)[^()]*)*&&\s*\{/g),
    picks: countOf(text, /\b(?:Pick|Omit)</g),
  };
}

function exportedNames(statement: ts.Statement): readonly string[] {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  const kinds = modifiers?.map(({ kind }) => kind) ?? [];
  if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  const { name } = statement as { readonly name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Returns the names that several files export, with these files. */
export function repeatedNames(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  return repeated(
    files.flatMap(({ name, exports }) => [...new Set(exports)].map((each) => [each, name] as const)),
  );
}

/** Returns the bodies of over 40 characters that several functions have, with these functions. */
export function repeatedBodies(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  return repeated(
    files.flatMap(({ name, functions }) =>
      functions.flatMap((each) =>
        // Braces and a space on both sides do not count.
        each.body.length > 44 ? [[each.body, `${name} ${each.name}`] as const] : [],
      ),
    ),
  );
}

function repeated(
  pairs: readonly (readonly [key: string, place: string])[],
): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const [key, place] of pairs) places.set(key, [...(places.get(key) ?? []), place]);
  return new Map([...places].filter(([, all]) => all.length > 1));
}

/** Returns the groups of files that import each other, types included: Tarjan's strongly connected components. */
export function circlesOf(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const imports = new Map(files.map(({ name, imports: targets }) => [name, targets]));
  const order = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (name: string): number => {
    const own = order.size;
    order.set(name, own);
    let low = own;
    stack.push(name);
    for (const target of imports.get(name) ?? []) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === own) {
      const circle = stack.splice(stack.indexOf(name));
      if (circle.length > 1) circles.push(circle);
    }
    return low;
  };
  for (const { name } of files) if (!order.has(name)) visit(name);
  return circles;
}

/** Returns how many files import or load each file. */
export function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>(files.map(({ name }) => [name, []]));
  for (const { name, imports, loads } of files)
    for (const target of new Set([...imports, ...loads])) importers.get(target)?.push(name);
  return importers;
}
