/** Mode check of the Action. */
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitAll, git } from "../e2e/git.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { TOKEN } from "./hosting-service.js";
import { makeScratch, makeStubScratch, pullRequest, PUSH, type Scratch } from "./run-action.js";

const CONFIG = { servers: { shop: { file: "tools.json" } }, output: false };

/** A list of tools, each with these optional properties. */
function toolsWith(tools: { readonly [name: string]: readonly string[] }): string {
  return JSON.stringify({
    tools: Object.entries(tools).map(([name, properties]) => ({
      ...{ name, description: `The tool ${name}` },
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(properties.map((property) => [property, { type: "string" }])),
      },
    })),
  });
}

const TOOLS = toolsWith({ "get-order": ["id"], "list-orders": ["page"] });
const WITHOUT_PAGE = toolsWith({ "get-order": ["id"], "list-orders": [] });

/** Changes the server and the lock on a topic branch, as a pull request does. */
async function changeLock(scratch: Scratch, tools: string): Promise<void> {
  await scratch.write("tools.json", tools);
  await scratch.run(["pull"]);
  await commitAll(scratch.dir, "Pull");
}

describe("on a push", () => {
  it("passes when nothing changed", async () => {
    const { act, service } = await makeScratch(CONFIG, { "tools.json": TOOLS });
    const { exitCode, outputs, log } = await act({});
    expect({ exitCode, outputs }, log).toMatchObject({
      exitCode: 0,
      outputs: { "exit-code": "0", changes: "0", breaking: "0" },
    });
    expect(service.writes).toEqual([]);
  });

  it("fails for drift, annotates, writes the summary and uploads to code scanning", async () => {
    const scratch = await makeScratch(CONFIG, { "tools.json": TOOLS });
    await scratch.write("tools.json", WITHOUT_PAGE);
    const { exitCode, outputs, log, summary } = await scratch.act({ sarif: "true" });
    expect(exitCode, log).toBe(1);
    expect(outputs).toMatchObject({ "exit-code": "1", changes: "1", breaking: "1" });
    expect(log).toMatch(/^::error .*file=mcp-codegen\.lock\.json/m);
    expect(summary).toContain("`input-property-removed`");
    expect(scratch.service.analyses).toMatchObject([
      { ref: "refs/heads/main", sarif: { runs: [{ results: [{ ruleId: "input-property-removed" }] }] } },
    ]);
    const report = JSON.parse(await readFile(outputs["report"] ?? "", "utf8")) as object;
    expect(report).toMatchObject({ report: "check", exitCode: 1 });
    expect((await scratch.act({ "fail-on": "never" })).exitCode).toBe(0);
  });

  it("reports a server that cannot be reached with exit code 3", async () => {
    const shop = fixtureCommand("follows-file", "--file", "names.json");
    const scratch = await makeScratch(
      { servers: { shop }, output: false },
      { "names.json": '["get-order"]' },
    );
    await rm(join(scratch.dir, "names.json"));
    const { exitCode, outputs } = await scratch.act({});
    expect([exitCode, outputs["exit-code"]]).toEqual([3, "3"]);
    expect((await scratch.act({ offline: "true" })).exitCode).toBe(0);
  });
});

