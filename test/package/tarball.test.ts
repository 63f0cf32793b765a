import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { groupBy } from "../../src/core/collections.js";
import { ROOT, runOrThrow } from "./packed.js";

const MOST_FILES = 90;

test(`the tarball has at most ${MOST_FILES} files`, async () => {
  const answer = await runOrThrow(ROOT, "npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
  const [{ files }] = JSON.parse(answer) as [{ readonly files: readonly { readonly path: string }[] }];
  const folders = [...groupBy(files, ({ path }) => dirname(path))].map(
    ([folder, inside]) =>
      `${inside.length} in ${folder}: ${inside.map(({ path }) => basename(path)).join(" ")}`,
  );
  expect(files.length, folders.join("\n")).toBeLessThanOrEqual(MOST_FILES);
});

test("no chunk imports itself through others", () => {
  const folder = join(ROOT, "dist/chunks");
  const imports = new Map(
    readdirSync(folder).map((name) => {
      const found = readFileSync(join(folder, name), "utf8").matchAll(/^import [^;]*"\.\/([^"]+)";/gmu);
      return [name, [...found].map(([, other = ""]) => other)];
    }),
  );
  const visit = (name: string, path: readonly string[]): void => {
    expect(path, `${[...path, name].join(" → ")}`).not.toContain(name);
    for (const next of imports.get(name) ?? []) visit(next, [...path, name]);
  };
  expect(imports.get("start.js")).toContain("runtime.js");
  for (const name of imports.keys()) visit(name, []);
});
