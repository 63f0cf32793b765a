import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { McpCodegenError } from "../../../src/core/errors.js";
import {
  findCommit,
  findObjects,
  getCommit,
  listRevisions,
  readAtCommit,
} from "../../../src/sources/git/git.js";
import { commitAll, git } from "../../e2e/git.js";

let root: string;
let count = 0;
async function makeFolder(): Promise<string> {
  const dir = join(root, String((count += 1)));
  await mkdir(dir);
  return dir;
}

/** A repository with two commits of `sub/a.txt`, and a branch `feature/x` without the second. */
let dir: string;
let first: string;
let second: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "mcp-codegen-git-"));
  dir = await makeFolder();
  await mkdir(join(dir, "sub"));
  await writeFile(join(dir, "sub/a.txt"), "one\n");
  first = await commitAll(dir, "One");
  await git(dir, "branch", "feature/x");
  await writeFile(join(dir, "sub/a.txt"), "two\n");
  second = await commitAll(dir, "Two");
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

async function errorOf(work: Promise<unknown>): Promise<McpCodegenError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (error instanceof McpCodegenError) return error;
  throw new Error("It did not fail as it should.");
}

describe("a git ref", () => {
  it("may be a branch, a tag, a commit, or relative to one", async () => {
    await git(dir, "tag", "v1", first);
    for (const ref of ["feature/x", "v1", "HEAD~1", "main^", first, first.slice(0, 9)])
      expect(await getCommit(dir, ref)).toBe(first);
    expect(await getCommit(join(dir, "sub"), "HEAD")).toBe(second);
  });

  it("is found from another work tree", async () => {
    const beside = join(await makeFolder(), "beside");
    await git(dir, "worktree", "add", "--quiet", "--detach", beside, "feature/x");
    const commit = await getCommit(join(beside, "sub"), "HEAD");
    expect(commit).toBe(first);
    expect(await readAtCommit(join(beside, "sub"), commit, "./a.txt")).toBe("one\n");
  });

  it("is found in a subfolder during a git hook", async () => {
    process.env["GIT_DIR"] = ".git";
    process.env["GIT_PREFIX"] = "";
    onTestFinished(() => {
      delete process.env["GIT_DIR"];
      delete process.env["GIT_PREFIX"];
    });
    const commit = await getCommit(join(dir, "sub"), "HEAD");
    expect(commit).toBe(second);
    expect(await readAtCommit(join(dir, "sub"), commit, "./a.txt")).toBe("two\n");
  });

  it.each(["--all", "-h", "--output=stolen", "", "a\0b"])(
    "is never read as an option of git: %j",
    async (ref) => {
      expect(await findCommit(dir, ref)).toBeUndefined();
      expect(await errorOf(getCommit(dir, ref))).toMatchObject({ code: "REF_UNKNOWN", exitCode: 2 });
      expect(await git(dir, "status", "--porcelain")).toBe("");
    },
  );

  it("that does not exist is reported with alternatives", async () => {
    const error = await errorOf(getCommit(dir, "nowhere"));
    expect(error).toMatchObject({ code: "REF_UNKNOWN", message: 'This git repository has no "nowhere".' });
    expect(error.hint).toContain("HEAD~1");
  });

  it("in a repository without a commit is refused without names of commits", async () => {
    const empty = await makeFolder();
    await git(empty, "init", "--quiet");
    const error = await errorOf(getCommit(empty, "HEAD"));
    expect(error.hint).toBe("It has no commit yet. Commit the lock, or name a file.");
  });

  it("that only the remote has is suggested", async () => {
    const clone = join(await makeFolder(), "clone");
    await git(dir, "clone", "--quiet", dir, clone);
    const error = await errorOf(getCommit(clone, "feature/x"));
    expect(error.hint).toBe('It has "origin/feature/x".');
  });

  it("in a repository of another user is refused with the command that allows it", async () => {
    vi.stubEnv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const work of [() => getCommit(dir, "main"), () => listRevisions(dir, "sub/a.txt")]) {
      const { message, hint } = await errorOf(work());
      expect(message).toMatch(/: detected dubious ownership in repository at '.*'\.$/);
      expect(hint).toMatch(/^If you trust it, run "git config --global --add safe\.directory '.*'"\.$/);
    }
  });

  it("outside of a repository fails with the message of git in one line", async () => {
    const error = await errorOf(getCommit(await makeFolder(), "main"));
    expect(error).toMatchObject({ code: "GIT_FAILED", exitCode: 2 });
    expect(error.message).toMatch(/^"main" cannot be resolved: not a git repository.*\.$/);
    expect(error.message).not.toContain("\n");
  });

  it("without git is an error", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = dir;
    onTestFinished(() => {
      process.env["PATH"] = path;
    });
    expect(await errorOf(getCommit(dir, "main"))).toMatchObject({
      code: "GIT_FAILED",
      message: "git could not be started: it is not on the PATH.",
    });
  });
});

