import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { digestOf } from "../../src/core/digest.js";
import { openCache, remember } from "../../src/files/cache.js";
import { readWaivers, writeWaivers } from "../../src/files/project-records.js";
import { refuseEdited } from "../../src/files/write-files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-codegen-cache-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("remembers facts for the same key, until the file is damaged", () => {
  const open = (key: readonly unknown[], kind = "facts") => openCache(folder, { kind, name: "a", key });
  const cache = open([1, "x"]);
  expect(cache.read()).toBeUndefined();
  expect(() => cache.writtenAt()).toThrow("ENOENT");
  cache.write({ n: 1 });
  expect([open([1, "x"]), open([1, "y"]), open([1, "x"], "others")].map((each) => each.read())).toEqual([
    { n: 1 },
    ...[undefined, undefined],
  ]);
  const path = join(folder, readdirSync(folder)[0] ?? "");
  const written = readFileSync(path, "utf8");
  writeFileSync(path, written.replace('"n":1', '"n":2'));
  expect(cache.read()).toBeUndefined();
  writeFileSync(path, written);
  appendFileSync(path, " ");
  expect(cache.read()).toBeUndefined();
});

it("finds facts once for a key, in a folder and if they may be kept", async () => {
  let count = 0;
  const find = (where: string | undefined, key: number, mayKeep?: () => boolean): Promise<number> =>
    remember(where, "a", [key], () => ++count, mayKeep);
  expect([await find(undefined, 1), await find(undefined, 1)]).toEqual([1, 2]);
  expect([await find(folder, 1, () => false), await find(folder, 1), await find(folder, 1)]).toEqual([
    3, 4, 4,
  ]);
  expect(await find(folder, 2)).toBe(5);
});

const EDITED: readonly (readonly [edited: number, written: number, removed: number, message: string])[] = [
  [1, 0, 0, '"0" in the output folder: edited by hand. The other files are up to date.'],
  [5, 1, 0, '"0", "1", "2", "3", "4" in the output folder: edited by hand. The other files are up to date (1 written).'],
  [6, 1, 2, '"0", "1", "2", "3", "4" and 1 more in the output folder: edited by hand. The other files are up to date (1 written, 2 removed).'],
]; // prettier-ignore

it.each(EDITED)(
  "refuses %i edited files, beside %i written and %i removed ones",
  (edited, written, removed, message) => {
    const names = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));
    const others = { written: names(written), removed: names(removed) };
    expect(() => {
      refuseEdited(names(edited), others);
    }).toThrow(expect.objectContaining({ message }));
  },
);

it("writes waivers sorted, and removes a file without any", async () => {
  const path = join(folder, "waivers.json");
  const waiver = (tool: string, before?: string) => ({
    ...{ server: "shop", tool, path: "", rule: "tool-removed", reason: "Known." },
    digests: before === undefined ? {} : { before },
  });
  const sorted = [waiver("a"), waiver("a", digestOf("b")), waiver("b")];
  await writeWaivers(path, { waivers: sorted.toReversed() });
  expect((await readWaivers(path)).waivers).toEqual(sorted);
  await writeWaivers(path, { waivers: [] });
  expect([readdirSync(folder), await readWaivers(path)]).toEqual([[], { waivers: [] }]);
});
