import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { formatHeader, type GeneratedFile } from "../../src/core/generated-file.js";
import { readGeneratedFolder, UNFINISHED_MARKER } from "../../src/files/output-folder.js";
import { refuseEdited, writeFiles } from "../../src/files/write-files.js";
import { makeFolder, pathsIn, put as putFiles } from "./folder.js";

let root: string;
let dir: string;
beforeEach(() => {
  root = makeFolder();
  dir = join(root, "generated");
});

function file(path: string, body = `export const path = ${JSON.stringify(path)};\n`): GeneratedFile {
  return { path, text: formatHeader(body, "0123456789abcdef") };
}
const put = (path: string, text: string): void => {
  putFiles(dir, { [path]: text });
};
const pathsOnDisk = (): readonly string[] => pathsIn(root);
const read = (path: string): Promise<string> => readFile(join(dir, path), "utf8");
/** What `writeFiles` returns. */
const result = (parts: object): object => ({ written: [], removed: [], unchanged: [], edited: [], ...parts });

describe("writeFiles", () => {
  it("writes files once", async () => {
    const files = [file("index.ts"), file("shop/get.ts")];
    expect(await writeFiles(dir, files)).toEqual(result({ written: ["index.ts", "shop/get.ts"] }));
    const before = await stat(join(dir, "index.ts"));
    expect(await writeFiles(dir, files)).toEqual(result({ unchanged: ["index.ts", "shop/get.ts"] }));
    expect((await stat(join(dir, "index.ts"))).mtimeMs).toBe(before.mtimeMs);
    expect(pathsOnDisk()).toEqual(["generated/index.ts", "generated/shop/get.ts"]);
  });

  it("removes obsolete generated files and folders that become empty", async () => {
    await writeFiles(dir, [file("index.ts"), file("shop/b.ts"), file("wp/c.ts"), file("wp/d.ts")]);
    put("wp/mine.ts", "export {};\n");
    expect(await writeFiles(dir, [file("index.ts")], { keep: ["wp/d.ts"] })).toEqual(
      result({ removed: ["shop/b.ts", "wp/c.ts"], unchanged: ["index.ts", "wp/d.ts"] }),
    );
    expect(pathsOnDisk()).toEqual(["generated/index.ts", "generated/wp/d.ts", "generated/wp/mine.ts"]);
    expect(await readdir(dir)).toEqual(["index.ts", "wp"]);
  });

  it("writes nothing when a file was edited by hand", async () => {
    await writeFiles(dir, [file("a.ts"), file("b.ts")]);
    put("a.ts", `${file("a.ts").text}// mine\n`);
    put("b.ts", `${file("b.ts").text}// mine\n`);
    await expect(writeFiles(dir, [file("a.ts", "new"), file("c.ts")])).rejects.toMatchObject({
      code: "FILE_EDITED",
      message: '"a.ts", "b.ts" in the output folder: edited by hand.',
      hint: expect.stringContaining("--force") as string,
    });
    expect(pathsOnDisk()).toEqual(["generated/a.ts", "generated/b.ts"]);
    expect(await read("a.ts")).toContain("// mine");
    const forced = await writeFiles(dir, [file("a.ts", "new"), file("c.ts")], { force: true });
    expect(forced).toEqual(result({ written: ["a.ts", "c.ts"], removed: ["b.ts"] }));
  });

  it("writes and removes the other files with keepEdited", async () => {
    await writeFiles(dir, [file("a.ts"), file("b.ts"), file("old.ts"), file("Shop/c.ts"), file("d.ts")]);
    const mine = ["a.ts", "b.ts", "Shop/c.ts", "d.ts"];
    for (const path of mine) put(path, `${file(path).text}// mine\n`);
    const wanted = [file("a.ts", "new"), file("n.ts"), file("shop/c.ts"), file("d.ts/e.ts")];
    expect(await writeFiles(dir, wanted, { keepEdited: true })).toMatchObject({
      written: ["n.ts"],
      removed: ["old.ts"],
      // Obsolete, or the same file as a new one on some file systems.
      edited: ["Shop/c.ts", "a.ts", "b.ts", "d.ts"],
    });
    for (const path of mine) expect(await read(path)).toContain("// mine");
    expect(pathsOnDisk()).toHaveLength(mine.length + 1);
  });

  it("never changes files that were not generated, even with force", async () => {
    put("a.ts", "export {};\n");
    await expect(writeFiles(dir, [file("a.ts"), file("b.ts")], { force: true })).rejects.toMatchObject({
      code: "FILE_EDITED",
      message: '"a.ts" in the output folder: not generated, and in the way.',
    });
    expect(pathsOnDisk()).toEqual(["generated/a.ts"]);
    expect(await read("a.ts")).toBe("export {};\n");
  });

  it("accepts other line ends from version control", async () => {
    put("a.ts", file("a.ts").text.replaceAll("\n", "\r\n"));
    expect(await writeFiles(dir, [file("a.ts")])).toMatchObject({ written: ["a.ts"] });
    expect(await read("a.ts")).toBe(file("a.ts").text);
  });

  const EVIL = [
    "../evil.ts",
    "/evil.ts",
    "a/../../evil.ts",
    "a//b.ts",
    "./a.ts",
    "a\\b.ts",
    "C:evil.ts",
    "a\0.ts",
  ];
  it.each([...EVIL, "", "a/"])("rejects the path %j", async (path) => {
    await expect(writeFiles(dir, [file("ok.ts"), file(path)])).rejects.toMatchObject({ code: "FILE_FAILED" });
    expect(pathsOnDisk()).toEqual([]);
  });

  it("rejects two paths that differ only in case", async () => {
    await expect(writeFiles(dir, [file("get.ts")], { keep: ["Get.ts"] })).rejects.toMatchObject({
      code: "NAME_COLLISION",
      message: '"get.ts" and "Get.ts" are one file on some file systems.',
    });
  });

  it("renames a file whose name changed only in case, so that its successor is not removed", async () => {
    await writeFiles(dir, [file("Get.ts")]);
    expect(await writeFiles(dir, [file("get.ts")])).toEqual(
      result({ written: ["get.ts"], removed: ["Get.ts"] }),
    );
    expect(pathsOnDisk()).toEqual(["generated/get.ts"]);
  });

  it("neither follows nor overwrites a link inside the folder", async () => {
    await mkdir(join(root, "outside"));
    put("keep.ts", "");
    await symlink(join(root, "outside"), join(dir, "shop"));
    await symlink(join(root, "outside/x.ts"), join(dir, "x.ts"));
    await expect(writeFiles(dir, [file("shop/a.ts")])).rejects.toMatchObject({ code: "FILE_EDITED" });
    await expect(writeFiles(dir, [file("x.ts")])).rejects.toMatchObject({ code: "FILE_EDITED" });
    expect(await readdir(join(root, "outside"))).toEqual([]);
    expect((await lstat(join(dir, "shop"))).isSymbolicLink()).toBe(true);
  });

  it("rejects a folder at the path of a file", async () => {
    put("a.ts/mine.txt", "");
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
    const look = (): Promise<unknown> => Promise.resolve(seen.push(pathsOnDisk()));
    await writeFiles(dir, [file("a.ts")], { beforeWriting: look });
    expect(seen).toEqual([[marker]]);
    expect(pathsOnDisk()).toEqual(["generated/a.ts"]);
    // Without a change in the folder, nothing can be interrupted.
    await writeFiles(dir, [file("a.ts")], { beforeWriting: look });
    expect(seen[1]).toEqual(["generated/a.ts"]);
  });

  it("leaves no marker when the lock cannot be written, and removes an earlier marker", async () => {
    const fail = (): Promise<never> => Promise.reject(new Error("disk full"));
    await expect(writeFiles(dir, [file("a.ts")], { beforeWriting: fail })).rejects.toThrow("disk full");
    expect(pathsOnDisk()).toEqual([]);
    put(UNFINISHED_MARKER, "");
    await expect(writeFiles(dir, [file("a.ts")], { beforeWriting: fail })).rejects.toThrow("disk full");
    expect(pathsOnDisk()).toEqual([`generated/${UNFINISHED_MARKER}`]);
    await writeFiles(dir, [file("a.ts")]);
    expect(pathsOnDisk()).toEqual(["generated/a.ts"]);
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
    expect(pathsOnDisk()).toEqual(["generated/a.ts", "outside.txt"]);
  });
});

const EDITED: readonly (readonly [edited: number, written: number, removed: number, message: string])[] = [
  [1, 0, 0, '"0" in the output folder: edited by hand. The other files are up to date.'],
  [5, 1, 0, '"0", "1", "2", "3", "4" in the output folder: edited by hand. The other files are up to date (1 written).'],
  [6, 1, 2, '"0", "1", "2", "3", "4" and 1 more in the output folder: edited by hand. The other files are up to date (1 written, 2 removed).'],
]; // prettier-ignore

it.each(EDITED)(
  "refuses %i edited files, beside %i written and %i removed ones",
  (edited, written, removed, message) => {
    const names = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));
    const others = { written: names(written), removed: names(removed) };
    expect(() => {
      refuseEdited(names(edited), others);
    }).toThrow(expect.objectContaining({ message }));
  },
);
