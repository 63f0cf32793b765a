import { execFileSync } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { mkdir, mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withFileLock } from "../../src/files/file-lock.js";
import { openLineFile } from "../../src/files/line-file.js";
import { writeLockfile, writeWaivers } from "../../src/files/project-records.js";
import { markUnfinished } from "../../src/files/output-folder.js";
import {
  appendText,
  ensureLine,
  makeFolder,
  writeAtomic,
  writeManyAtomic,
} from "../../src/files/write-atomic.js";

/** Each write, and the name that its error has to give. */
const WRITES: readonly (readonly [name: string, write: (folder: string) => unknown])[] = [
  ["generated", (folder) => markUnfinished(join(folder, "generated"))],
  ["file", (folder) => writeManyAtomic(folder, [{ name: "a.ts", text: "" }])],
  ["a.json", (folder) => writeAtomic(join(folder, "a.json"), "{}")],
  ["summary.md", (folder) => appendText(join(folder, "summary.md"), "x")],
  [".gitignore", (folder) => ensureLine(join(folder, ".gitignore"), "x")],
  ["journal.jsonl", (folder) => openLineFile(join(folder, "journal.jsonl"))],
  ["file", (folder) => withFileLock(join(folder, "a.lock"), () => Promise.resolve())],
  ["lock.json", (folder) => writeLockfile(join(folder, "lock.json"), { lockfileVersion: 1, servers: {} })],
  ["waivers.json", (folder) => writeWaivers(join(folder, "waivers.json"), { $schema: "a", waivers: [] })],
];

/** Even root cannot write below a file. */
test.each(WRITES)("an error names %s, which cannot be written", async (name, write) => {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-failed-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "file"), "");
  await expect(Promise.resolve(join(dir, "file")).then(write)).rejects.toMatchObject({
    code: "FILE_FAILED",
    message: expect.stringMatching(new RegExp(`"${name}" cannot be \\w+: E[A-Z]+: [a-z ]+\\.$`)) as string,
  });
});

// `mkdir` with `recursive` would never return.
const withProc = test.skipIf(!existsSync("/proc/self"));
const folders = ["/proc/mcp-codegen", "/proc/mcp-codegen/file", "/proc/self/fd/mcp-codegen/a/b"];

withProc.each(folders)("no write waits for ever below %s", async (folder) => {
  for (const [name, write] of WRITES)
    await expect(Promise.resolve(folder).then(write), name).rejects.toMatchObject({ code: "FILE_FAILED" });
});

test.skipIf(process.platform === "win32")("a pipe gets the text, and is not replaced", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-failed-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const pipe = join(dir, "pipe");
  execFileSync("mkfifo", [pipe]);
  // Open for both directions, it waits for no other program.
  const reader = await open(pipe, constants.O_RDWR);
  onTestFinished(() => reader.close());
  await writeAtomic(pipe, "text");
  expect((await stat(pipe)).isFIFO()).toBe(true);
  const { buffer, bytesRead } = await reader.read();
  expect(buffer.toString("utf8", 0, bytesRead)).toBe("text");
});

test.skipIf(process.platform === "win32")(
  "a lock does not wait for a pipe or a folder in its place",
  async () => {
    const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-failed-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    execFileSync("mkfifo", [join(dir, "pipe.lock")]);
    await mkdir(join(dir, "folder.lock/inside"), { recursive: true });
    for (const name of ["pipe.lock", "folder.lock"])
      expect(await withFileLock(join(dir, name), () => Promise.resolve(name))).toBe(name);
  },
);

test("a folder is made with those above it, by two at once, and kept", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-failed-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const folder = join(dir, "a/b/c");
  makeFolder(folder, 0o700);
  makeFolder(folder);
  if (process.platform !== "win32") expect((await stat(join(dir, "a"))).mode & 0o777).toBe(0o700);
  await writeFile(join(dir, "file"), "");
  expect(() => {
    makeFolder(join(dir, "file"));
  }).toThrow("EEXIST");
  makeFolder("/");
});
