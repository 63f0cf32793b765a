import { execFileSync } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { beforeEach, describe, expect, test } from "vitest";
import { onTestFinished } from "vitest";
import { withFileLock } from "../../src/files/file-lock.js";
import { openLineFile } from "../../src/files/line-file.js";
import { markUnfinished, UNFINISHED_MARKER } from "../../src/files/output-folder.js";
import { writeLockfile, writeWaivers } from "../../src/files/project-records.js";
import {
  appendText,
  ensureLine,
  makeFolder as makeFolders,
  sweepLeftovers,
  writeAtomic,
  writeManyAtomic,
} from "../../src/files/write-atomic.js";
import { makeFolder, pathsIn, put } from "./folder.js";

let root: string;
beforeEach(() => {
  root = makeFolder();
});

describe("sweepLeftovers", () => {
  test("removes only the leftovers of killed runs, at every place", async () => {
    const abandoned = "999999999-0-1.mcp-codegen-tmp";
    // In a container, an earlier run may have had our process ID.
    const ours = `${process.pid}-${threadId}-999999.mcp-codegen-tmp`;
    const running = `.a.ts.${process.ppid}-0-1.mcp-codegen-tmp`;
    put(root, { "linked/lock.json": "" });
    await symlink(join(root, "linked/lock.json"), join(root, "lock.json"));
    put(root, { [`.lock.json.${abandoned}`]: "half", [`linked/.lock.json.${ours}`]: "half" });
    for (const path of [`.index.ts.${abandoned}`, `shop/.a.ts.${abandoned}`, `shop/.a.ts.${ours}`])
      put(root, { [`generated/${path}`]: "half" });
    for (const path of [running, `notes.${abandoned}.txt`, UNFINISHED_MARKER, "shop/a.tmp"])
      put(root, { [`generated/${path}`]: "" });
    await sweepLeftovers([join(root, "lock.json"), join(root, "absent.json")], join(root, "generated"));
    expect(pathsIn(root)).toEqual(
      [
        `generated/${running}`,
        `generated/${UNFINISHED_MARKER}`,
        `generated/notes.${abandoned}.txt`,
        "generated/shop/a.tmp",
        "linked/lock.json",
        "lock.json",
      ].sort(),
    );
  });

  test("keeps the files that this process is writing", async () => {
    const writing = Array.from({ length: 20 }, (_, index) =>
      writeAtomic(join(root, "generated", `${index}.ts`), "text"),
    );
    const sweeping = Array.from({ length: 20 }, () => sweepLeftovers([], join(root, "generated")));
    await Promise.all([...writing, ...sweeping]);
    expect(pathsIn(root)).toHaveLength(20);
  });
});

describe("writeAtomic", () => {
  test("keeps the mode of the replaced file, and follows a link to it", async () => {
    const path = join(root, "lock.json");
    await writeFile(path, "old");
    await chmod(path, 0o640);
    await symlink(path, join(root, "link.json"));
    await writeAtomic(join(root, "link.json"), "new");
    expect(await readFile(path, "utf8")).toBe("new");
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await lstat(join(root, "link.json"))).isSymbolicLink()).toBe(true);
  });

  test("leaves no files when it fails, and reports why without a path", async () => {
    await mkdir(join(root, "taken"));
    await expect(writeAtomic(join(root, "taken"), "new")).rejects.toMatchObject({
      code: "FILE_FAILED",
      message: expect.stringMatching(/^"taken" cannot be written: E[A-Z]+: [a-z ]+\.$/) as string,
    });
    expect(await readdir(root)).toEqual(["taken"]);
  });

  test("creates missing folders, and writes one file concurrently", async () => {
    const path = join(root, "a/b/c.txt");
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => writeAtomic(path, String(index).repeat(1000))),
    );
    expect(await readFile(path, "utf8")).toMatch(/^(\d+?)\1*$/);
    expect(await readdir(dirname(path))).toEqual(["c.txt"]);
  });
});

describe("ensureLine", () => {
  test.each([
    ["", ".env.local\n"],
    ["dist", "dist\n.env.local\n"],
    ["dist\n", "dist\n.env.local\n"],
    ["dist\r\n .env.local \r\n", undefined],
    [".env.local.old\n", ".env.local.old\n.env.local\n"],
  ])("adds a line to %j", async (before, after) => {
    const path = join(root, ".gitignore");
    if (before !== "") await writeFile(path, before);
    expect(await ensureLine(path, ".env.local")).toBe(after !== undefined);
    expect(await readFile(path, "utf8")).toBe(after ?? before);
  });

  test.each(["other", "gone"])("does not add a line through a symbolic link to %s", async (target) => {
    put(root, { other: "kept\n" });
    await symlink(target, join(root, ".gitignore"));
    await expect(ensureLine(join(root, ".gitignore"), ".env.local")).rejects.toMatchObject({
      code: "FILE_FAILED",
      message: '".gitignore" is a symbolic link, which git does not follow.',
      hint: "Replace it with a file that has the line .env.local",
    });
    expect(await readFile(join(root, "other"), "utf8")).toBe("kept\n");
  });
});

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
  await writeFile(join(root, "file"), "");
  await expect(Promise.resolve(join(root, "file")).then(write)).rejects.toMatchObject({
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
  const pipe = join(root, "pipe");
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
    execFileSync("mkfifo", [join(root, "pipe.lock")]);
    await mkdir(join(root, "folder.lock/inside"), { recursive: true });
    for (const name of ["pipe.lock", "folder.lock"])
      expect(await withFileLock(join(root, name), () => Promise.resolve(name))).toBe(name);
  },
);

test("a folder is made with those above it, by two at once, and kept", async () => {
  const folder = join(root, "a/b/c");
  makeFolders(folder, 0o700);
  makeFolders(folder);
  if (process.platform !== "win32") expect((await stat(join(root, "a"))).mode & 0o777).toBe(0o700);
  await writeFile(join(root, "file"), "");
  expect(() => {
    makeFolders(join(root, "file"));
  }).toThrow("EEXIST");
  makeFolders("/");
});