describe("in a shallow clone", () => {
  it.each([
    ["origin/feature/x", "origin/feature/x"],
    ["feature/x", "origin/feature/x"],
    ["HEAD~1", "HEAD~1"],
    ["a commit", "a commit"],
  ])("a missing %s is explained, and the suggested command fetches it", async (named, then) => {
    await git(dir, "config", "uploadpack.allowAnySHA1InWant", "true");
    const clone = join(await makeFolder(), "clone");
    await git(dir, "clone", "--quiet", "--depth=1", `file://${dir}`, clone);
    const ref = named.replace("a commit", first);
    const error = await errorOf(getCommit(clone, ref));
    expect(error.message).toBe(`This clone is shallow and does not have "${ref}".`);
    expect(error.hint).toContain('"fetch-depth: 0"');
    const [, command = ""] = /^Run "git ([^"]+)"/.exec(error.hint ?? "") ?? [];
    await git(clone, ...command.split(" "));
    expect(await getCommit(clone, then.replace("a commit", first))).toBe(first);
  });
});

describe("a file at a commit", () => {
  it("is found relative to the root and to the folder", async () => {
    expect(await readAtCommit(join(dir, "sub"), first, "sub/a.txt")).toBe("one\n");
    expect(await readAtCommit(join(dir, "sub"), first, "./a.txt")).toBe("one\n");
    expect(await readAtCommit(join(dir, "sub"), first, "../sub/a.txt")).toBe("one\n");
    expect(await readAtCommit(dir, first, "a.txt")).toBeUndefined();
  });

  it("that is a folder is rejected", async () => {
    expect(await errorOf(readAtCommit(dir, first, "sub"))).toMatchObject({ code: "GIT_FAILED" });
  });

  it("is read at any size", async () => {
    const text = "x".repeat(3_000_000);
    await writeFile(join(dir, "big.txt"), text);
    expect(await readAtCommit(dir, await commitAll(dir), "big.txt")).toBe(text);
  });
});

describe("the objects of files", () => {
  it("are found in a subfolder, behind a link to it, and in a linked working tree", async () => {
    const beside = join(await makeFolder(), "beside");
    await git(dir, "worktree", "add", "--quiet", "--detach", beside, "feature/x");
    const link = join(await makeFolder(), "link");
    await symlink(join(dir, "sub"), link, "junction");
    const names = [`${first}:./a.txt`, "HEAD:./gone.txt"];
    const [blob] = await findObjects(join(dir, "sub"), names);
    expect(blob).toMatch(/^[0-9a-f]{40}$/);
    expect(await findObjects(link, names)).toEqual([blob, undefined]);
    expect(await findObjects(join(beside, "sub"), ["HEAD:./a.txt"])).toEqual([blob]);
  });

  it("do not exist outside a repository, where git is not started", async () => {
    expect(await findObjects(await makeFolder(), ["HEAD:./a.txt"])).toEqual([undefined]);
    expect(await findObjects("/gone", ["HEAD:./a.txt"])).toEqual([undefined]);
  });
});
