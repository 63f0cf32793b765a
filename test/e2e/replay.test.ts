import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../generated/example/index.js";
import { openChangeFile, readChanges } from "../../src/agent/modules/module-files.js";
import { createChangeTracker } from "../../src/agent/replay/change-tracker.js";
import { runCommand } from "../cli/run-command.js";
import { makeProject, makePulled, type Project } from "./make-project.js";

const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
const EXAMPLE = { command: process.execPath, args: [bin, "example-server"] };
const server = (production: object) => ({
  servers: { example: { ...EXAMPLE, environments: { sandbox: EXAMPLE, production } } },
});

/** A person's changes in the sandbox, whose posts have other ids than those of a new site. */
async function work(site: ReturnType<typeof connect>, recorded: ReturnType<typeof connect>): Promise<void> {
  await site.createPost({ title: "Not recorded", content: "" });
  const post = await recorded.createPost({ title: "Rye", content: "<p>Rye.</p>", tags: ["bread"] });
  const other = await recorded.createPost({ title: "Spelt", content: "" });
  await recorded.updatePost({ id: post.id, status: "publish" });
  await recorded.getPost({ id: post.id });
  await recorded.deletePost({ id: other.id });
}

async function projectWithChanges(production: object = EXAMPLE): Promise<Project> {
  const project = await makePulled(server(production));
  await using sandbox = connect({ environment: "sandbox", client: await exampleClient() });
  const file = openChangeFile(join(project.dir, "changes.jsonl"));
  const changes = createChangeTracker({ store: file });
  await work(sandbox, withTracker(sandbox, changes));
  file.close();
  return project;
}

const REPLAY = ["replay", "changes.jsonl", "--env", "production"];
const JOURNAL = "changes.production.journal.jsonl";

describe("mcp-codegen replay", () => {
  test("plans, replays with the ids of the target, and repeats nothing", async () => {
    const project = await projectWithChanges();
    const plan = await project.runJson([...REPLAY, "--dry-run"]);
    expect(plan.exitCode).toBe(0);
    expect(plan.document).toMatchObject({
      status: "planned",
      environment: "production",
      conflicts: [],
      journal: JOURNAL,
      steps: [
        { tool: "create-post", state: "pending", references: [] },
        { tool: "create-post" },
        {
          tool: "update-post",
          references: [{ argument: "id", value: 5, from: 1, source: "id", how: "inferred" }],
        },
        { tool: "delete-post", references: [{ argument: "id", value: 6, from: 2 }] },
      ],
    });
    expect(await project.paths()).not.toContain(JOURNAL);

    await project.refuses(REPLAY, "--yes");

    const { stderr } = await runCommand(REPLAY, { cwd: project.dir, keys: "n" });
    expect(stderr).toContain(
      '1. example create-post would get:\n  "title": "Rye"\n  "content": "<p>Rye.</p>"\n',
    );
    expect(stderr).toContain('3. example update-post would get:\n  "id": 5\n  "status": "publish"\n');
    expect(await project.paths()).not.toContain(JOURNAL);

    await project.prints(
      [...REPLAY, "--yes"],
      0,
      "id: 5 → id of step 1 (inferred)",
      "Complete: 4 of 4 changes done.",
    );
    const journal = (await project.read(JOURNAL))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(journal).toMatchObject([
      { tool: "create-post", environment: "production", outcome: "waits" },
      { tool: "create-post", environment: "production", result: { id: 4 } },
      { tool: "create-post", outcome: "waits" },
      { tool: "create-post", result: { id: 5 } },
      { tool: "update-post", outcome: "waits", args: { id: 4, status: "publish" } },
      { tool: "update-post", result: { id: 4, status: "publish" } },
      { tool: "delete-post", outcome: "waits", args: { id: 5 } },
      { tool: "delete-post", args: { id: 5 }, result: { deleted: true } },
    ]);
    // What was changed in production is a file of changes too.
    const made = await readChanges(join(project.dir, JOURNAL));
    expect(made).toMatchObject({ damaged: [], unresolved: [], lines: [2, 4, 6, 8] });

    const again = await project.runJson([...REPLAY, "--yes"]);
    expect(again.document).toMatchObject({ status: "complete", exitCode: 0 });
    expect((await project.read(JOURNAL)).trim().split("\n")).toHaveLength(journal.length);
  });

  test("distinguishes a conflict, an unreachable server and an unknown outcome", async () => {
    const project = await projectWithChanges({ url: "http://127.0.0.1:1/" });
    const away = await project.runJson([...REPLAY, "--yes"]);
    expect(away).toMatchObject({
      exitCode: 3,
      document: { status: "stopped", at: 1, code: "TOOL_UNAVAILABLE" },
    });

    const intent = (await project.read(JOURNAL)).split("\n")[0] ?? "";
    const whole = await project.read("changes.jsonl");
    const lines = whole.trim().split("\n");
    await project.write("changes.jsonl", `${lines.slice(2).join("\n")}\n`);
    await project.write(JOURNAL, "");
    const foreign = await project.runJson([...REPLAY, "--yes"]);
    expect(foreign).toMatchObject({
      exitCode: 1,
      document: {
        status: "refused",
        conflicts: [
          { kind: "foreign-id", step: 1 },
          { kind: "foreign-id", step: 2 },
        ],
      },
    });
    await project.write(
      "references.json",
      '{ "update-post": { "id": "same" }, "delete-post": { "id": "same" } }',
    );
    const declared = await project.runJson([...REPLAY, "--dry-run", "--references", "references.json"]);
    expect(declared).toMatchObject({ exitCode: 0, document: { conflicts: [] } });

    await project.write("changes.jsonl", whole.slice(0, -20));
    const torn = await project.runJson([...REPLAY, "--dry-run"]);
    expect(torn).toMatchObject({ exitCode: 1, document: { status: "refused", damaged: [{ line: 4 }] } });
    expect((await project.run([...REPLAY, "--dry-run", "--allow", "damaged-line"])).exitCode).toBe(0);

    const waits = {
      ...(JSON.parse(lines[0] ?? "") as object),
      result: null,
      outcome: "waits",
      toolCallId: "1",
    };
    await project.write("changes.jsonl", `${JSON.stringify(waits)}\n`);
    const waiting = await project.runJson([...REPLAY, "--dry-run"]);
    expect(waiting).toMatchObject({
      exitCode: 1,
      document: { status: "refused", steps: [], unresolved: [{ line: 1, tool: "create-post" }] },
    });
    expect((await project.run([...REPLAY, "--dry-run"])).stdout).toContain("Pass --allow unresolved-call");
    expect((await project.run([...REPLAY, "--dry-run", "--allow", "unresolved-call"])).exitCode).toBe(0);

    await project.write("changes.jsonl", whole);
    await project.write(JOURNAL, `{"journal":1,"environment":"production"}\n`);
    await project.refuses(
      [...REPLAY, "--yes"],
      "Line 1 of the journal does not belong here: an earlier mcp-codegen",
    );
    await project.write(JOURNAL, `${intent}\n`);
    await project.prints([...REPLAY, "--yes"], 3, "--mark 1=retry");
    const marked = await project.runJson([
      ...REPLAY,
      "--yes",
      "--mark",
      '1=done={"id":77}',
      "--mark",
      "2=retry",
    ]);
    expect(marked.exitCode).toBe(2);
  });

  test.each([
    [["replay", "changes.jsonl"], "--env"],
    [["replay", "changes.jsonl", "--env", "staging"], 'no environment "staging"'],
    [[...REPLAY, "--allow", "anything"], 'unknown kind of conflict "anything"'],
    [[...REPLAY, "--skip", "9"], "no step 9"],
    [[...REPLAY, "--mark", "1=maybe"], "must be done, retry or skip"],
    [["replay", "missing.jsonl", "--env", "production"], "cannot be read"],
    [["replay", "mcp-codegen.config.json", "--env", "production"], "holds no changes"],
  ])("%j is invalid input", async (argv, words) => {
    const project = await makePulled(server(EXAMPLE));
    const change = { tool: "delete-post", server: "example", args: { id: 1 }, result: null, at: "" };
    await project.write("changes.jsonl", `${JSON.stringify(change)}\n`);
    await project.refuses(argv, words);
  });
});

