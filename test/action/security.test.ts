/** What strangers, servers and failures must not be able to do with the Action, with a program of the test as mcp-codegen. */
import { beforeEach, expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { TOKEN } from "./hosting-service.js";
import { type ActionResult, prepareStub, pullRequest, PUSH, type Scratch } from "./run-action.js";

/**
 * Lists the servers of the variable SERVERS. `pull` writes a file for a server, `fix` prints EDITS, or fails for the
 * server of FAILS, and `check` prints its variables.
 */
const PROGRAM = `
const { existsSync, writeFileSync } = require("node:fs");
const { EDITS, FAILS, SERVERS } = process.env;
const [command, ...args] = process.argv.slice(2);
if (command === "pull" && args.includes("--json")) process.stdout.write(SERVERS);
else if (command === "pull") writeFileSync(args[0] + ".txt", SERVERS);
else if (command === "diff") writeFileSync(args.at(-1).split("=")[1], "The report");
else if (command === "check") console.log(JSON.stringify(process.env));
else if (command === "fix") {
  if (FAILS !== undefined && existsSync(FAILS + ".txt")) process.exitCode = 2;
  if (EDITS !== undefined) process.stdout.write("\`".repeat(30000) + "\\n" + EDITS);
}
`;

const make = prepareStub(PROGRAM, { "mcp-codegen.lock.json": "" });
let scratch: Scratch;

beforeEach(async () => {
  scratch = await make();
});

/** Runs mode upgrade for servers, each with its status. */
function upgrade(
  servers: { readonly [name: string]: string },
  env: NodeJS.ProcessEnv = {},
): Promise<ActionResult> {
  const listed = Object.entries(servers).map(([server, status]) => ({ server, status, after: "2.0.0" }));
  const variables = { SERVERS: JSON.stringify({ servers: listed }), ...env };
  return scratch.act({ mode: "upgrade" }, { name: "schedule" }, variables);
}

it("a proposal has nothing that a failed one wrote", async () => {
  const { exitCode, log } = await upgrade({ mail: "changed", shop: "changed" }, { FAILS: "mail" });
  expect(exitCode, log).toBe(2);
  expect(log).toContain("::error title=mcp-codegen::mail: fix ended with exit code 2: the log says why.");
  expect(await git(scratch.remote, "diff", "--name-only", "main", "mcp-codegen/shop")).toBe("shop.txt");
  expect(await git(scratch.dir, "status", "--porcelain", "--branch")).toBe("## main");
});

it("a pull request can be opened, and mentions no one, whatever the edits contain", async () => {
  const { exitCode, log } = await upgrade({ shop: "changed" }, { EDITS: "@ada\n```\n@bob\n" });
  expect(exitCode, log).toBe(0);
  const { body = "" } = scratch.service.pulls[0] ?? {};
  expect(body.length).toBeLessThan(65_536);
  const [, fence = "", text = ""] = /### Edits of your code\n\n(`+)text\n([^]*)\n\1\n$/.exec(body) ?? [];
  expect(text).toContain("@ada\n```\n@bob");
  expect(fence).not.toBe("");
  expect(text).not.toContain(fence);
});

it("a commit that is pushed while the branch is deleted is kept", async () => {
  const { dir, remote, service } = scratch;
  await upgrade({ shop: "changed" });
  const branch = "refs/heads/mcp-codegen/shop";
  const commit = await git(dir, "commit-tree", "main^{tree}", "-m", "Write a test", "-p", "main");
  service.beforePush = async () => {
    await git(dir, "push", "--quiet", "--force", remote, `${commit}:${branch}`);
  };
  const { exitCode, log } = await upgrade({ shop: "unchanged" });
  expect(exitCode, log).toBe(3);
  expect(await git(remote, "rev-parse", branch)).toBe(commit);
  expect(service.pulls[0]?.state).toBe("open");
});

it("the program cannot write variables, paths or outputs of the job, and logs show no encoded token", async () => {
  const files = { GITHUB_ENV: "a", GITHUB_PATH: "b", GITHUB_STATE: "c" };
  const { log } = await scratch.act({}, PUSH, { ...files, GITHUB_OUTPUT: "node_modules/output" });
  expect(log).toContain('"GITHUB_STEP_SUMMARY"');
  for (const name of [...Object.keys(files), "GITHUB_OUTPUT"]) expect(log).not.toContain(`"${name}"`);
  // The runner hides from then on what this command names, and the command itself.
  const encoded = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");
  expect(log.split("\n")[0]).toBe(`::add-mask::${encoded}`);
  expect(log.split(encoded)).toHaveLength(2);
});

it("git keeps the settings that the job's variables give it", async () => {
  const settings = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.useConfigOnly",
    GIT_CONFIG_VALUE_0: "x y",
  };
  // Git refuses a value that is not a boolean, which shows that it got the value.
  const { log } = await scratch.act({}, pullRequest(), settings);
  expect(log).toContain("bad boolean config value 'x y' for 'user.useconfigonly'");
});

it("an input is neither an option of the program nor a command of the log", async () => {
  const option = await scratch.act({ servers: "shop --config=evil.js" });
  expect(option.exitCode).toBe(2);
  expect(option.log).toContain('The input "servers" takes names of servers, not "--config=evil.js".');
  const { log } = await scratch.act({ environment: "prod\n::warning::x" });
  expect(log).toContain("::group::mcp-codegen check --env prod%0A::warning::x ");
  expect(log).not.toMatch(/^::warning::x/m);
});

it("a pull request without a known source has no secrets, and no commit of a fork is checked with secrets", async () => {
  const { payload, ...event } = pullRequest();
  const pull = { number: 5, base: { ref: "main" }, head: {} };
  expect((await scratch.act({}, { ...event, payload: { ...payload, pull_request: pull } })).log).toContain(
    "This pull request has no secrets, so no server is contacted.",
  );
  const run = (repository: string): Promise<ActionResult> =>
    scratch.act(
      {},
      {
        name: "workflow_run",
        payload: {
          repository: { full_name: "acme/app" },
          workflow_run: { head_repository: { full_name: repository } },
        },
      },
    );
  expect((await run("acme/app")).exitCode).toBe(0);
  const { exitCode, log } = await run("eve/app");
  expect(exitCode).toBe(2);
  expect(log).toContain("::error title=mcp-codegen::mcp-codegen does not run on workflow_run for a fork");
});

it("a comment on a pull request starts nothing if it is from a fork, or if no one knows", async () => {
  const { act, service } = scratch;
  service.sources.set(1, "acme/app").set(2, "eve/app").set(3, null);
  const comment = (number: number): Promise<ActionResult> =>
    act({}, { name: "issue_comment", payload: { issue: { number, pull_request: {} } } });
  const own = await comment(1);
  expect(own.exitCode, own.log).toBe(0);
  for (const number of [2, 3]) {
    const { exitCode, log } = await comment(number);
    expect(exitCode, log).toBe(2);
    expect(log).toContain("::error title=mcp-codegen::mcp-codegen does not run on issue_comment for a fork");
    expect(log).not.toContain("::group::");
  }
  service.denied.add("GET /pulls/1");
  const unknown = await comment(1);
  expect(unknown.exitCode, unknown.log).toBe(3);
  expect(unknown.log).toContain('The token needs the permission "pull-requests: read".');
  expect(unknown.log).not.toContain("::group::");
  // An issue has no code.
  const issue = { name: "issue_comment", payload: { issue: { number: 2 } } };
  expect((await act({}, issue)).exitCode).toBe(0);
});
