import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ENTRIES = { runtime: "runtime/index", agent: "agent/index", replay: "agent/replay/index" };

/** Prints what each entry for programs exports, as a list. */
export function printEntries(): string {
  const rows = Object.entries(ENTRIES).map(([entry, file]) => {
    const names = exportsOf(file).map((name) => `\`${name}\``);
    return `- **\`mcp-codegen/${entry}\`** (${names.length}): ${names.join(", ")}.`;
  });
  return rows.join("\n");
}

function exportsOf(file: string): readonly string[] {
  const path = fileURLToPath(new URL(`../../src/${file}.ts`, import.meta.url));
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
  return source.statements
    .flatMap((statement) =>
      ts.isExportDeclaration(statement) &&
      statement.exportClause !== undefined &&
      ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name }) => name.text)
        : [],
    )
    .sort();
}
