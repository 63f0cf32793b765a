/**
 * Prints the cost of tools per turn, as the tables in the documentation: with original and shown schemas, and
 * listed directly and behind a toolset. `npm run report tokens -- --write` updates the tables.
 */
import { hasToolLists, measureSchemas, measureTokens, readTools } from "./measure-tokens.js";
import { writeTable } from "./write-table.js";
import { listZodTools } from "./zod-tools.js";

const shares = [
  ["tools of a server with Zod", await listZodTools()],
  ["tools of public servers", hasToolLists ? readTools() : []],
] as const;
const schemaRows = [];
for (const [what, list] of shares) {
  if (list.length === 0) continue;
  const { tools, sent, shown } = await measureSchemas(list);
  const less = `${((1 - shown / sent) * 100).toFixed(1)} %`;
  const counts = [tools, sent, shown].map((number) => number.toLocaleString("en"));
  schemaRows.push(`| ${[`${counts[0]} ${what}`, ...counts.slice(1), less].join(" | ")} |`);
}
await writeTable("docs/toolsets.md", "schemas", [
  "| | as sent | as shown | less |",
  "| --- | ---: | ---: | ---: |",
  ...schemaRows,
]);

if (!hasToolLists) {
  process.stdout.write("Skipped: ../shared/data/tool-lists is not there, whose tools are counted.\n");
} else {
  const rows = [];
  for (const count of [75, 1_000]) {
    const { tools, listed, metaTools, saved } = await measureTokens(count);
    const less = `${(Math.floor(saved * 10_000) / 100).toFixed(2)} %`;
    rows.push(
      `| ${[tools, listed, metaTools].map((number) => number.toLocaleString("en")).join(" | ")} | ${less} |`,
    );
  }
  await writeTable("docs/toolsets.md", "measured", [
    "| tools | all listed | five meta-tools | less |",
    "| ---: | ---: | ---: | ---: |",
    ...rows,
  ]);
}
