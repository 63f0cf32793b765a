/**
 * Runs the official JSON Schema test suite on our printed Zod and on other converters to Zod: agrees,
 * accepts wrongly, rejects wrongly, does not convert. Prints tables by draft and keyword, and writes all of it as JSON.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hasData, readSuite, type SuitePart } from "../../test/schema/support/data.js";
import { CONVERTERS, type ConverterName } from "./converters.js";
import { type Judged, judgeSuite, sumBy, type Tally } from "./judge-suite.js";

const OUTPUT = process.argv[2] ?? "node_modules/.cache/mcp-codegen/conformance.json";
const NAMES = Object.keys(CONVERTERS) as readonly ConverterName[];
const PARTS: { readonly [P in SuitePart]: string } = {
  required: "Required tests",
  optional: "Optional tests",
  format: "Optional tests of formats, asserted where the converter leaves the choice",
};

type Results = { readonly [name: string]: readonly Judged[] };

if (hasData) {
  const report: { [part: string]: unknown } = {};
  for (const part of Object.keys(PARTS) as readonly SuitePart[]) {
    const groups = readSuite(part);
    const results: Results = Object.fromEntries(
      NAMES.map((name) => [name, judgeSuite(name, groups, part === "format" ? "assert" : undefined)]),
    );
    process.stdout.write(`\n${PARTS[part]}\n`);
    printTable("draft", results, ({ draft }) => draft);
    printTable("keyword", results, ({ keyword }) => keyword);
    report[part] = Object.fromEntries(
      NAMES.map((name) => [
        name,
        Object.fromEntries(sumBy(results[name] ?? [], ({ draft, keyword }) => `${draft}/${keyword}`)),
      ]),
    );
  }
  mkdirSync(dirname(OUTPUT), { recursive: true });
  writeFileSync(OUTPUT, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`\nWritten to ${OUTPUT}.\n`);
} else {
  process.stdout.write("Skipped: the suite is not at ../shared/data/json-schema-test-suite.\n");
}

function printTable(title: string, results: Results, keyOf: (one: Judged) => string): void {
  const sums = NAMES.map((name) => sumBy(results[name] ?? [], keyOf));
  const totals = NAMES.map((name) => sumBy(results[name] ?? [], () => "all"));
  const rows = [...(sums[0]?.keys() ?? [])].map((key) => [
    key,
    ...sums.map((sum) => printTally(sum.get(key))),
  ]);
  const head = [title, ...NAMES];
  const lines = [head, ...rows, ["all", ...totals.map((total) => printTally(total.get("all")))]];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd();
  process.stdout.write(`\n${lines.map(print).join("\n")}\n`);
}

/** `agree of all (+ wrongly accepted, - wrongly rejected, ! not converted)`. */
function printTally(tally: Tally | undefined): string {
  if (tally === undefined) return "";
  const { agrees, acceptsWrongly, rejectsWrongly, doesNotConvert } = tally;
  const all = agrees + acceptsWrongly + rejectsWrongly + doesNotConvert;
  const wrong = [
    ...(acceptsWrongly > 0 ? [`+${acceptsWrongly}`] : []),
    ...(rejectsWrongly > 0 ? [`-${rejectsWrongly}`] : []),
    ...(doesNotConvert > 0 ? [`!${doesNotConvert}`] : []),
  ];
  return `${((100 * agrees) / all).toFixed(1).padStart(5)} % of ${all} ${wrong.join(" ")}`;
}
