import { fileURLToPath } from "node:url";
import ts from "typescript";

const resolve = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SOURCES = ["src/config/config.ts", "src/core/connection-settings.ts"].map(resolve);
/** The declarations of the package, which editors read. */
export const DECLARATIONS: readonly string[] = ["dist/types/build.d.ts", "dist/types/runtime.d.ts"].map(
  resolve,
);

/** One key of the configuration, as its format declares and describes it. */
interface ConfigKey {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** Returns a function that returns the keys of a type in some files. */
export function readConfigTypes(files: readonly string[]): (name: string) => readonly ConfigKey[] {
  const program = ts.createProgram(files, {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true, types: ["node"] },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
  });
  const checker = program.getTypeChecker();
  const declarations = files
    .flatMap((file) => [...(program.getSourceFile(file)?.statements ?? [])])
    .filter((statement) => ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement));
  // The compiler has them in the order in which it happened to read them.
  const placeOf = ({ declarations: [first] = [] }: ts.Symbol): number =>
    (first?.pos ?? 0) + (first?.getSourceFile().fileName === files[0] ? 1e9 : 0);
  return (name) => {
    const declaration = declarations.find((statement) => statement.name.text === name);
    if (!declaration) throw new Error(`There is no type "${name}".`);
    const keys = checker.getPropertiesOfType(checker.getTypeAtLocation(declaration.name));
    return keys
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map((key) => ({
        name: key.name,
        type: checker
          .typeToString(checker.getTypeOfSymbol(key))
          .replaceAll("readonly ", "")
          .replace(" | undefined", "")
          // A choice of more values than the compiler prints.
          .replace(/\(.* more .*\)/, "string")
          .replaceAll("; }", " }"),
        text: ts.displayPartsToString(key.getDocumentationComment(checker)).replace(/\s+/gu, " "),
      }));
  };
}

/** The pages about keys of the configuration. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["policy", "toolsets.md#policy"],
  ["references", "daily.md#files-that-agents-read"],
  ["embedder", "toolsets.md#by-meaning"],
  ["scripts", "scripts.md"],
  ["hosts", "hosts.md"],
]);

/** The tables of `docs/configuration.md`. */
export function printConfigReference(): string {
  const readKeys = readConfigTypes(SOURCES);
  const tables: readonly (readonly [string, string])[] = [
    ["The configuration", "Config"],
    ["A server: `servers.<name>`", "ServerConfig"],
    ["`servers.<name>.auth` with OAuth", "OAuthSettings"],
    ["`servers.<name>.tools`", "ToolsConfig"],
    ["`servers.<name>.prompts` and `servers.<name>.resources`", "EntriesConfig"],
    ["`servers.<name>.wordpress`", "WordPressConfig"],
    ["`servers.<name>.php`", "PhpConfig"],
    ["`check`, also `servers.<name>.check`", "CheckConfig"],
    ["`serve`", "ServeConfig"],
    ["`policy`", "PolicyConfig"],
  ];
  return tables
    .flatMap(([title, name]) => [
      `### ${title}`,
      "",
      "| key | type | meaning |",
      "| --- | --- | --- |",
      ...readKeys(name).map((key) => `| ${printName(key.name)} | ${printType(key.type)} | ${key.text} |`),
      "",
    ])
    .join("\n")
    .trimEnd();
}

function printName(name: string): string {
  const page = PAGES.get(name);
  return page === undefined ? `\`${name}\`` : `[\`${name}\`](${page})`;
}

/** A bar inside a code span still ends the cell of a table. */
function printType(type: string): string {
  return `\`${type.replaceAll("|", "\\|")}\``;
}
