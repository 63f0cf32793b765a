/**
 * Prints what tools of public servers cost a model at every turn, listed and behind a toolset, as the table of
 * `docs/tokens.md`. `npm run tokens -- --write` puts it there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { hasToolLists, measureTokens } from "./measure-tokens.js";

if (!hasToolLists) {
  process.stdout.write("Skipped: ../shared/data/tool-lists is not there, whose tools are counted.\n");
} else {
  const rows = [];
  for (const count of [75, 300, 1_000]) {
    const { tools, listed, metaTools, saved } = await measureTokens(count);
    const less = `${(Math.floor(saved * 10_000) / 100).toFixed(2)} %`;
    rows.push(
      `| ${[tools, listed, metaTools].map((number) => number.toLocaleString("en")).join(" | ")} | ${less} |`,
    );
  }
  const table = [
    "| tools | all listed | five meta-tools | less |",
    "| ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
  process.stdout.write(`${table}\n`);
  if (process.argv.includes("--write")) await writeTable(table);
}

async function writeTable(table: string): Promise<void> {
  const path = fileURLToPath(new URL("../../docs/tokens.md", import.meta.url));
  const [before = ""] = readFileSync(path, "utf8").split("<!-- measured -->");
  const [, after = ""] = readFileSync(path, "utf8").split("<!-- end of measured -->");
  const text = `${before}<!-- measured -->\n\n${table}\n\n<!-- end of measured -->${after}`;
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser: "markdown" }));
}
