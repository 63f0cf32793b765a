/** The branches of mode upgrade, with a program of the test in place of mcp-codegen. */
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { makeStubScratch, type Scratch } from "./run-action.js";

const actionFile = (name: string): string => new URL(`../../action/${name}`, import.meta.url).href;
const { branchOf } = (await import(actionFile("branch.js"))) as {
  branchOf: (
    job: { place: string },
    of: { server: string; base: { branch: string; isDefault: boolean } },
  ) => string;
};
const NIGHTLY = { name: "schedule" };
const UPGRADE = { mode: "upgrade" };

/** Pulls what `node_modules/next.json` has, and notes its commands beside it. */
const PROGRAM = `
const { appendFileSync, copyFileSync, existsSync, writeFileSync } = require("node:fs");
const [command, ...rest] = process.argv.slice(2);
appendFileSync("node_modules/commands.txt", command + " " + rest.join(" ") + "\\n");
const lock = "mcp-codegen.lock.json";
const server = { server: "shop", status: existsSync(lock) ? "changed" : "new", after: "2.0.0", heldTools: [], heldEntries: [] };
if (command === "pull" && rest.includes("--dry-run")) console.log(JSON.stringify({ servers: [server] }));
else if (command === "pull") copyFileSync("node_modules/next.json", lock);
else if (command === "diff") writeFileSync(rest.at(-1).replace("markdown=", ""), "One change\\n");
`;

async function begin(files: { readonly [path: string]: string }): Promise<Scratch> {
  const scratch = await makeStubScratch(PROGRAM, files);
  await scratch.write("node_modules/next.json", "1");
  return scratch;
}

const LOCKED = { "mcp-codegen.lock.json": "0" };

it("generate the code after the edits, run no hooks, and are made again for another contract", async () => {
  const { act, dir, remote, service, write } = await begin(LOCKED);
  await mkdir(join(dir, ".git/hooks"), { recursive: true });
  for (const hook of ["pre-commit", "commit-msg", "pre-push", "post-checkout"]) {
    const path = join(dir, ".git/hooks", hook);
    await writeFile(
      path,
      `#!/bin/sh\necho ran >> ${JSON.stringify(join(dir, "node_modules/hooks.txt"))}\nexit 1\n`,
    );
    await chmod(path, 0o755);
  }
  const first = await act(UPGRADE, NIGHTLY);
  expect(first.exitCode, first.log).toBe(0);
  await expect(readFile(join(dir, "node_modules/hooks.txt"))).rejects.toThrow("ENOENT");
  const commands = await readFile(join(dir, "node_modules/commands.txt"), "utf8");
  expect(Array.from(commands.matchAll(/^\w+/gm), ([word]) => word)).toEqual([
    ...["pull", "pull", "fix", "generate", "diff"],
  ]);
  await write("node_modules/next.json", "2");
  await act(UPGRADE, NIGHTLY);
  expect(await git(remote, "show", "mcp-codegen/shop:mcp-codegen.lock.json")).toBe("2");
  expect(await git(remote, "rev-list", "--count", "main..mcp-codegen/shop")).toBe("1");
  expect(service.pulls).toHaveLength(1);
});

it("are left alone if a person committed below the Action's commit", async () => {
  const { act, dir, remote, write } = await begin(LOCKED);
  await act(UPGRADE, NIGHTLY);
  const clone = `${dir}-clone`;
  await git(dir, "clone", "--quiet", "--branch", "mcp-codegen/shop", remote, clone);
  const [tree, message] = [
    await git(clone, "rev-parse", "HEAD^{tree}"),
    await git(clone, "log", "-1", "--format=%B"),
  ];
  const committer = await git(clone, "log", "-1", "--format=%ce");
  const own = await git(clone, "commit-tree", "HEAD^{tree}", "-p", "HEAD^", "-m", "Write a test");
  const above = await git(
    clone,
    ...["-c", `user.email=${committer}`, "commit-tree", tree, "-p", own, "-m", message],
  );
  await git(clone, "push", "--quiet", "--force", "origin", `${above}:refs/heads/mcp-codegen/shop`);
  await rm(clone, { recursive: true });
  await write("node_modules/next.json", "2");
  const { log } = await act(UPGRADE, NIGHTLY);
  expect(log).toContain("mcp-codegen/shop has commits of others, so it was not updated.");
  expect(await git(remote, "rev-parse", "mcp-codegen/shop")).toBe(above);
});

it("propose the first lock of a project", async () => {
  const { act, service } = await begin({});
  const { exitCode, log } = await act(UPGRADE, NIGHTLY);
  expect(exitCode, log).toBe(0);
  expect(service.pulls).toMatchObject([{ head: "mcp-codegen/shop", title: "Lock the MCP server shop" }]);
  expect(service.pulls[0]?.body).toContain("This is the first lock of the project.");
});

it("have names that git accepts, and that are different for each server, folder and base", async () => {
  const { dir } = await begin({});
  const names = ["shop", "sh.op", "sh-op", "a@b", "a/b", "a+b", "é", "🙂", "x.lock", "=2e"];
  const branches = names.flatMap((server) =>
    [".", "apps/web", "shop", "a.b"].flatMap((place) =>
      ["main", "v1.x", "shop"].map((branch) =>
        branchOf({ place }, { server, base: { branch, isDefault: branch === "main" } }),
      ),
    ),
  );
  expect(branches).toContain("mcp-codegen/shop");
  expect(branches).toContain("mcp-codegen/shop@apps+web@v1=2ex");
  expect(new Set(branches).size).toBe(branches.length);
  // A branch cannot be the folder of another.
  expect(branches.filter((branch) => branch.split("/").length !== 2)).toEqual([]);
  await git(dir, "fetch", "--quiet", ".", ...branches.map((one) => `HEAD:refs/heads/${one}`));
});

describe("of two bases", () => {
  const onRelease = { ...NIGHTLY, ref: "refs/heads/release" };
  const heads = ({ service }: Scratch): readonly string[][] =>
    service.pulls.map(({ head, base }) => [head, base]);

  it("have different names, of which git says which base is the default", async () => {
    const scratch = await begin(LOCKED);
    await git(scratch.remote, "branch", "release");
    await scratch.act(UPGRADE, NIGHTLY);
    await scratch.act(UPGRADE, onRelease);
    const expected = [
      ["mcp-codegen/shop", "main"],
      ["mcp-codegen/shop@@release", "release"],
    ];
    expect(heads(scratch)).toEqual(expected);
    // An event may be of another opinion, or of none.
    const payload = { repository: { default_branch: "release" } };
    await scratch.act(UPGRADE, { ...onRelease, payload });
    expect(heads(scratch)).toEqual(expected);
  });

  it("both have the base in their name if the remote has no default branch", async () => {
    const scratch = await begin(LOCKED);
    await git(scratch.remote, "branch", "release");
    await git(scratch.remote, "update-ref", "--no-deref", "HEAD", "refs/heads/main");
    await scratch.act(UPGRADE, NIGHTLY);
    await scratch.act(UPGRADE, onRelease);
    expect(heads(scratch)).toEqual([
      ["mcp-codegen/shop@@main", "main"],
      ["mcp-codegen/shop@@release", "release"],
    ]);
  });

  it("are not made while the remote cannot be asked: another name would be another pull request", async () => {
    const { act, service } = await begin(LOCKED);
    const { log } = await act({ ...UPGRADE, token: "" }, NIGHTLY);
    expect(log).toMatch(/^::error title=mcp-codegen::git ls-remote failed: /m);
    expect(log).not.toContain("::group::");
    expect(service.writes).toEqual([]);
  });
});
