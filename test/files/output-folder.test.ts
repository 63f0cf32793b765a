import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readGeneratedFolder, statFolder } from "../../src/files/output-folder.js";

const MILLISECOND = 1_000_000n;
const SECOND = 1_000n * MILLISECOND;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "output-folder-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test.each([
  ["50 ms later", (changed: bigint) => changed + 50n * MILLISECOND, true],
  ["more than 50 ms later", (changed: bigint) => changed + 51n * MILLISECOND, false],
  ["before, by a clock that was set back", (changed: bigint) => changed - SECOND, true],
  ["within two whole seconds", (changed: bigint) => (changed / SECOND + 1n) * SECOND, true],
  ["after more than two whole seconds", (changed: bigint) => (changed / SECOND + 4n) * SECOND, false],
])(
  "a file may have changed again without a trace if the cache was written %s",
  (_when, writtenAt, isOpen) => {
    const file = join(folder, "a.ts");
    writeFileSync(file, "");
    const changed = lstatSync(file, { bigint: true }).ctimeNs;
    expect(statFolder(folder)?.unsettled(writtenAt(changed))).toEqual(isOpen ? ["a.ts"] : []);
  },
);

test("generated files are at most one folder deep, and deeper ones are never read", async () => {
  const generated = readFileSync(join(import.meta.dirname, "../../generated/example/list-posts.ts"));
  for (const path of ["index.ts", "shop/list.ts", "shop/other/list.ts", "shop/other/more/list.ts"]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), generated);
  }
  const files = await readGeneratedFolder(folder);
  expect(files.map(({ path, header }) => [path, header !== undefined])).toEqual([
    ["index.ts", true],
    ["shop/list.ts", true],
    ["shop/other/list.ts", false],
  ]);
});
