import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { statFolder } from "../../src/files/output-folder.js";

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
