import { describe, expect, it } from "vitest";
import { runCommand, type Outcome } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, makePulled, type Project } from "./make-project.js";

const WRITES = { MCP_CODEGEN_ENABLE_WRITES: "1" };
const FORM = {
  message: "Which plan?",
  requestedSchema: {
    type: "object",
    properties: {
      plan: {
        type: "string",
        oneOf: [
          { const: "p0", title: "Free" },
          { const: "p1", title: "Pro" },
        ],
      },
      seats: { type: "integer", title: "Seats", minimum: 1, maximum: 5, default: 2 },
      extras: { type: "array", items: { type: "string", enum: ["backup", "mail"] } },
      trial: { type: "boolean" },
      note: { type: "string", maxLength: 9, default: "Thanks." },
    },
    required: ["plan", "seats"],
  },
};
const ADDRESS = {
  mode: "url",
  message: "Sign in.",
  url: `https://login.example.com/?s=${"x".repeat(1_500)}`,
};

async function project(era: string): Promise<Project> {
  const made = await makePulled({ servers: { asks: fixtureCommand("asks", "--era", era) } });
  return made;
}

/** The words of a call of the tool that asks this. */
function calling(params: object, words: readonly string[] = []): readonly string[] {
  const rounds = [{ one: { params } }];
  return ["call", ...words, "ask", "--yes", "--input", JSON.stringify({ rounds, strict: true })];
}

/** What the tool got, from its output. */
function answersOf({ stdout, stderr, exitCode }: Outcome): unknown {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return (JSON.parse(stdout) as { readonly answers: unknown }).answers;
}

describe.each(["legacy", "modern"])("call of a %s tool that asks", (era) => {
  it("takes answers from the command line, by value or title", async () => {
    const { run } = await project(era);
    const words = [
      "--answer",
      "plan=Pro",
      "--answer",
      "extras=mail",
      "--answer=extras=backup",
      "--answer",
      "trial=yes",
    ];
    const accepted = {
      action: "accept",
      content: { plan: "p1", seats: 2, extras: ["mail", "backup"], trial: true },
    };
    expect(answersOf(await run(calling(FORM, words), WRITES))).toEqual([{ one: accepted }]);
    // After the tool's name too.
    const after = [...calling(FORM, ["--answer", "plan=p0"]), "--answer", "seats=5"];
    expect(answersOf(await run(after, WRITES))).toEqual([
      { one: { action: "accept", content: { plan: "p0", seats: 5 } } },
    ]);
  });

  it("refuses a number that JavaScript cannot hold", async () => {
    const { run } = await project(era);
    const { exitCode, stderr } = await run(calling(FORM, ["--answer", "seats=9007199254740993"]), WRITES);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--answer seats=9007199254740993 does not fit") as string,
    });
  });

  it.each(["accept", "decline", "cancel"])("takes action=%s for an address", async (action) => {
    const { run } = await project(era);
    const outcome = await run(calling(ADDRESS, ["--answer", `action=${action}`]), WRITES);
    expect(answersOf(outcome)).toEqual([{ one: { action } }]);
  });

  it("exits 2 without an answer, with the question and what to type", async () => {
    const { run, runJson } = await project(era);
    const outcome = await run(calling(FORM), WRITES);
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stdout).toBe("");
    expect(outcome.stderr).toBe(
      [
        'Server "asks" asks for tool "ask": Which plan?',
        "  plan (required): Free or Pro",
        "  seats (required): integer of 1 to 5, default 2. Seats",
        "  extras: some of backup and mail",
        "  trial: true or false",
        '  note: text of at most 9 characters, default "Thanks."',
        'error: Tool "ask" requires input: no --answer fits. The server asks: "Which plan?"',
        "hint: Run the command again with --answer plan=Free --answer seats=2.",
        "",
      ].join("\n"),
    );
    const { document } = await runJson(calling(ADDRESS), WRITES);
    expect(document["error"]).toMatchObject({
      code: "INPUT_REQUIRED",
      questions: [{ kind: "url", message: "Sign in.", url: ADDRESS.url, host: "login.example.com" }],
      hint: "Open the address, then run the command again with --answer action=accept.",
    });
    // A person needs the whole address.
    expect((await run(calling(ADDRESS), WRITES)).stderr).toContain(`  Open ${ADDRESS.url}\n`);
  });

  it.each([
    ["a wrong choice", "plan=Gold", "--answer plan=Gold does not fit: ", "Expected Free or Pro."],
    ["a number out of range", "seats=9", "--answer seats=9 does not fit: ", "Expected integer of 1 to 5."],
    ["no number", "seats=two", "--answer seats=two does not fit: ", "Expected integer of 1 to 5."],
    ["no key", "Gold", '--answer takes key=value, not "Gold".', "For example: --answer name=Ada."],
    ["an unknown action", "action=yes", "--answer action takes accept, decline or cancel", ""],
  ])("exits 2 for %s", async (_, answer, message, hint) => {
    const { run } = await project(era);
    const { exitCode, stderr } = await run(calling(FORM, ["--answer", answer]), WRITES);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain("did not ask");
  });

  it("warns about an answer that no question asked for", async () => {
    const { run } = await project(era);
    const { exitCode, stderr } = await run(
      calling(FORM, ["--answer", "plan=p0", "--answer", "plna=p1"]),
      WRITES,
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'The tool did not ask for "plna" of --answer.\n',
    });
  });

  it("asks nothing at a terminal either, and opens nothing", async () => {
    const { dir } = await project(era);
    const argv = calling({ ...ADDRESS, url: "https://login.example.com/" });
    const outcome = await runCommand(argv, { cwd: dir, env: WRITES, keys: "\r" });
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stderr).toContain("  Open https://login.example.com/\n  on the host login.example.com\n");
    expect(outcome.stderr).toContain("run the command again with --answer action=accept.");
  });
});

it("calls a tool of an unconfigured server that is only listed for clients that answer", async () => {
  const { dir } = await makeProject();
  const { command, args } = fixtureCommand("lists-by-capability");
  const argv = ["call", "--server", `${command} ${args.join(" ")}`, "ask-user", "--id", "1", "--yes"];
  const { stderr } = await runCommand(argv, { cwd: dir, env: WRITES });
  // The fixture lists tools and has none that runs.
  expect(stderr).toContain("Method not found: tools/call");
});
