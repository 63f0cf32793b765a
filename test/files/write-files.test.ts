import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { formatHeader, type GeneratedFile } from "../../src/core/generated-file.js";
import { readGeneratedFolder, UNFINISHED_MARKER } from "../../src/files/output-folder.js";
import { sweepLeftovers, writeAtomic } from "../../src/files/write-atomic.js";
import { writeFiles } from "../../src/files/write-files.js";

let root: string;
let dir: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mcp-codegen-"));
  dir = join(root, "generated");
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

function file(path: string, body = `export const path = ${JSON.stringify(path)};\n`): GeneratedFile {
  return { path, text: formatHeader(body, "0123456789abcdef") };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

async function pathsOnDisk(): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

const read = (path: string): Promise<string> => readFile(join(dir, path), "utf8");

describe("writeFiles", () => {
  it("writes files once", async () => {
    const files = [file("index.ts"), file("shop/get.ts")];
    expect(await writeFiles(dir, files)).toEqual({
      written: ["index.ts", "shop/get.ts"],
      removed: [],
      unchanged: [],
      edited: [],
    });
    const before = await stat(join(dir, "index.ts"));
    expect(await writeFiles(dir, files)).toEqual({
      written: [],
      removed: [],
      unchanged: ["index.ts", "shop/get.ts"],
      edited: [],
    });
    expect((await stat(join(dir, "index.ts"))).mtimeMs).toBe(before.mtimeMs);
    expect(await pathsOnDisk()).toEqual(["generated/index.ts", "generated/shop/get.ts"]);
  });

  it("removes obsolete generated files and folders that become empty", async () => {
    await writeFiles(dir, [file("index.ts"), file("shop/b.ts"), file("wp/c.ts"), file("wp/d.ts")]);
    await put("wp/mine.ts", "export {};\n");
    const result = await writeFiles(dir, [file("index.ts")], { keep: ["wp/d.ts"] });
    expect(result).toEqual({
      written: [],
      removed: ["shop/b.ts", "wp/c.ts"],
      unchanged: ["index.ts", "wp/d.ts"],
      edited: [],
    });
    expect(await pathsOnDisk()).toEqual(["generated/index.ts", "generated/wp/d.ts", "generated/wp/mine.ts"]);
    expect(await readdir(dir)).toEqual(["index.ts", "wp"]);
  });

  it("writes nothing when a file was edited by hand", async () => {
    await writeFiles(dir, [file("a.ts"), file("b.ts")]);
    await put("a.ts", `${file("a.ts").text}// mine\n`);
    await put("b.ts", `${file("b.ts").text}// mine\n`);
    await expect(writeFiles(dir, [file("a.ts", "new"), file("c.ts")])).rejects.toMatchObject({
      code: "FILE_EDITED",
      message: '"a.ts", "b.ts" in the output folder: edited by hand.',
      hint: expect.stringContaining("--force") as string,
    });
    expect(await pathsOnDisk()).toEqual(["generated/a.ts", "generated/b.ts"]);
    expect(await read("a.ts")).toContain("// mine");
    const forced = await writeFiles(dir, [file("a.ts", "new"), file("c.ts")], { force: true });
    expect(forced).toEqual({ written: ["a.ts", "c.ts"], removed: ["b.ts"], unchanged: [], edited: [] });
  });

  it("writes and removes the other files with keepEdited", async () => {
    await writeFiles(dir, [file("a.ts"), file("b.ts"), file("old.ts"), file("Shop/c.ts"), file("d.ts")]);
    const mine = ["a.ts", "b.ts", "Shop/c.ts", "d.ts"];
    for (const path of mine) await put(path, `${file(path).text}// mine\n`);
    const wanted = [file("a.ts", "new"), file("n.ts"), file("shop/c.ts"), file("d.ts/e.ts")];
    expect(await writeFiles(dir, wanted, { keepEdited: true })).toMatchObject({
      written: ["n.ts"],
      removed: ["old.ts"],
      // Obsolete, or the same file as a new one on some file systems.
      edited: ["Shop/c.ts", "a.ts", "b.ts", "d.ts"],
    });
    for (const path of mine) expect(await read(path)).toContain("// mine");
    expect((await pathsOnDisk()).length).toBe(mine.length + 1);
  });

  it("never changes files that were not generated, even with force", async () => {
    await put("a.ts", "export {};\n");
    await expect(writeFiles(dir, [file("a.ts"), file("b.ts")], { force: true })).rejects.toMatchObject({
      code: "FILE_EDITED",
      message: '"a.ts" in the output folder: not generated, and in the way.',
    });
    expect(await pathsOnDisk()).toEqual(["generated/a.ts"]);
    expect(await read("a.ts")).toBe("export {};\n");
  });

  it("accepts other line ends from version control", async () => {
    await put("a.ts", file("a.ts").text.replaceAll("\n", "\r\n"));
    expect(await writeFiles(dir, [file("a.ts")])).toMatchObject({ written: ["a.ts"] });
    expect(await read("a.ts")).toBe(file("a.ts").text);
  });

  it.each([
    "../evil.ts",
    "/evil.ts",
    "a/../../evil.ts",
    "a//b.ts",
    "./a.ts",
    "a\\b.ts",
    "C:evil.ts",
    "a\0.ts",
    "",
    "a/",
  ])("rejects the path %j", async (path) => {
    await expect(writeFiles(dir, [file("ok.ts"), file(path)])).rejects.toMatchObject({ code: "FILE_FAILED" });
    expect(await pathsOnDisk()).toEqual([]);
  });

  it("rejects two paths that differ only in case", async () => {
    await expect(writeFiles(dir, [file("get.ts")], { keep: ["Get.ts"] })).rejects.toMatchObject({
      code: "NAME_COLLISION",
      message: '"get.ts" and "Get.ts" are one file on some file systems.',
    });
  });

  it("renames a file whose name changed only in case, so that its successor is not removed", async () => {
    await writeFiles(dir, [file("Get.ts")]);
    expect(await writeFiles(dir, [file("get.ts")])).toEqual({
      written: ["get.ts"],
      removed: ["Get.ts"],
      unchanged: [],
      edited: [],
    });
    expect(await pathsOnDisk()).toEqual(["generated/get.ts"]);
  });

  it("neither follows nor overwrites a link inside the folder", async () => {
    await mkdir(join(root, "outside"));
    await put("keep.ts", "");
    await symlink(join(root, "outside"), join(dir, "shop"));
    await symlink(join(root, "outside/x.ts"), join(dir, "x.ts"));
    await expect(writeFiles(dir, [file("shop/a.ts")])).rejects.toMatchObject({ code: "FILE_EDITED" });
    await expect(writeFiles(dir, [file("x.ts")])).rejects.toMatchObject({ code: "FILE_EDITED" });
    expect(await readdir(join(root, "outside"))).toEqual([]);
    expect((await lstat(join(dir, "shop"))).isSymbolicLink()).toBe(true);
  });

  it("rejects a folder at the path of a file", async () => {
    await put("a.ts/mine.txt", "");
    await expect(writeFiles(dir, [file("a.ts")])).rejects.toMatchObject({ code: "FILE_EDITED" });
    await mkdir(join(dir, "b.ts"));
    await expect(writeFiles(dir, [file("b.ts")])).rejects.toMatchObject({ code: "FILE_EDITED" });
  });

  it("writes many files at once, each completely", async () => {
    const files = Array.from({ length: 300 }, (_, index) => file(`shop/tool-${index}.ts`));
    await writeFiles(dir, files);
    const found = await readGeneratedFolder(dir);
    expect(found).toHaveLength(300);
    expect(found.every(({ header, isEdited }) => header !== undefined && !isEdited)).toBe(true);
  });

  it("creates the marker before the lock is written, and removes it after the last file", async () => {
    const marker = `generated/${UNFINISHED_MARKER}`;
    const seen: (readonly string[])[] = [];
    const look = async (): Promise<unknown> => seen.push(await pathsOnDisk());
    await writeFiles(dir, [file("a.ts")], { beforeWriting: look });
    expect(seen).toEqual([[marker]]);
    expect(await pathsOnDisk()).toEqual(["generated/a.ts"]);
    // Without a change in the folder, nothing can be interrupted.
    await writeFiles(dir, [file("a.ts")], { beforeWriting: look });
    expect(seen[1]).toEqual(["generated/a.ts"]);
  });

  it("leaves no marker when the lock cannot be written, and removes an earlier marker", async () => {
    const fail = (): Promise<never> => Promise.reject(new Error("disk full"));
    await expect(writeFiles(dir, [file("a.ts")], { beforeWriting: fail })).rejects.toThrow("disk full");
    expect(await pathsOnDisk()).toEqual([]);
    await put(UNFINISHED_MARKER, "");
    await expect(writeFiles(dir, [file("a.ts")], { beforeWriting: fail })).rejects.toThrow("disk full");
    expect(await pathsOnDisk()).toEqual([`generated/${UNFINISHED_MARKER}`]);
    await writeFiles(dir, [file("a.ts")]);
    expect(await pathsOnDisk()).toEqual(["generated/a.ts"]);
  });

  it("fails before the lock is written if the folder is a link to nothing", async () => {
    await symlink(join(root, "nothing/below"), dir);
    const beforeWriting = vi.fn(() => Promise.resolve());
    await expect(writeFiles(dir, [file("a.ts")], { beforeWriting })).rejects.toMatchObject({
      code: "FILE_FAILED",
      message: expect.stringMatching(/^The output folder "generated" cannot be written: /) as string,
    });
    expect(beforeWriting).not.toHaveBeenCalled();
  });

  it("does not follow a link at the path of the marker", async () => {
    await writeFile(join(root, "outside.txt"), "mine");
    await mkdir(dir);
    await symlink(join(root, "outside.txt"), join(dir, UNFINISHED_MARKER));
    await writeFiles(dir, [file("a.ts")]);
    expect(await readFile(join(root, "outside.txt"), "utf8")).toBe("mine");
    expect(await pathsOnDisk()).toEqual(["generated/a.ts", "outside.txt"]);
  });
});

describe("sweepLeftovers", () => {
  it("removes only the leftovers of killed runs, at every place", async () => {
    const abandoned = "999999999-0-1.mcp-codegen-tmp";
    // In a container, an earlier run may have had our process ID.
    const ours = `${process.pid}-${threadId}-999999.mcp-codegen-tmp`;
    const running = `.a.ts.${process.ppid}-0-1.mcp-codegen-tmp`;
    await mkdir(join(root, "linked"));
    await writeFile(join(root, "linked/lock.json"), "");
    await symlink(join(root, "linked/lock.json"), join(root, "lock.json"));
    for (const path of [`.lock.json.${abandoned}`, `linked/.lock.json.${ours}`])
      await writeFile(join(root, path), "half");
    for (const path of [`.index.ts.${abandoned}`, `shop/.a.ts.${abandoned}`, `shop/.a.ts.${ours}`])
      await put(path, "half");
    for (const path of [running, `notes.${abandoned}.txt`, UNFINISHED_MARKER, "shop/a.tmp"])
      await put(path, "");
    await sweepLeftovers([join(root, "lock.json"), join(root, "absent.json")], dir);
    expect(await pathsOnDisk()).toEqual(
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

  it("keeps the files that this process is writing", async () => {
    const writing = Array.from({ length: 20 }, (_, index) => writeAtomic(join(dir, `${index}.ts`), "text"));
    const sweeping = Array.from({ length: 20 }, () => sweepLeftovers([], dir));
    await Promise.all([...writing, ...sweeping]);
    expect(await pathsOnDisk()).toHaveLength(20);
  });
});

describe("readGeneratedFolder", () => {
  it("distinguishes generated, edited and other files", async () => {
    await put("ours.ts", file("ours.ts").text);
    await put("edited.ts", `${file("edited.ts").text}//\n`);
    await put("shop/foreign.ts", "export {};\n");
    await put("notes.md", "# Notes\n");
    await put("node_modules/x/index.ts", file("x").text);
    const digest = expect.stringMatching(/^[0-9a-f]{16}$/) as unknown;
    const ours = { in: "0123456789abcdef", out: digest, code: digest };
    expect(await readGeneratedFolder(dir)).toEqual([
      { path: "edited.ts", header: ours, isEdited: true },
      { path: "notes.md", isEdited: false },
      { path: "ours.ts", header: ours, isEdited: false },
      { path: "shop/foreign.ts", isEdited: false },
    ]);
  });

  it("omits the output folders of other projects, so that their files are never removed", async () => {
    const text = file("any").text;
    for (const path of ["index.ts", "shop/index.ts", "shop/server.ts", "shop/get.ts"]) await put(path, text);
    // Another configuration next to this one, and packages with their own configurations.
    for (const path of ["generated/index.ts", "generated/site/index.ts", "generated/site/server.ts"])
      await put(path, text);
    await put("packages/app/generated/index.ts", text);
    const found = await readGeneratedFolder(dir);
    const ours = found.filter(({ header }) => header !== undefined).map(({ path }) => path);
    expect(ours).toEqual(["index.ts", "shop/get.ts", "shop/index.ts", "shop/server.ts"]);

    await writeFiles(dir, [file("index.ts")]);
    expect(await readFile(join(dir, "generated/index.ts"), "utf8")).toBe(text);
    expect(await readFile(join(dir, "packages/app/generated/index.ts"), "utf8")).toBe(text);
    await expect(readFile(join(dir, "shop/get.ts"), "utf8")).rejects.toThrow("ENOENT");
  });

  it("is empty without a folder, and fails for a file", async () => {
    expect(await readGeneratedFolder(dir)).toEqual([]);
    await writeFile(dir, "");
    await expect(readGeneratedFolder(dir)).rejects.toMatchObject({ code: "FILE_FAILED" });
  });
});

describe("writeAtomic", () => {
  it("keeps the mode of the replaced file, and follows a link to it", async () => {
    const path = join(root, "lock.json");
    await writeFile(path, "old");
    await chmod(path, 0o640);
    await symlink(path, join(root, "link.json"));
    await writeAtomic(join(root, "link.json"), "new");
    expect(await readFile(path, "utf8")).toBe("new");
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect((await lstat(join(root, "link.json"))).isSymbolicLink()).toBe(true);
  });

  it("leaves no files when it fails, and reports why without a path", async () => {
    await mkdir(join(root, "taken"));
    await expect(writeAtomic(join(root, "taken"), "new")).rejects.toMatchObject({
      code: "FILE_FAILED",
      message: expect.stringMatching(/^"taken" cannot be written: E[A-Z]+: [a-z ]+\.$/) as string,
    });
    expect(await readdir(root)).toEqual(["taken"]);
  });

  it("creates missing folders, and writes one file concurrently", async () => {
    const path = join(root, "a/b/c.txt");
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => writeAtomic(path, String(index).repeat(1000))),
    );
    expect(await readFile(path, "utf8")).toMatch(/^(\d+?)\1*$/);
    expect(await readdir(dirname(path))).toEqual(["c.txt"]);
  });
});
