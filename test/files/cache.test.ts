import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { openCache, remember } from "../../src/files/cache.js";
import { makeFolder } from "./folder.js";

let folder: string;
beforeEach(() => {
  folder = makeFolder();
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
