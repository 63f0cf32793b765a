import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";

/** Prints a table and, with `--write`, puts it between the marks of a page. */
export async function writeTable(page: string, mark: string, lines: readonly string[]): Promise<void> {
  const table = lines.join("\n");
  process.stdout.write(`${table}\n\n`);
  if (!process.argv.includes("--write")) return;
  const path = fileURLToPath(new URL(`../../${page}`, import.meta.url));
  const [before = "", rest = ""] = readFileSync(path, "utf8").split(`<!-- ${mark} -->`);
  const [, after = ""] = rest.split(`<!-- end of ${mark} -->`);
  const text = `${before}<!-- ${mark} -->\n\n${table}\n\n<!-- end of ${mark} -->${after}`;
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser: "markdown" }));
}
