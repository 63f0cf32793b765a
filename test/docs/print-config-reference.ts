import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCES = ["../../src/config/config.ts", "../../src/core/connection.ts"];

/** One key of the configuration, as its interface declares and describes it. */
export interface ConfigKey {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** The configuration's keys by interface, inherited ones first. */
export function readConfigKeys(name: string): readonly ConfigKey[] {
  const declaration = SOURCES.map(parse)
    .flatMap((file) => [...file.statements])
    .filter(ts.isInterfaceDeclaration)
    .find((one) => one.name.text === name);
  if (!declaration) throw new Error(`There is no interface "${name}".`);
  const parents = (declaration.heritageClauses ?? []).flatMap((clause) => clause.types);
  return [
    ...parents.flatMap((parent) => readConfigKeys(parent.expression.getText())),
    ...declaration.members.filter(ts.isPropertySignature).map(readKey),
  ];
}

function parse(path: string): ts.SourceFile {
  const file = fileURLToPath(new URL(path, import.meta.url));
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2023, true);
}

function readKey(member: ts.PropertySignature): ConfigKey {
  const docs = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  const text = docs.map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? "").join(" ");
  return {
    name: member.name.getText().replaceAll('"', ""),
    type: (member.type?.getText() ?? "").replaceAll("readonly ", "").replace(/\s+/gu, " "),
    text: text.replace(/\s+/gu, " "),
  };
}

/** The pages about keys of the configuration. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["policy", "toolsets.md#policy"],
  ["references", "daily.md#files-that-agents-read"],
  ["scripts", "scripts.md"],
  ["hosts", "hosts.md"],
]);

/** The tables of `docs/configuration.md`. */
export function printConfigReference(): string {
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
      ...readConfigKeys(name).map(
        (key) => `| ${printName(key.name)} | ${printType(key.type)} | ${key.text} |`,
      ),
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
