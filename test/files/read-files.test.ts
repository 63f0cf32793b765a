import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  findBounded,
  findFiles,
  findUpTo,
  listJsonFiles,
  readBounded,
  readStreamBounded,
} from "../../src/files/read-files.js";
import { runCommand } from "../cli/run-command.js";
import { makeFolder, put } from "./folder.js";

const isWindows = process.platform === "win32";

describe("reading up to a limit", () => {
  let dir: string;
  beforeEach(() => {
    dir = makeFolder();
  });

  it("lists the files of a folder that end so, sorted, without hidden files, packages and links", async () => {
    const folder = join(dir, "listed");
    const others = ["c.ts", ".d.json", "node_modules/e.json", "a/node_modules/f.json"];
    for (const path of ["b.json", "a/z.json", "a/a.json", ...others]) put(folder, { [path]: "" });
    symlinkSync("b.json", join(folder, "link.json"));
    symlinkSync("a", join(folder, "linked"));
    const names = ["a/a.json", "a/z.json", "b.json"];
    expect(await listJsonFiles(folder)).toEqual(names.map((name) => join(folder, name)));
    expect(await listJsonFiles(join(dir, "missing"))).toEqual([]);
  });

  it("returns the bytes of a file within the limit", async () => {
    const path = join(dir, "small.json");
    writeFileSync(path, "12345");
    expect(String(await readBounded(path, { limit: 5 }))).toBe("12345");
    expect([await findUpTo(path, 5), await findUpTo(path, 4)]).toEqual([Buffer.from("12345"), "too large"]);
    expect(await findUpTo(join(dir, "missing.json"), 5)).toBeUndefined();
  });

  it("rejects a file by its size", async () => {
    put(dir, { "large.json": "123456" });
    await expect(readBounded(join(dir, "large.json"), { limit: 5 })).rejects.toThrow(
      '"large.json" holds more than',
    );
  });

  it.skipIf(isWindows)("reads a pipe", async () => {
    const path = join(dir, "pipe");
    execFileSync("mkfifo", [path]);
    const writing = import("node:fs/promises").then(({ writeFile }) => writeFile(path, "[]"));
    expect(String(await readBounded(path))).toBe("[]");
    await writing;
  });

  it.skipIf(isWindows)("does not wait for a pipe in place of a file that it looks for", async () => {
    const path = join(dir, "waiting");
    execFileSync("mkfifo", [path]);
    await expect(findBounded(path)).rejects.toMatchObject({
      code: "FILE_FAILED",
      message: '"waiting" cannot be read: it is neither a file nor a folder.',
    });
    await expect(findUpTo("/dev/zero", 5)).rejects.toMatchObject({ code: "FILE_FAILED" });
  });

  const SLASHES = ["a//", "a//b", "//", "http://", " //", "a/..//", "{a//,b}", "/", "!a//"];
  it.each([...SLASHES, "", "[", "(", "@(", "\0"])("finds no files for the pattern %j", async (pattern) => {
    expect(await findFiles(dir, [pattern])).toEqual([]);
  });

  it("refuses a pattern that is too long to be one, and names it", async () => {
    await expect(findFiles(dir, ["x".repeat(70_000)])).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringMatching(/^No files can be found for the pattern "x{79}…": /) as string,
    });
  });

  it.skipIf(isWindows)("rejects an endless device", async () => {
    await expect(readBounded("/dev/zero", { limit: 3_000_000 })).rejects.toThrow('"zero" holds more than');
  });

  it("reads a stream to its end, and rejects an endless one", async () => {
    const bytes = Buffer.from('{"name":"Zoë"}');
    const pieces = [bytes.subarray(0, 12), bytes.subarray(12)];
    expect(await readStreamBounded(Readable.from(pieces), "stdin")).toBe('{"name":"Zoë"}');
    const endless = Readable.from(
      (function* () {
        for (;;) yield "x".repeat(1_000);
      })(),
    );
    await expect(readStreamBounded(endless, "stdin", 5_000)).rejects.toThrow(
      "stdin holds more than 5000 bytes.",
    );
  });

  it.skipIf(isWindows)("makes diff report it", async () => {
    writeFileSync(join(dir, "list.json"), '{"tools":[]}');
    const { exitCode, stderr } = await runCommand(["diff", "list.json", "/dev/zero"], { cwd: dir });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"zero" holds more than 256 MiB, the limit for one file.');
    expect(stderr).toContain("Check that the path names a saved tool list or a lockfile.");
  });
});
