/** The exit code of the step, which is also an output, with a program of the test in place of mcp-codegen. */
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { type ActionResult, prepareStub, pullRequest, PUSH, type Scratch } from "./run-action.js";

/** Ends a command with the exit code that the variable EXITS has for it, after printing PRINTS. */
const PROGRAM = `
const { writeFileSync } = require("node:fs");
const [command, ...args] = process.argv.slice(2);
const { EXITS = "{}", PRINTS = '{"servers":[{"server":"shop","status":"changed","after":"2.0.0"}]}' } = process.env;
const key = args.includes("--against") ? "against" : args.includes("--dry-run") ? "list" : command;
if (key === "list") process.stdout.write(PRINTS);
else if (command === "pull") writeFileSync("mcp-codegen.lock.json", "1");
else if (command === "diff") writeFileSync(args.at(-1).split("=")[1], "The report");
process.exitCode = JSON.parse(EXITS)[key] ?? 0;
`;

const { worstOf } = (await import(new URL("../../action/report.js", import.meta.url).href)) as {
  worstOf: (first: number, second: number) => number;
};

const UPGRADE = { mode: "upgrade" };
/** An address that no server listens on. */
const CLOSED = await new Promise<string>((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => {
      resolve(`http://127.0.0.1:${port}`);
    });
  });
});

const make = prepareStub(PROGRAM, { "mcp-codegen.lock.json": "0" });
let scratch: Scratch;

beforeEach(async () => {
  scratch = await make();
});

function run(
  inputs: { readonly [name: string]: string },
  env: NodeJS.ProcessEnv = {},
  event = PUSH,
): Promise<ActionResult> {
  return scratch.act(inputs, event, env);
}

/** Expects an exit code, and one error in one line. */
function expectEnd({ exitCode, log, outputs }: ActionResult, code: number, message: string | RegExp): void {
  expect([exitCode, outputs["exit-code"]], log).toEqual([code, String(code)]);
  const errors = log.split("\n").filter((line) => line.startsWith("::error"));
  expect(errors, log).toEqual([expect.stringMatching(message)]);
  if (code !== 70) expect(errors[0]).not.toContain("%0A");
}

describe("is 3 for a failure of the network or of the service", () => {
  it("when the hosting API cannot be reached, refuses, or fails", async () => {
    const unreached = await run(UPGRADE, { GITHUB_API_URL: CLOSED });
    expectEnd(
      unreached,
      3,
      /shop: GET pulls failed: 127\.0\.0\.1:\d+ did not answer \(.*ECONNREFUSED.*\)\. Run the job again\.$/,
    );
    scratch.service.denied.add("POST /pulls");
    expectEnd(
      await run(UPGRADE),
      3,
      /shop: POST pulls was answered with 403: Resource not accessible by integration\. The token needs the permission "pull-requests: write"\.$/,
    );
    scratch.service.broken.add("POST /pulls");
    expectEnd(
      await run(UPGRADE),
      3,
      /shop: POST pulls was answered with 502: Server Error\. Run the job again\.$/,
    );
  });

  it("when the base branch of a pull request cannot be fetched", async () => {
    expectEnd(
      await run({ token: "" }, {}, pullRequest()),
      3,
      /::Cannot compare with main: git fetch failed: /,
    );
  });

  it("when git cannot fetch or push, without the credentials of an address", async () => {
    const { dir, service } = scratch;
    service.beforePush = () => Promise.reject(new Error("The disk is full"));
    expectEnd(await run(UPGRADE), 3, /shop: git push failed: .* 500.*\. Check that "origin" can be reached/);
    await git(dir, "remote", "set-url", "origin", `${CLOSED.replace("//", "//ada:hunter2@")}/acme/app.git`);
    const unreached = await run(UPGRADE);
    expectEnd(unreached, 3, /::git ls-remote failed: .*127\.0\.0\.1/);
    expect(unreached.log).not.toContain("hunter2");
  });

  it("when the hosting API or git's remote sends nothing", async () => {
    const { service } = scratch;
    service.stalled.add("GET /pulls");
    expectEnd(
      await run(UPGRADE, { NODE_OPTIONS: `--import data:text/javascript,${IMPATIENT}` }),
      3,
      /shop: GET pulls failed: 127\.0\.0\.1:\d+ did not answer \(.*timeout\)\. Run the job again\.$/,
    );
    service.stalled.add("git-upload-pack");
    expectEnd(
      await run(UPGRADE, { GIT_HTTP_LOW_SPEED_TIME: "1" }),
      3,
      /::git ls-remote failed: .*Operation too slow.*\. Check that "origin" can be reached/,
    );
  });

  it("when the program cannot be installed, or a signal ends it", async () => {
    expectEnd(
      await run(UPGRADE, { PRINTS: "x", NODE_OPTIONS: `--import data:text/javascript,${KILL}` }),
      3,
      /mcp-codegen pull --dry-run --json was ended by SIGKILL/,
    );
    await rm(join(scratch.dir, "node_modules"), { recursive: true });
    const tools = join(scratch.dir, "node_modules/.bin");
    await mkdir(tools, { recursive: true });
    await writeFile(join(tools, "npx"), "#!/bin/sh\nexit 1\n");
    await chmod(join(tools, "npx"), 0o755);
    const PATH = `${tools}:${process.env["PATH"] ?? ""}`;
    expectEnd(await run({}, { PATH }), 3, /Cannot get mcp-codegen@\d+\.\d+\.\d+/);
  });
});

