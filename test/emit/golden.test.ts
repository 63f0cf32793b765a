import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/core/digest.js";
import type { GeneratedFile } from "../../src/core/generated-file.js";
import { EMIT_REVISION } from "../../src/core/generated-file.js";
import { DIGESTED, emitCase, GOLDEN, readCases } from "./golden-cases.js";

const ACCEPT = "Accept with: npm run golden";
const isAccepting = process.env["MODE"] === "accept";

/** The digest and revision of each fixture, to detect a changed emission without a new revision. */
interface Revision {
  readonly emitRevision: number;
  readonly cases: {
    readonly [name: string]: {
      readonly fixture: string;
      readonly output: string;
      /** The digest of each file, instead of its text. */
      readonly files?: { readonly [path: string]: string };
    };
  };
}
const REVISION = join(GOLDEN, "revision.json");

const cases = readCases();

// Without this optional package, Prettier formats in another style: run "npm ci".
createRequire(import.meta.url).resolve("oxfmt");

function filesBelow(folder: string, prefix = ""): readonly string[] {
  return readdirSync(join(folder, prefix)).flatMap((entry) => {
    const path = prefix === "" ? entry : `${prefix}/${entry}`;
    return statSync(join(folder, path)).isDirectory() ? filesBelow(folder, path) : [path];
  });
}

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
  const digests = files.map(({ path, text }) => [path, sha256(text).slice(0, 16)] as const);
  return {
    fixture: sha256(source),
    output: digestOfBodies(files),
    ...(DIGESTED.includes(name) && { files: Object.fromEntries(digests) }),
  };
}

function write(name: string, files: readonly GeneratedFile[]): void {
  rmSync(join(GOLDEN, name), { recursive: true, force: true });
  if (DIGESTED.includes(name)) return;
  for (const { path, text } of files) {
    mkdirSync(dirname(join(GOLDEN, name, path)), { recursive: true });
    writeFileSync(join(GOLDEN, name, path), text);
  }
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
    expect(
      files.map(({ path }) => path),
      ACCEPT,
    ).toEqual([...filesBelow(join(GOLDEN, name))].sort());
    for (const { path, text } of files)
      expect(text, `${path}: ${ACCEPT}`).toBe(readFileSync(join(GOLDEN, name, path), "utf8"));
  });

  it("have the current revision", () => {
    expect(readRevision().emitRevision, ACCEPT).toBe(EMIT_REVISION);
    expect(Object.keys(readRevision().cases), ACCEPT).toEqual(cases.map(({ name }) => name));
  });
});
