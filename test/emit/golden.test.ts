import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/core/digest.js";
import type { GeneratedFile } from "../../src/core/generated-file.js";
import { EMIT_REVISION } from "../../src/core/generated-file.js";
import { DIGESTED, emitCase, GOLDEN, readCases, writeFiles } from "./golden-cases.js";

const ACCEPT = "Accept with: npm run golden";
const isAccepting = process.env["MODE"] === "accept";

/** The digest and revision of each fixture, to detect a changed emission without a new revision. */
interface Revision {
  readonly emitRevision: number;
  readonly cases: {
    readonly [name: string]: {
      readonly fixture: string;
      readonly output: string;
      /** The digest of the files with their headers, instead of their texts. */
      readonly files?: string;
    };
  };
}
const REVISION = join(GOLDEN, "revision.json");

const cases = readCases();

// Without this optional package, Prettier formats in another style: run "npm ci".
createRequire(import.meta.url).resolve("oxfmt");

function readRevision(): Revision {
  return JSON.parse(readFileSync(REVISION, "utf8")) as Revision;
}

/** Omits the header, since `in:` depends on the revision. */
function digestOfBodies(files: readonly GeneratedFile[]): string {
  return sha256(JSON.stringify(files.map(({ path, text }) => [path, text.split("\n").slice(3)])));
}

function describeCase(
  name: string,
  source: string,
  files: readonly GeneratedFile[],
): Revision["cases"][string] {
  return {
    fixture: sha256(source),
    output: digestOfBodies(files),
    ...(DIGESTED.includes(name) && { files: sha256(JSON.stringify(files)) }),
  };
}

function write(name: string, files: readonly GeneratedFile[]): void {
  rmSync(join(GOLDEN, name), { recursive: true, force: true });
  if (!DIGESTED.includes(name)) writeFiles(join(GOLDEN, name), files);
}

describe.runIf(isAccepting)("accepting", () => {
  it("writes the golden files, unless emission changed and EMIT_REVISION did not", async () => {
    const before = readRevision();
    const outputs = await Promise.all(cases.map(async (entry) => [entry, await emitCase(entry)] as const));
    const after = Object.fromEntries(
      outputs.map(([{ name, source }, files]) => [name, describeCase(name, source, files)]),
    );
    const changed = Object.keys(after).filter((name) => {
      const [was, is] = [before.cases[name], after[name]];
      return was?.fixture === is?.fixture && was?.output !== is?.output;
    });
    if (before.emitRevision === EMIT_REVISION)
      expect(changed, "Raise EMIT_REVISION in src/core/generated-file.ts, then run this again.").toEqual([]);
    for (const [{ name }, files] of outputs) write(name, files);
    writeFileSync(REVISION, `${JSON.stringify({ emitRevision: EMIT_REVISION, cases: after }, null, 2)}\n`);
  });
});

describe.skipIf(isAccepting)("golden files", () => {
  it.each(cases)("of $name equal the emitted code", async (entry) => {
    const { name, source } = entry;
    const files = await emitCase(entry);
    expect(describeCase(name, source, files), ACCEPT).toEqual(readRevision().cases[name]);
    if (DIGESTED.includes(name)) return;
    const written = readdirSync(join(GOLDEN, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(GOLDEN, name), join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
    expect(written.sort(), ACCEPT).toEqual(files.map(({ path }) => path));
    for (const { path, text } of files)
      expect(text, `${path}: ${ACCEPT}`).toBe(readFileSync(join(GOLDEN, name, path), "utf8"));
  });

  it("have the current revision", () => {
    expect(readRevision().emitRevision, ACCEPT).toBe(EMIT_REVISION);
    expect(Object.keys(readRevision().cases), ACCEPT).toEqual(cases.map(({ name }) => name));
  });
});