/** The Action waits a twentieth of a second where it would wait a minute. */
const IMPATIENT = encodeURIComponent(
  "const { timeout } = AbortSignal; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 1200);",
);

/** Ends the program of the test, and not the Action, which also gets NODE_OPTIONS. */
const KILL = encodeURIComponent('if (process.argv[2] === "pull") process.kill(process.pid, "SIGKILL")');

describe("is 2 for invalid input", () => {
  it("such as a folder without a checkout, or an event that is not JSON", async () => {
    expectEnd(
      await run({ "working-directory": "app" }),
      2,
      /The folder "\S+app" does not exist\. Check out first/,
    );
    expectEnd(
      await run({}, { GITHUB_EVENT_PATH: "package.json" }),
      2,
      /The event in package\.json cannot be read/,
    );
    expectEnd(
      await run(UPGRADE, {}, pullRequest()),
      2,
      /Mode upgrade runs on a branch.*not on refs\/pull\/5\/merge/,
    );
    await scratch.write("notes.txt", "private");
    expectEnd(
      await run(UPGRADE),
      2,
      /Files changed before mode upgrade ran, and would be committed: \?\? notes\.txt\. /,
    );
    expectEnd(await run(UPGRADE, { GIT_DIR: "none" }), 2, /git status failed: fatal: not a git repository/);
  });

  it("such as the event pull_request_target", async () => {
    const event = { ...pullRequest({ from: "eve/app" }), name: "pull_request_target" };
    expectEnd(await run({}, {}, event), 2, /::mcp-codegen does not run on pull_request_target/);
  });

  it("that a command of the program reports", async () => {
    expectEnd(
      await run(UPGRADE, { EXITS: '{"fix":2}' }),
      2,
      /shop: fix ended with exit code 2: the log says why\.$/,
    );
    expect((await run({}, { EXITS: '{"check":2}' })).outputs["exit-code"]).toBe("2");
  });
});

it("is 70 for a bug, with the stack", async () => {
  expectEnd(await run(UPGRADE, { PRINTS: "{" }), 70, /This is a bug in mcp-codegen.*SyntaxError.*%0A +at /);
  expect((await run({}, { EXITS: '{"check":70}' })).outputs["exit-code"]).toBe("70");
});

it.each([
  [3, 1, 1],
  [1, 3, 1],
  [3, 2, 2],
  [0, 3, 3],
  [3, 0, 3],
])("of %i and %i is %i", (first, second, worst) => {
  expect(worstOf(first, second)).toBe(worst);
});

it("is the most important of several: an outage does not hide findings", async () => {
  const { exitCode } = await run({}, { EXITS: '{"check":3,"against":1}' }, pullRequest());
  expect(exitCode).toBe(1);
  const PRINTS = JSON.stringify({ servers: [{ server: "shop", status: "held", heldTools: ["get"] }] });
  expect((await run(UPGRADE, { PRINTS, EXITS: '{"list":3}' })).exitCode).toBe(1);
  // A server that cannot be listed does not keep the others from being proposed.
  const unlisted = await run(UPGRADE, { EXITS: '{"list":3}' });
  expect([unlisted.exitCode, unlisted.outputs["exit-code"]], unlisted.log).toEqual([3, "3"]);
  expect(scratch.service.pulls.map(({ head }) => head)).toEqual(["mcp-codegen/shop"]);
});
