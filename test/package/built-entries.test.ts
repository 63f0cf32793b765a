/** Checks what the built entries load by import and import(): this is deployed and bundled with them. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { dependencies, peerDependencies, exports } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};
const BUILD_ONLY = ["ts-morph", "prettier", "oxfmt", "jiti"];

interface Reached {
  readonly files: ReadonlySet<string>;
  /** The bare imports: packages and modules of Node. */
  readonly bare: readonly string[];
}

/** Follows every import of built files; the conditions select the modules of `#stdio` and `#cassette`. */
function reachBuilt(entry: string, platform: "node" | "browser"): Reached {
  const files = new Set<string>();
  const bare = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const name of importsOf(file)) {
      // It does the work of commands, in tests.
      if (/\/testing\.js$/.test(file) && /\/commands\.js$/.test(name)) continue;
      const onNode = { "#stdio": "client/stdio", "#cassette": "runtime/cassette/index" }[name];
      if (onNode !== undefined)
        visit(join(root, `dist/${platform === "node" ? onNode : "runtime/unavailable"}.js`));
      else if (name.startsWith(".")) visit(join(dirname(file), name));
      else bare.add(name);
    }
  };
  visit(join(root, entry));
  return { files, bare: [...bare].sort() };
}

/** Returns what a module imports and re-exports, also by `import()` or `require()` of a literal. */
function importsOf(file: string): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && isLoading(node.expression)
          ? node.arguments[0]
          : undefined;
    if (name !== undefined && ts.isStringLiteral(name)) names.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest));
  return names;
}

function isLoading(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  // createRequire(import.meta.url)("…") also loads a module.
  const name = ts.isCallExpression(callee) ? callee.expression : callee;
  return ts.isIdentifier(name) && ["require", "createRequire"].includes(name.text);
}

function fileOf(entry: string): string {
  const target = exports[entry];
  if (typeof target !== "object") throw new Error(`package.json does not export "${entry}".`);
  return target.default;
}

function packageOf(name: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
}

describe("the walk", () => {
  it("finds static and dynamic imports of the command line", () => {
    const { bare } = reachBuilt("dist/cli/run.js", "node");
    expect(bare).toEqual(expect.arrayContaining(["jiti", "prettier", "node:fs"]));
  });
});

describe.each(["./runtime", "./codegen", "./agent", "./replay", "./node", "./testing"])(
  "mcp-codegen%s",
  (entry) => {
    const { files, bare } = reachBuilt(fileOf(entry), "node");
    const packages = [...new Set(bare.filter((name) => !name.startsWith("node:")).map(packageOf))];

    it("imports no development dependency", () => {
      expect(packages.filter((name) => BUILD_ONLY.includes(name))).toEqual([]);
      expect([...files].filter((file) => file.includes("dist/cli/"))).toEqual([]);
    });

    it("imports no optional package", () => {
      const installed = [
        ...Object.keys(dependencies),
        ...Object.keys(peerDependencies),
        // Only locates an error in an edited cassette. The error has no line where it is not installed.
        "jsonc-parser",
      ];
      expect(packages.filter((name) => !installed.includes(name))).toEqual([]);
    });
  },
);

describe.each(["./runtime", "./codegen", "./agent", "./replay"])("mcp-codegen%s in a browser", (entry) => {
  it("imports no module of Node", () => {
    const { bare } = reachBuilt(fileOf(entry), "browser");
    expect(bare.filter((name) => name.startsWith("node:") || name === "cross-spawn")).toEqual([]);
  });
});

it("no chunk imports itself through others", () => {
  const folder = join(root, "dist/chunks");
  const imports = new Map(
    readdirSync(folder).map((name) => {
      const found = readFileSync(join(folder, name), "utf8").matchAll(/^import [^;]*"\.\/([^"]+)";/gmu);
      return [name, [...found].map(([, other = ""]) => other)];
    }),
  );
  const visit = (name: string, path: readonly string[]): void => {
    expect(path, [...path, name].join(" → ")).not.toContain(name);
    for (const next of imports.get(name) ?? []) visit(next, [...path, name]);
  };
  // What check, generate, list and search load to do nothing, or little.
  expect(imports.get("start.js")?.sort()).toEqual(["core.js", "disk.js", "program.js", "shared.js"]);
  expect(imports.get("search-index.js")?.sort()).toEqual(["core.js", "shared.js"]);
  expect(imports.get("calls.js")).not.toContain("contract.js");
  for (const name of imports.keys()) visit(name, []);
});