describe("replay --allow-unlocked", () => {
  const change = {
    ...{ tool: "create-post", server: "example", args: { title: "Rye", content: "" } },
    ...{ result: { id: 4 }, at: "2026-01-01T00:00:00.000Z", environment: "sandbox" },
  };
  const ALLOWED = [...REPLAY, "--allow-unlocked"];

  test("replays tools that are not locked", async () => {
    const project = await makeProject(server(EXAMPLE));
    await project.write("changes.jsonl", `${JSON.stringify(change)}\n`);
    expect(await project.run([...REPLAY, "--dry-run"])).toMatchObject({ exitCode: 2 });
    expect(await project.runJson([...ALLOWED, "--dry-run"])).toMatchObject({
      exitCode: 0,
      document: { status: "planned", conflicts: [] },
    });
    expect(await project.runJson([...ALLOWED, "--yes"])).toMatchObject({
      exitCode: 0,
      document: { status: "complete", steps: [{ state: "done" }] },
    });
  });

  test("names a tool that is in neither the lock nor the server", async () => {
    const project = await makePulled(server(EXAMPLE));
    await project.write("changes.jsonl", `${JSON.stringify({ ...change, tool: "gone" })}\n`);
    for (const argv of [REPLAY, ALLOWED]) {
      await project.prints([...argv, "--dry-run"], 1, 'run "npx mcp-codegen pull example"');
    }
  });

  test("does not plan if a server cannot be listed", async () => {
    const project = await makeProject(server({ url: "http://127.0.0.1:1/" }));
    await project.write("changes.jsonl", `${JSON.stringify(change)}\n`);
    const { stderr } = await project.prints([...ALLOWED, "--dry-run"], 3);
    expect(stderr).toContain("127.0.0.1:1");
  });
});

/** Returns the same connection with recorded changes. */
function withTracker(
  site: ReturnType<typeof connect>,
  changes: ReturnType<typeof createChangeTracker>,
): ReturnType<typeof connect> {
  const entries = Object.entries(site).map(([name, tool]) => [
    name,
    (input: never) =>
      (tool as (given: never, options: object) => unknown)(input, { changes, environment: "sandbox" }),
  ]);
  return Object.fromEntries(entries) as never;
}

/** Connects a client to a new example server. */
async function exampleClient(): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport(EXAMPLE));
  onTestFinished(() => client.close());
  return client;
}
