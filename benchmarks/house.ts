/**
 * Prints the size of the house: rooms, files, lines, exports, circles and repetitions of `src`. `npm run report house -- <room>`
 * also lists what there is to merge in a room; `--src <folder>` measures another checkout.
 */
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  circlesOf,
  importersOf,
  measureFiles,
  repeatedBodies,
  repeatedNames,
  type SourceFile,
} from "./measure-house.js";

const { values, positionals } = parseArgs({ options: { src: { type: "string" } }, allowPositionals: true });
const files = measureFiles(values.src ?? fileURLToPath(new URL("../src", import.meta.url)));
const [room] = positionals;
const importers = importersOf(files);
const circles = circlesOf(files);
const names = repeatedNames(files);
const bodies = repeatedBodies(files);

const rooms = new Map<string, SourceFile[]>();
for (const file of files) {
  const key = file.name.includes("/") ? file.name.slice(0, file.name.indexOf("/")) : "(entries)";
  rooms.set(key, [...(rooms.get(key) ?? []), file]);
}
const row = (label: string, of: readonly SourceFile[]): string => {
  const sum = (count: (file: SourceFile) => number): number =>
    of.reduce((total, file) => total + count(file), 0);
  const single = of.filter(({ name }) => importers.get(name)?.length === 1).length;
  const figures = [
    of.length,
    sum(({ lines }) => lines),
    sum(({ exports }) => exports.length),
    single,
    sum(({ spreads }) => spreads),
    sum(({ picks }) => picks),
  ];
  return label.padEnd(16) + figures.map((figure) => figure.toLocaleString("en").padStart(10)).join("");
};
const head = ["files", "lines", "exports", "1 importer", "spreads", "Pick/Omit"];
const table = [
  "room".padEnd(16) + head.map((each) => each.padStart(10)).join(""),
  ...[...rooms].filter(([name]) => room === undefined || name === room).map(([name, of]) => row(name, of)),
  row("all", files),
];
print([
  ...table,
  "",
  `${rooms.size - 1} rooms, ${circles.length} circles, ${names.size} names exported by several files, ${bodies.size} equal bodies`,
]);

if (room !== undefined) {
  const isIn = (name: string): boolean => name.startsWith(`${room}/`);
  const small = files.filter(
    ({ name, lines }) =>
      isIn(name) &&
      lines < 60 &&
      importers.get(name)?.length === 1 &&
      dirname(importers.get(name)?.[0] ?? "") === dirname(name),
  );
  print([
    "",
    "Under 60 lines, with one importer in their folder:",
    ...small.map(({ name }) => `  ${name} → ${importers.get(name)?.[0] ?? ""}`),
    "Circles:",
    ...circles.filter((circle) => circle.some(isIn)).map((circle) => `  ${circle.join(" ")}`),
    "Names exported by several files:",
    ...[...names]
      .filter(([, places]) => places.some(isIn))
      .map(([name, places]) => `  ${name}: ${places.join(" ")}`),
    "Equal bodies:",
    ...[...bodies]
      .filter(([, places]) => places.some(isIn))
      .map(([body, places]) => `  ${places.join(", ")}: ${body.slice(0, 60)}`),
  ]);
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
