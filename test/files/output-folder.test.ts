import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { formatHeader } from "../../src/core/generated-file.js";
import { readGeneratedFolder, statFolder } from "../../src/files/output-folder.js";
import { writeFiles } from "../../src/files/write-files.js";
import { makeFolder, put } from "./folder.js";

const MILLISECOND = 1_000_000n;
const SECOND = 1_000n * MILLISECOND;
const TEXT = formatHeader("export {};\n", "0123456789abcdef");

let folder = "";
beforeEach(() => {
  folder = makeFolder();
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
  for (const path of ["index.ts", "shop/list.ts", "shop/other/list.ts", "shop/other/more/list.ts"])
    put(folder, { [path]: TEXT });
  const files = await readGeneratedFolder(folder);
  expect(files.map(({ path, header }) => [path, header !== undefined])).toEqual([
    ["index.ts", true],
    ["shop/list.ts", true],
    ["shop/other/list.ts", false],
  ]);
});

test("generated, edited and other files are distinguished", async () => {
  put(folder, {
    "ours.ts": TEXT,
    "edited.ts": `${TEXT}//\n`,
    "shop/foreign.ts": "export {};\n",
    "notes.md": "# Notes\n",
  });
  put(folder, { "node_modules/x/index.ts": TEXT });
  const digest = expect.stringMatching(/^[0-9a-f]{16}$/) as unknown;
  const ours = { in: "0123456789abcdef", out: digest, code: digest };
  expect(await readGeneratedFolder(folder)).toEqual([
    { path: "edited.ts", header: ours, isEdited: true },
    { path: "notes.md", isEdited: false },
    { path: "ours.ts", header: ours, isEdited: false },
    { path: "shop/foreign.ts", isEdited: false },
  ]);
});

test("the output folders of other projects are omitted, so that their files are never removed", async () => {
  const mine = ["index.ts", "shop/get.ts", "shop/index.ts", "shop/server.ts"];
  // Another configuration next to this one, and packages with their own configurations.
  const site = ["generated/index.ts", "generated/site/index.ts", "generated/site/server.ts"];
  const others = [...site, "packages/app/generated/index.ts"];
  for (const path of [...mine, ...others]) put(folder, { [path]: TEXT });
  const read = await readGeneratedFolder(folder);
  expect(read.filter(({ header }) => header !== undefined).map(({ path }) => path)).toEqual(mine);
  await writeFiles(folder, [{ path: "index.ts", text: TEXT }]);
  for (const path of others) expect(readFileSync(join(folder, path), "utf8")).toBe(TEXT);
  expect(() => readFileSync(join(folder, "shop/get.ts"))).toThrow("ENOENT");
});

test("nothing is generated without a folder, and a file in its place is an error", async () => {
  expect(await readGeneratedFolder(join(folder, "none"))).toEqual([]);
  put(folder, { file: "" });
  await expect(readGeneratedFolder(join(folder, "file"))).rejects.toMatchObject({ code: "FILE_FAILED" });
});