describe("on a pull request", () => {
  it("comments once, updates the comment, and says when the changes are gone", async () => {
    const scratch = await makeScratch(CONFIG, { "tools.json": TOOLS });
    const { service, act, dir } = scratch;
    expect((await act({}, pullRequest())).exitCode).toBe(0);
    // Nothing to say.
    expect(service.comments).toEqual([]);
    // A stranger's comment with the marker, and more comments than a page has.
    const stranger = { login: "eve", type: "User" };
    service.comments.push({ id: 1, body: "<!-- mcp-codegen . -->\nAll is well.", user: stranger });
    for (let id = 2; id < 130; id++) service.comments.push({ id, body: "Hello", user: stranger });
    const base = await git(dir, "rev-parse", "HEAD");

    await changeLock(scratch, WITHOUT_PAGE);
    const first = await act({}, pullRequest());
    expect(first.exitCode, first.log).toBe(0);
    expect(first.outputs).toMatchObject({ changes: "1", breaking: "1" });
    const own = service.comments.at(-1);
    expect(own?.body).toContain("input-property-removed");
    expect(service.comments).toHaveLength(130);

    await changeLock(scratch, toolsWith({ "get-order": ["id"] }));
    await act({}, pullRequest());
    expect(own?.body).toContain("tool-removed");
    await git(dir, "reset", "--quiet", "--hard", base);
    await act({}, pullRequest());
    expect(own?.body).toContain("mcp-codegen: up to date");
    expect(service.comments).toHaveLength(130);
    expect(service.comments[0]?.body).toContain("All is well.");
    expect(service.writes).toEqual([
      "POST /issues/5/comments",
      "PATCH /issues/comments/130",
      "PATCH /issues/comments/130",
    ]);
  });

  it.each([
    ["a fork", pullRequest({ from: "eve/app" })],
    ["Dependabot", pullRequest({ by: "dependabot[bot]" })],
  ])("from %s contacts no server and writes nothing to the service", async (_, event) => {
    const scratch = await makeScratch(CONFIG, { "tools.json": TOOLS });
    await changeLock(scratch, WITHOUT_PAGE);
    // Listing the server would fail.
    await rm(join(scratch.dir, "tools.json"));
    const { exitCode, log, summary } = await scratch.act({ sarif: "true" }, event);
    expect(exitCode, log).toBe(0);
    expect(summary).toContain("input-property-removed");
    expect(scratch.service.writes).toEqual([]);
  });

  it("reports a base branch that cannot be fetched as not checked", async () => {
    const scratch = await makeScratch(CONFIG, { "tools.json": TOOLS });
    const { exitCode, log } = await scratch.act({ token: "" }, pullRequest());
    expect(exitCode).toBe(3);
    expect(log).toMatch(/^::error title=mcp-codegen::Cannot compare with main: git fetch failed: /m);
  });

  it("only warns when it may not comment or upload", async () => {
    const scratch = await makeScratch(CONFIG, { "tools.json": TOOLS });
    scratch.service.denied.add("POST /issues/5/comments").add("POST /code-scanning/sarifs");
    await changeLock(scratch, WITHOUT_PAGE);
    const { exitCode, log } = await scratch.act({ sarif: "true" }, pullRequest());
    expect(exitCode).toBe(0);
    const refused =
      "was answered with 403: Resource not accessible by integration. The token needs the permission";
    expect(log).toContain(`Cannot comment: POST issues/5/comments ${refused} "pull-requests: write".`);
    expect(log).toContain(
      `Cannot upload to code scanning: POST code-scanning/sarifs ${refused} "security-events: write".`,
    );
    expect(log).not.toContain(TOKEN);
  });

  it("refuses pull_request_target", async () => {
    const scratch = await makeStubScratch("");
    const event = { ...pullRequest({ from: "eve/app" }), name: "pull_request_target" };
    const { exitCode, log, outputs } = await scratch.act({}, event);
    expect([exitCode, outputs["exit-code"]]).toEqual([2, "2"]);
    expect(log).toMatch(/^::error title=mcp-codegen::mcp-codegen does not run on pull_request_target/m);
  });
});

it("inputs are data, and those that are not valid are one error", async () => {
  const scratch = await makeScratch(CONFIG, { "tools.json": TOOLS });
  const hostile = '"; touch hacked #$(touch hacked)`touch hacked`';
  for (const name of ["servers", "fail-on", "environment", "consumers", "mode", "working-directory", "php"]) {
    const { exitCode, log } = await scratch.act({ [name]: hostile });
    expect(exitCode, `${name}: ${log}`).toBeGreaterThan(0);
  }
  expect(await scratch.paths()).not.toContain("hacked");
  expect((await scratch.act({ mode: "chek" })).log).toContain(
    'The input "mode" takes check, upgrade, consumer, not "chek".',
  );
  expect((await scratch.act({ comment: "yes" })).log).toContain(
    'The input "comment" takes true or false, not "yes".',
  );
});

it("no server gets the token", async () => {
  // The program passes its own variables on to nothing; this asks what it gets.
  const scratch = await makeStubScratch("console.log(JSON.stringify(process.env));");
  const { log } = await scratch.act({}, PUSH, { TRACKER_TOKEN: "needed" });
  expect(log).toContain('"TRACKER_TOKEN":"needed"');
  expect(log).not.toContain(TOKEN);
});

it("a project without mcp-codegen gets the version of the Action", async () => {
  const scratch = await makeStubScratch("");
  await rm(join(scratch.dir, "node_modules"), { recursive: true });
  // A stub of npx, which would ask the registry.
  const tools = join(scratch.dir, "node_modules/.bin");
  await mkdir(tools, { recursive: true });
  await writeFile(join(tools, "npx"), '#!/bin/sh\necho "npx was called with $*"\n');
  await chmod(join(tools, "npx"), 0o755);
  const { exitCode, log } = await scratch.act({}, PUSH, { PATH: `${tools}:${process.env["PATH"] ?? ""}` });
  expect(exitCode, log).toBe(0);
  expect(log).toMatch(/npx was called with --yes mcp-codegen@\d+\.\d+\.\d+ check/);
});
