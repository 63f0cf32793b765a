/** What the published types import. A user who checks libraries too (`skipLibCheck: false`) has the required packages alone. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { INSTALL_PEER } from "../../src/core/packages.js";
import manifest from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");
const IMPORT = /(?:from|import\()\s*"([^"]+)"/gu;
const COMMENT = /\/\*.*?\*\//gsu;
const OPTIONAL: Readonly<Record<string, unknown>> = manifest.peerDependenciesMeta;
const REQUIRED = new Set(
  [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)].filter(
    (name) => !(name in OPTIONAL),
  ),
);

/** Adds the packages that a declaration file imports, directly or through files of this package. */
function collectPackages(file: string, seen: Set<string>, found: Map<string, string>): void {
  if (seen.has(file)) return;
  seen.add(file);
  for (const [, target = ""] of readFileSync(file, "utf8").replace(COMMENT, "").matchAll(IMPORT)) {
    if (target.startsWith("."))
      collectPackages(join(dirname(file), target.replace(/\.js$/u, ".d.ts")), seen, found);
    else if (!target.startsWith("node:"))
      found.set(/^(?:@[^/]+\/)?[^/]+/u.exec(target)?.[0] ?? target, file.slice(ROOT.length + 1));
  }
}

it("the commands that install optional packages name the versions of package.json", () => {
  const { peerDependencies } = manifest;
  const commands = Object.fromEntries(
    Object.keys(OPTIONAL).map((name) => {
      const range = peerDependencies[name as keyof typeof peerDependencies];
      return [name, `npm install -D ${name}@${/\d+/.exec(range)?.[0] ?? ""}`];
    }),
  );
  expect(INSTALL_PEER).toEqual(commands);
});

const ENTRIES = Object.entries(manifest.exports).flatMap(([name, entry]) =>
  typeof entry === "object" && "types" in entry ? [[name, entry.types] as const] : [],
);

it.each(ENTRIES)("the types of %s import required packages only", (_name, types) => {
  const found = new Map<string, string>();
  collectPackages(join(ROOT, types), new Set(), found);
  expect([...found].filter(([name]) => !REQUIRED.has(name))).toEqual([]);
});
