/** The branches of mode upgrade, with a program of the test in place of mcp-codegen. */
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { TOKEN } from "./hosting-service.js";
import { prepareStub, type Scratch } from "./run-action.js";

const actionFile = (name: string): string => new URL(`../../action/${name}`, import.meta.url).href;
const { branchOf } = (await import(actionFile("branch.js"))) as {
  branchOf: (
    job: { place: string },
    of: { server: string; base: { branch: string; isDefault: boolean } },
  ) => string;
};
const NIGHTLY = { name: "schedule" };
const UPGRADE = { mode: "upgrade" };

/**
 * Locks what the servers list: a text for each server in `node_modules/servers.json`. The arguments of each command are
 * a line of `node_modules/commands.txt`.
 */
const PROGRAM = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const [command, ...args] = process.argv.slice(2);
appendFileSync("node_modules/commands.txt", command + " " + args.join(" ") + "\\n");
const path = "mcp-codegen.lock.json";
const lock = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
const servers = JSON.parse(readFileSync("node_modules/servers.json", "utf8"));
const statusOf = (name) => lock === undefined ? "new" : lock[name] === servers[name] ? "unchanged" : "changed";
if (command === "pull" && args.includes("--dry-run")) {
  const report = Object.keys(servers).map((server) => ({ server, status: statusOf(server), after: servers[server] }));
  console.log(JSON.stringify({ servers: report }));
} else if (command === "pull") writeFileSync(path, JSON.stringify({ ...lock, [args[0]]: servers[args[0]] }));
else if (command === "diff") writeFileSync(args.at(-1).replace("markdown=", ""), "A change of " + args[2] + "\\n");
`;

const LOCK = "mcp-codegen.lock.json";
const make = prepareStub(PROGRAM, { [LOCK]: '{"shop":"1.0.0","mail":"1.0.0"}' });

interface Serving extends Scratch {
  /** Changes what the servers list. */
  readonly serve: (servers: { readonly [name: string]: string }) => Promise<void>;
}

async function begin(servers: { readonly [name: string]: string } = { shop: "2.0.0" }): Promise<Serving> {
  const scratch = await make();
  const serve: Serving["serve"] = (listed) =>
    scratch.write("node_modules/servers.json", JSON.stringify(listed));
  await serve(servers);
  return { ...scratch, serve };
}

/** Clones a branch of the remote, and pushes what a person does in it. */
async function edit(
  { dir, remote }: Scratch,
  branch: string,
  change: (clone: string) => Promise<string>,
): Promise<string> {
  const clone = `${dir}-clone`;
  await git(dir, "clone", "--quiet", "--branch", branch, remote, clone);
  const commit = await change(clone);
  await git(clone, "push", "--quiet", "--force", "origin", `${commit}:refs/heads/${branch}`);
  await rm(clone, { recursive: true });
  return commit;
}

it("are made for each changed server, kept up to date, and deleted when nothing is left", async () => {
  const scratch = await begin({ shop: "1.0.0", mail: "1.0.0" });
  const { act, dir, remote, serve, service } = scratch;
  const tip = (branch: string): Promise<string> => git(remote, "rev-parse", branch);
  expect((await act(UPGRADE, NIGHTLY)).outputs).toMatchObject({ "exit-code": "0", "pull-requests": "" });
  expect(service.writes).toEqual([]);

  // What a checkout with its own token leaves behind must not be sent a second time.
  const header = [`http.${service.url}/.extraheader`, "AUTHORIZATION: basic c29tZTpvdGhlcg=="];
  await git(dir, "config", ...header);
  await serve({ shop: "2.0.0", mail: "1.1.0" });
  const main = await tip("main");
  const first = await act(UPGRADE, NIGHTLY);
  expect(first.exitCode, first.log).toBe(0);
  const [shop, mail] = service.pulls;
  expect(service.pulls).toMatchObject([
    { head: "mcp-codegen/shop", base: "main", title: "Update the MCP contract of shop to 2.0.0" },
    { head: "mcp-codegen/mail", base: "main", title: "Update the MCP contract of mail to 1.1.0" },
  ]);
  expect(shop?.body).toContain("A change of shop");
  expect(first.outputs["pull-requests"]).toBe(`${shop?.html_url ?? ""}\n${mail?.html_url ?? ""}`);
  expect(await git(remote, "show", `mcp-codegen/shop:${LOCK}`)).toBe('{"shop":"2.0.0","mail":"1.0.0"}');
  expect(await git(remote, "log", "--format=%an", "main..mcp-codegen/shop")).toBe("github-actions[bot]");
  // The base and the checkout are as before.
  expect(await tip("main")).toBe(main);
  expect(await git(dir, "status", "--porcelain", "--branch")).toBe("## main");

  // Nothing new: nothing is pushed.
  const before = [await tip("mcp-codegen/shop"), await tip("mcp-codegen/mail")];
  await act(UPGRADE, NIGHTLY);
  expect([await tip("mcp-codegen/shop"), await tip("mcp-codegen/mail")]).toEqual(before);
  expect(service.pulls).toHaveLength(2);

  // A server changes again, and a person has committed to the branch of the other.
  await serve({ shop: "3.0.0", mail: "1.2.0" });
  const edited = await edit(scratch, "mcp-codegen/mail", async (clone) => {
    await git(clone, "commit", "--quiet", "--allow-empty", "--message", "Write a test");
    return git(clone, "rev-parse", "HEAD");
  });
  const second = await act(UPGRADE, NIGHTLY);
  expect(second.exitCode, second.log).toBe(0);
  expect(second.log).toContain("mcp-codegen/mail has commits of others, so it was not updated.");
  expect(second.outputs["pull-requests"]).toBe(first.outputs["pull-requests"]);
  expect(await tip("mcp-codegen/mail")).toBe(edited);
  expect(await git(remote, "show", `mcp-codegen/shop:${LOCK}`)).toBe('{"shop":"3.0.0","mail":"1.0.0"}');
  expect(await git(remote, "rev-list", "--count", "main..mcp-codegen/shop")).toBe("1");
  expect(service.pulls.map(({ title }) => title)).toEqual([
    "Update the MCP contract of shop to 3.0.0",
    "Update the MCP contract of mail to 1.1.0",
  ]);

  // The servers offer the locked contract again; the edited branch stays.
  await serve({ shop: "1.0.0", mail: "1.0.0" });
  const third = await act(UPGRADE, NIGHTLY);
  expect(third.outputs["pull-requests"]).toBe(mail?.html_url);
  expect(service.pulls.map(({ state }) => state)).toEqual(["closed", "open"]);
  expect(await git(remote, "branch", "--list", "mcp-codegen/*", "--format=%(refname:short)")).toBe(
    "mcp-codegen/mail",
  );
  expect(first.log + second.log + third.log).not.toContain(TOKEN);
});

it("are deleted when their server is no longer configured", async () => {
  const scratch = await begin({ shop: "2.0.0", mail: "2.0.0", "a@b": "1.0.0" });
  const { act, remote, serve, service } = scratch;
  await act(UPGRADE, NIGHTLY);
  // Branches of another folder, of another base and of a person.
  const others = ["mcp-codegen/mail@apps+web", "mcp-codegen/mail@@release", "mcp-codegen/notes"];
  await git(remote, "fetch", "--quiet", ".", ...others.map((each) => `main:refs/heads/${each}`));
  await serve({ shop: "2.0.0" });
  await act({ ...UPGRADE, servers: "shop" }, NIGHTLY);
  await act({ ...UPGRADE, php: "true" }, NIGHTLY);
  expect(service.pulls.map(({ state }) => state)).toEqual(["open", "open", "open"]);
  const { exitCode, log, outputs } = await act(UPGRADE, NIGHTLY);
  expect(exitCode, log).toBe(0);
  expect(service.pulls.map(({ state }) => state)).toEqual(["open", "closed", "closed"]);
  expect(outputs["pull-requests"]).toBe(service.pulls[0]?.html_url);
  expect(log).toContain("is closed: its server is no longer configured.");
  const left = await git(remote, "branch", "--list", "mcp-codegen/*", "--format=%(refname:short)");
  expect(left.split("\n").sort()).toEqual(["mcp-codegen/shop", ...others].sort());
});

it("get the lock, the code and the edits, and run no hooks", async () => {
  const { act, dir } = await begin();
  await mkdir(join(dir, ".git/hooks"), { recursive: true });
  for (const hook of ["pre-commit", "commit-msg", "pre-push", "post-checkout"]) {
    const path = join(dir, ".git/hooks", hook);
    await writeFile(
      path,
      `#!/bin/sh\necho ran >> ${JSON.stringify(join(dir, "node_modules/hooks.txt"))}\nexit 1\n`,
    );
    await chmod(path, 0o755);
  }
  const { exitCode, log } = await act(UPGRADE, NIGHTLY);
  expect(exitCode, log).toBe(0);
  await expect(readFile(join(dir, "node_modules/hooks.txt"))).rejects.toThrow("ENOENT");
  const commands = await readFile(join(dir, "node_modules/commands.txt"), "utf8");
  expect(Array.from(commands.matchAll(/^\w+/gm), ([word]) => word)).toEqual(["pull", "pull", "fix", "diff"]);
});

