/** `check --waive` writes the waiver that a person would otherwise copy from `check --json`. */
import { describe, expect, test } from "vitest";
import { commitAll } from "./git.js";
import { makeProject, type Project } from "./make-project.js";

const WAIVERS = "mcp-codegen.waivers.json";
const GIVEN = ["--until", "2999-12-31", "--reason", "clients never send it"];

const list = (type: string, description = "Reads."): string =>
  JSON.stringify({
    tools: ["get", "find"].map((name) => ({
      name,
      description,
      inputSchema: { type: "object", properties: { n: { type } } },
    })),
  });

async function driftedProject(): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await project.write("tools.json", list("number"));
  await project.run(["pull"]);
  await project.write("tools.json", list("integer"));
  expect((await project.run(["check"])).exitCode).toBe(1);
  return project;
}

const waiversOf = async (project: Project): Promise<readonly object[]> =>
  (JSON.parse(await project.read(WAIVERS)) as { readonly waivers: readonly object[] }).waivers;

describe("check --waive", () => {
  test("writes a waiver for each finding of the rule, and passes from then on", async () => {
    const project = await driftedProject();
    const waived = await project.run(["check", "--waive", "input-type-narrowed", ...GIVEN]);
    expect([waived.exitCode, waived.stdout]).toEqual([
      0,
      expect.stringContaining(`${WAIVERS}: 2 waivers written, until 2999-12-31.`),
    ]);
    expect(waived.stdout).not.toContain("take it");
    expect(await waiversOf(project)).toMatchObject([
      {
        rule: "input-type-narrowed",
        server: "shop",
        tool: "find",
        expires: "2999-12-31",
        reason: "clients never send it",
      },
      { tool: "get", path: "/inputSchema/properties/n/type" },
    ]);
    expect((await project.run(["check"])).exitCode).toBe(0);
  });

  test("names the comparison, so that no other check reports the waiver as unused", async () => {
    const project = await driftedProject();
    await commitAll(project.dir);
    expect((await project.run(["pull"])).exitCode).toBe(0);
    const against = ["check", "--against", "HEAD"];
    await project.run([...against, "--waive", "input-type-narrowed", "get", ...GIVEN]);
    expect(await waiversOf(project)).toMatchObject([{ check: "--against HEAD" }]);
    const { exitCode, stdout } = await project.run(["check"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Up to date/)]);
  });

  test("waives the findings of one tool", async () => {
    const project = await driftedProject();
    const { exitCode } = await project.run([
      "check",
      "shop",
      "--waive",
      "input-type-narrowed",
      "get",
      ...GIVEN,
    ]);
    expect(exitCode).toBe(1);
    expect(await waiversOf(project)).toMatchObject([{ tool: "get" }]);
  });

  test("waives only these findings, and a second waiver replaces the first", async () => {
    const project = await driftedProject();
    await project.run(["check", "--waive", "input-type-narrowed", ...GIVEN]);
    await project.write("tools.json", list("boolean"));
    expect((await project.run(["check"])).exitCode).toBe(1);
    await project.run(["check", "--waive", "input-type-changed", ...GIVEN]);
    await project.write("tools.json", list("integer"));
    expect((await project.run(["check"])).exitCode).toBe(0);
    expect(await waiversOf(project)).toHaveLength(4);
  });

  test.each<[string, readonly string[], string]>([
    ["an unknown rule", ["--waive", "input-narrowed", ...GIVEN], 'unknown rule "input-narrowed"'],
    [
      "a rule without a finding",
      ["--waive", "tool-removed", ...GIVEN],
      'no open finding of rule "tool-removed"',
    ],
    ["a tool without one", ["--waive", "input-type-narrowed", "nope", ...GIVEN], 'in tool "nope"'],
    ["a misspelt tool", ["--waive", "input-type-narrowed", "fnd", ...GIVEN], 'Did you mean "find"?'],
    [
      "a reason that was only copied",
      ["--waive", "input-type-narrowed", "--until", "2999-12-31", "--reason", "…"],
      '--reason contains no words: "…"',
    ],
    ["no reason", ["--waive", "input-type-narrowed", "--until", "2999-12-31"], "requires --reason"],
    ["no date", ["--waive", "input-type-narrowed", "--reason", "why not"], "requires --until"],
    [
      "an impossible date",
      ["--waive", "input-type-narrowed", "--until", "2999-13-31", "--reason", "x y"],
      '--until takes a date, not "2999-13-31"',
    ],
    [
      "February 30",
      ["--waive", "input-type-narrowed", "--until", "2999-02-30", "--reason", "x y"],
      '--until takes a date, not "2999-02-30"',
    ],
    [
      "a date in the past",
      ["--waive", "input-type-narrowed", "--until", "2020-01-01", "--reason", "x y"],
      "is in the past",
    ],
    [
      "everything wrong at once",
      ["--waive", "input-type-narowed", "a", "b", "--until", "soon"],
      [
        'error: --waive: unknown rule "input-type-narowed". Did you mean "input-type-narrowed"?',
        "       --waive takes one rule and at most one tool.",
        '       --until takes a date, not "soon".',
        "       --waive requires --reason.",
        "hint: For example: npx mcp-codegen check --waive tool-removed get-post --until 2027-06-30 --reason",
      ].join("\n"),
    ],
    ["only a reason", ["--reason", "x y"], "require --waive"],
  ])("rejects %s and writes nothing", async (_what, argv, message) => {
    const project = await driftedProject();
    const { exitCode, stderr } = await project.run(["check", ...argv]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await project.paths()).not.toContain(WAIVERS);
  });
});

describe("check --unwaive", () => {
  test("removes the waivers of a rule, of all tools or of one, and judges their findings again", async () => {
    const project = await driftedProject();
    await project.run(["check", "--waive", "input-type-narrowed", ...GIVEN]);
    const one = await project.run(["check", "--unwaive", "input-type-narrowed", "get"]);
    expect([one.exitCode, one.stdout]).toEqual([
      1,
      expect.stringContaining(
        `${WAIVERS}: 1 waiver removed.\n  input-type-narrowed shop get /inputSchema/properties/n/type\n`,
      ),
    ]);
    expect(await waiversOf(project)).toMatchObject([{ tool: "find" }]);
    await project.run(["check", "--unwaive", "input-type-narrowed"]);
    expect(await waiversOf(project)).toEqual([]);
  });

  test.each([
    [["input-type-narrowed", "gett"], 'no waiver of rule "input-type-narrowed" in tool "gett".'],
    [["tool-removed"], 'no waiver of rule "tool-removed".'],
    [["tool-removed", "a", "b"], "--unwaive takes one rule and at most one tool."],
  ])("refuses %j, and changes nothing", async (words, message) => {
    const project = await driftedProject();
    await project.run(["check", "--waive", "input-type-narrowed", "get", ...GIVEN]);
    const before = await project.read(WAIVERS);
    const { exitCode, stderr } = await project.run(["check", "--unwaive", ...words]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await project.read(WAIVERS)).toBe(before);
  });
});
