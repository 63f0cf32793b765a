import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readChanges } from "../../src/agent/modules/module-files.js";
import { runCommand } from "../cli/run-command.js";
import { EXAMPLE, makeProject, makePulled, type Project } from "./make-project.js";

const server = (production: object) => ({
  servers: { example: { ...EXAMPLE, environments: { sandbox: EXAMPLE, production } } },
});

/** What a person did in the sandbox, whose posts have other ids than those of a new site. */
const CHANGES = [
  { tool: "create-post", args: { title: "Rye", content: "<p>Rye.</p>", tags: ["bread"] }, result: { id: 5 } },
  { tool: "create-post", args: { title: "Spelt", content: "" }, result: { id: 6 } },
  { tool: "update-post", args: { id: 5, status: "publish" }, result: { id: 5, status: "publish" } },
  { tool: "delete-post", args: { id: 6 }, result: { deleted: true } },
].map((change) => ({ ...change, server: "example", at: "2026-01-01T00:00:00.000Z", environment: "sandbox" }));

function writeChanges(project: Project, ...changes: readonly object[]): Promise<void> {
  return project.write("changes.jsonl", changes.map((change) => `${JSON.stringify(change)}\n`).join(""));
}

async function projectWithChanges(production: object = EXAMPLE): Promise<Project> {
  const project = await makePulled(server(production));
  await writeChanges(project, ...CHANGES);
  return project;
}

const REPLAY = ["replay", "changes.jsonl", "--env", "production"];
const JOURNAL = "changes.production.journal.jsonl";

describe("mcp-codegen replay", () => {
  test("plans, replays with the ids of the target, and repeats nothing", async () => {
    const project = await projectWithChanges();
    await project.refuses(
      [...REPLAY, "--dry-run", "--mark", "1=done"],
      "--dry-run cannot be used with --mark",
    );
    await project.reports([...REPLAY, "--dry-run"], {
      exitCode: 0,
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
    const second = '  2. example create-post\n       {"title":"Spelt","content":""}\n';
    await project.prints(
      [...REPLAY, "--dry-run"],
      0,
      second,
      'update-post\n       {"id":5,"status":"publish"}\n',
    );

    await project.refuses(REPLAY, "--yes");

    // Enter alone is no.
    const { stderr } = await runCommand(REPLAY, { cwd: project.dir, keys: "\r" });
    expect(stderr).toContain(
      '1. example create-post would get:\n  "title": "Rye"\n  "content": "<p>Rye.</p>"\n',
    );
    expect(stderr).toContain('3. example update-post would get:\n  "id": 5\n  "status": "publish"\n');
    expect(await project.paths()).not.toContain(JOURNAL);

    const done = ["id: 5 → id of step 1 (inferred)", "Complete: 4 of 4 changes done."];
    await project.prints([...REPLAY, "--yes"], 0, ...done);
    const lines = (await project.read(JOURNAL)).trim().split("\n");
    const journal = lines.map((line) => JSON.parse(line) as object);
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

    await project.reports([...REPLAY, "--yes"], { status: "complete", exitCode: 0 });
    expect((await project.read(JOURNAL)).trim().split("\n")).toHaveLength(journal.length);
  });

  test("distinguishes a conflict, an unreachable server and an unknown outcome", async () => {
    const project = await projectWithChanges({ url: "http://127.0.0.1:1/" });
    const stopped = { exitCode: 3, status: "stopped", at: 1, code: "TOOL_UNAVAILABLE" };
    await project.reports([...REPLAY, "--yes"], stopped);

    const intent = (await project.read(JOURNAL)).split("\n")[0] ?? "";
    const whole = await project.read("changes.jsonl");
    await writeChanges(project, ...CHANGES.slice(2));
    await project.write(JOURNAL, "");
    const conflicts = [1, 2].map((step) => ({ kind: "foreign-id", step }));
    await project.reports([...REPLAY, "--yes"], { exitCode: 1, status: "refused", conflicts });
    const references = { "update-post": { id: "same" }, "delete-post": { id: "same" } };
    await project.writeJson("references.json", references);
    const dry = [...REPLAY, "--dry-run"];
    await project.reports([...dry, "--references", "references.json"], { exitCode: 0, conflicts: [] });

    await project.write("changes.jsonl", whole.slice(0, -20));
    await project.reports(dry, { exitCode: 1, status: "refused", damaged: [{ line: 4 }] });
    await project.prints([...dry, "--allow", "damaged-line"], 0);

    await writeChanges(project, { ...CHANGES[0], result: null, outcome: "waits", toolCallId: "1" });
    const unresolved = [{ line: 1, tool: "create-post" }];
    await project.reports(dry, { exitCode: 1, status: "refused", steps: [], unresolved });
    await project.prints(dry, 1, "Pass --allow unresolved-call");
    await project.prints([...dry, "--allow", "unresolved-call"], 0);

    await project.write("changes.jsonl", whole);
    await project.write(JOURNAL, `{"journal":1,"environment":"production"}\n`);
    await project.refuses(
      [...REPLAY, "--yes"],
      "Line 1 of the journal does not belong here: an earlier mcp-codegen",
    );
    await project.write(JOURNAL, `${intent}\n`);
    await project.prints([...REPLAY, "--yes"], 3, "--mark 1=retry");
    await project.refuses([...REPLAY, "--yes", "--mark", '1=done={"id":77}', "--mark", "2=retry"]);
  });

  test.each([
    [["replay", "changes.jsonl"], "--env"],
    [["replay", "changes.jsonl", "--env", "staging"], 'no environment "staging"'],
    [[...REPLAY, "--allow", "anything"], 'unknown kind of conflict "anything"'],
    [[...REPLAY, "--skip", "9"], "no step 9"],
    [[...REPLAY, "--mark", "1=maybe"], "must be done, retry or skip"],
    [[...REPLAY, "--mark", "first"], 'takes the number of a step, not "first"'],
    [["replay", "missing.jsonl", "--env", "production"], "cannot be read"],
    [["replay", "mcp-codegen.config.json", "--env", "production"], "holds no changes"],
  ])("%j is invalid input", async (argv, words) => {
    const project = await makePulled(server(EXAMPLE));
    await writeChanges(project, ...CHANGES.slice(3));
    await project.refuses(argv, words);
  });
});

describe("replay --allow-unlocked", () => {
  const ALLOWED = [...REPLAY, "--allow-unlocked"];

  test("replays tools that are not locked", async () => {
    const project = await makeProject(server(EXAMPLE));
    await writeChanges(project, ...CHANGES.slice(0, 1));
    await project.refuses([...REPLAY, "--dry-run"]);
    const planned = { exitCode: 0, status: "planned", conflicts: [] };
    await project.reports([...ALLOWED, "--dry-run"], planned);
    const complete = { exitCode: 0, status: "complete", steps: [{ state: "done" }] };
    await project.reports([...ALLOWED, "--yes"], complete);
  });

  test("names a tool that is in neither the lock nor the server", async () => {
    const project = await makePulled(server(EXAMPLE));
    await writeChanges(project, { ...CHANGES[0], tool: "gone" });
    for (const argv of [REPLAY, ALLOWED])
      await project.prints([...argv, "--dry-run"], 1, 'run "npx mcp-codegen pull example"');
  });

  test("does not plan if a server cannot be listed", async () => {
    const project = await makeProject(server({ url: "http://127.0.0.1:1/" }));
    await writeChanges(project, ...CHANGES.slice(0, 1));
    expect((await project.prints([...ALLOWED, "--dry-run"], 3)).stderr).toContain("127.0.0.1:1");
  });
});