it("are made from PHP if the servers are not to be contacted", async () => {
  const { act, dir, service } = await begin();
  const { exitCode, log } = await act({ ...UPGRADE, php: "true", offline: "true" }, NIGHTLY);
  expect(exitCode, log).toBe(0);
  const commands = await readFile(join(dir, "node_modules/commands.txt"), "utf8");
  expect(commands).toContain("pull --dry-run --json --php\npull shop --no-frozen --php\n");
  expect(service.pulls).toHaveLength(1);
});

it("are left alone if a person committed below the Action's commit", async () => {
  const scratch = await begin();
  await scratch.act(UPGRADE, NIGHTLY);
  const above = await edit(scratch, "mcp-codegen/shop", async (clone) => {
    const message = await git(clone, "log", "-1", "--format=%B");
    const committer = await git(clone, "log", "-1", "--format=%ce");
    const own = await git(clone, "commit-tree", "HEAD^{tree}", "-p", "HEAD^", "-m", "Write a test");
    const as = ["-c", `user.email=${committer}`];
    return git(clone, ...as, "commit-tree", "HEAD^{tree}", "-p", own, "-m", message);
  });
  await scratch.serve({ shop: "3.0.0" });
  const { log } = await scratch.act(UPGRADE, NIGHTLY);
  expect(log).toContain("mcp-codegen/shop has commits of others, so it was not updated.");
  expect(await git(scratch.remote, "rev-parse", "mcp-codegen/shop")).toBe(above);
});

it("propose the first lock of a project", async () => {
  const { act, dir, service } = await begin();
  await git(dir, "rm", "--quiet", LOCK);
  await git(dir, "commit", "--quiet", "--message", "Remove the lock");
  const { exitCode, log } = await act(UPGRADE, NIGHTLY);
  expect(exitCode, log).toBe(0);
  expect(service.pulls).toMatchObject([{ head: "mcp-codegen/shop", title: "Lock the MCP server shop" }]);
  expect(service.pulls[0]?.body).toContain("This is the first lock of the project.");
});

it("have names that git accepts, and that are different for each server, folder and base", async () => {
  const { dir } = await begin();
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
    const scratch = await begin();
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
    const scratch = await begin();
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
    const { act, service } = await begin();
    const { log } = await act({ ...UPGRADE, token: "" }, NIGHTLY);
    expect(log).toMatch(/^::error title=mcp-codegen::git ls-remote failed: /m);
    expect(log).not.toContain("::group::");
    expect(service.writes).toEqual([]);
  });
});
