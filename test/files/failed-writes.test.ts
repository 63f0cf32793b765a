import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLineFile } from "../../src/files/line-file.js";
import { writeLockfile } from "../../src/files/lockfile-on-disk.js";
import { markUnfinished } from "../../src/files/output-folder.js";
import { writeWaivers } from "../../src/files/project-records.js";
import {
  appendText,
  ensureLine,
  withFileLock,
  writeAtomic,
  writeManyAtomic,
} from "../../src/files/write-atomic.js";

/** Each write, and the name that its error has to give. Even root cannot write below a file. */
test.each<readonly [name: string, write: (folder: string) => unknown]>([
  ["generated", (folder) => markUnfinished(join(folder, "generated"))],
  ["file", (folder) => writeManyAtomic(folder, [{ name: "a.ts", text: "" }])],
  ["a.json", (folder) => writeAtomic(join(folder, "a.json"), "{}")],
  ["summary.md", (folder) => appendText(join(folder, "summary.md"), "x")],
  [".gitignore", (folder) => ensureLine(join(folder, ".gitignore"), "x")],
  ["journal.jsonl", (folder) => openLineFile(join(folder, "journal.jsonl"))],
  ["file", (folder) => withFileLock(join(folder, "a.lock"), () => Promise.resolve())],
  ["lock.json", (folder) => writeLockfile(join(folder, "lock.json"), { lockfileVersion: 1, servers: {} })],
  ["waivers.json", (folder) => writeWaivers(join(folder, "waivers.json"), [])],
])("an error names %s, which cannot be written", async (name, write) => {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-failed-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "file"), "");
  await expect(Promise.resolve(join(dir, "file")).then(write)).rejects.toMatchObject({
    code: "FILE_FAILED",
    message: expect.stringMatching(new RegExp(`"${name}" cannot be \\w+: E[A-Z]+: [a-z ]+\\.$`)) as string,
  });
});
