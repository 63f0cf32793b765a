import { describe, expect, it } from "vitest";
import { runCommand, type Outcome } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, makePulled, type Project } from "./make-project.js";

const WRITES = { MCP_CODEGEN_ENABLE_WRITES: "1" };
const CHOICES = [
  { const: "p0", title: "Free" },
  { const: "p1", title: "Pro" },
];
const PROPERTIES = {
  plan: { type: "string", oneOf: CHOICES },
  seats: { type: "integer", title: "Seats", minimum: 1, maximum: 5, default: 2 },
  extras: { type: "array", items: { type: "string", enum: ["backup", "mail"] } },
  trial: { type: "boolean" },
  note: { type: "string", maxLength: 9, default: "Thanks." },
};
const requestedSchema = { type: "object", properties: PROPERTIES, required: ["plan", "seats"] };
const FORM = { message: "Which plan?", requestedSchema };
const url = `https://login.example.com/?s=${"x".repeat(1_500)}`;
const ADDRESS = { mode: "url", message: "Sign in.", url };

async function project(era: string): Promise<Project> {
  return (await makePulled({ servers: { asks: fixtureCommand("asks", "--era", era) } })).withEnv(WRITES);
}

/** The words of a call of the tool that asks this. */
function calling(params: object, ...answers: readonly string[]): readonly string[] {
  const rounds = [{ one: { params } }];
  const words = answers.map((answer) => `--answer=${answer}`);
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
    const all = await run(calling(FORM, "plan=Pro", "extras=mail", "extras=backup", "trial=yes"));
    const content = { plan: "p1", seats: 2, extras: ["mail", "backup"], trial: true };
    expect(answersOf(all)).toEqual([{ one: { action: "accept", content } }]);
    // After the tool's name too.
    const after = await run([...calling(FORM, "plan=p0"), "--answer", "seats=5"]);
    expect(answersOf(after)).toEqual([{ one: { action: "accept", content: { plan: "p0", seats: 5 } } }]);
    for (const action of ["accept", "decline", "cancel"])
      expect(answersOf(await run(calling(ADDRESS, `action=${action}`)))).toEqual([{ one: { action } }]);
    const unasked = await run(calling(FORM, "plan=p0", "plna=p1"));
    expect([unasked.exitCode, unasked.stderr]).toEqual([0, 'The tool did not ask for "plna" of --answer.\n']);
  });

  it("exits 2 without an answer, with the question and what to type", async () => {
    const { dir, refuses, runJson } = await project(era);
    const outcome = await refuses(calling(FORM));
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
    expect((await runJson(calling(ADDRESS))).document["error"]).toMatchObject({
      code: "INPUT_REQUIRED",
      questions: [{ kind: "url", message: "Sign in.", url: ADDRESS.url, host: "login.example.com" }],
      hint: "Open the address, then run the command again with --answer action=accept.",
    });
    // A person needs the whole address. Nothing is asked or opened at a terminal either.
    const asked = await runCommand(calling(ADDRESS), { cwd: dir, env: WRITES, keys: "\r" });
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(`  Open ${ADDRESS.url}\n  on the host login.example.com\n`);
  });
});

it.each([
  ["plan=Gold", "--answer plan=Gold does not fit: ", "Expected Free or Pro."],
  ["seats=9", "--answer seats=9 does not fit: ", "Expected integer of 1 to 5."],
  ["seats=two", "--answer seats=two does not fit: ", "Expected integer of 1 to 5."],
  ["seats=9007199254740993", "--answer seats=9007199254740993 does not fit", ""],
  ["Gold", '--answer takes key=value, not "Gold".', "For example: --answer name=Ada."],
  ["action=yes", "--answer action takes accept, decline or cancel", ""],
])("call exits 2 for the answer %s", async (answer, message, hint) => {
  const { refuses } = await project("modern");
  const { stderr } = await refuses(calling(FORM, answer), `error: ${message}`, hint);
  expect(stderr).not.toContain("did not ask");
});

it("calls a tool of an unconfigured server that is only listed for clients that answer", async () => {
  const { command, args } = fixtureCommand("lists-by-capability");
  const argv = ["call", "--server", `${command} ${args.join(" ")}`, "ask-user", "--id", "1", "--yes"];
  await (await makeProject()).withEnv(WRITES).prints(argv, 0, "called ask-user");
});
