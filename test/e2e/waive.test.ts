/** `check --waive` writes the waiver that a person would otherwise copy from `check --json`. */
import { describe, expect, test } from "vitest";
import { commitAll } from "./git.js";
import { makeProject, type Project } from "./make-project.js";

const WAIVERS = "mcp-codegen.waivers.json";
const RULE = "input-type-narrowed";
const UNTIL = ["--until", "2999-12-31"];
const REASON = ["--reason", "clients never send it"];
const GIVEN = [...UNTIL, ...REASON];

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
  await project.run("pull");
  await project.write("tools.json", list("integer"));
  await project.prints("check", 1);
  return project;
}

const waiversOf = async (project: Project): Promise<readonly object[]> =>
  (JSON.parse(await project.read(WAIVERS)) as { readonly waivers: readonly object[] }).waivers;

describe("check --waive", () => {
  test("writes a waiver for each finding of the rule, and passes from then on", async () => {
    const project = await driftedProject();
    const written = `${WAIVERS}: 2 waivers written, until 2999-12-31.`;
    const waived = await project.prints(["check", "--waive", RULE, ...GIVEN], 0, written);
    expect(waived.stdout).not.toContain("take it");
    const [expires, reason] = ["2999-12-31", "clients never send it"];
    expect(await waiversOf(project)).toMatchObject([
      { rule: "input-type-narrowed", server: "shop", tool: "find", expires, reason },
      { tool: "get", path: "/inputSchema/properties/n/type" },
    ]);
    await project.prints("check", 0);
  });

  test("names the comparison, so that no other check reports the waiver as unused", async () => {
    const project = await driftedProject();
    await commitAll(project.dir);
    expect((await project.run("pull")).exitCode).toBe(0);
    const against = ["check", "--against", "HEAD"];
    await project.run([...against, "--waive", "input-type-narrowed", "get", ...GIVEN]);
    expect(await waiversOf(project)).toMatchObject([{ check: "--against HEAD" }]);
    await project.prints("check", 0, /^Up to date/);
  });

  test("waives only these findings, of one tool or of all, and a second waiver replaces the first", async () => {
    const project = await driftedProject();
    await project.prints(["check", "shop", "--waive", RULE, "get", ...GIVEN], 1);
    expect(await waiversOf(project)).toMatchObject([{ tool: "get" }]);
    await project.run(["check", "--waive", RULE, ...GIVEN]);
    await project.write("tools.json", list("boolean"));
    await project.prints("check", 1);
    await project.run(["check", "--waive", "input-type-changed", ...GIVEN]);
    await project.write("tools.json", list("integer"));
    await project.prints("check", 0);
    expect(await waiversOf(project)).toHaveLength(4);
  });

  test("replaces a waiver that has expired, and reports it no longer", async () => {
    const project = await driftedProject();
    await project.run(["check", "--waive", RULE, ...GIVEN]);
    await project.write(WAIVERS, (await project.read(WAIVERS)).replaceAll("2999-12-31", "2020-12-31"));
    await project.prints("check", 1, "has expired");
    const { stdout } = await project.prints(["check", "--waive", RULE, ...GIVEN], 0);
    expect(stdout).not.toContain("has expired");
  });

  test("rejects wrong words, and writes nothing", async () => {
    const project = await driftedProject();
    await project.refuses(["check", ...REASON], "require --waive");
    for (const [argv, message] of [
      [["input-narrowed", ...GIVEN], 'unknown rule "input-narrowed"'],
      [["tool-removed", ...GIVEN], 'no open finding of rule "tool-removed"'],
      [[RULE, "nope", ...GIVEN], 'in tool "nope".\nhint: Tools with such a finding: find, get.\n'],
      [[RULE, "fnd", ...GIVEN], 'Did you mean "find"?'],
      // It was only copied.
      [[RULE, ...UNTIL, "--reason", "…"], '--reason contains no words: "…"'],
      [[RULE, ...UNTIL], "requires --reason"],
      [[RULE, ...REASON], "requires --until"],
      [[RULE, "--until", "2999-02-30", ...REASON], '--until takes a date, not "2999-02-30"'],
      [[RULE, "--until", "2020-01-01", ...REASON], "is in the past"],
      [
        ["input-type-narowed", "a", "b", "--until", "soon"],
        [
          'error: --waive: unknown rule "input-type-narowed". Did you mean "input-type-narrowed"?',
          "       --waive takes one rule and at most one tool.",
          '       --until takes a date, not "soon".',
          "       --waive requires --reason.",
          "hint: For example: npx mcp-codegen check --waive tool-removed get-post --until 2027-06-30 --reason",
        ].join("\n"),
      ],
    ] as const)
      await project.refuses(["check", "--waive", ...argv], message);
    expect(await project.paths()).not.toContain(WAIVERS);
  });
});

test("check --unwaive removes the waivers of a rule, of all tools or of one, and judges their findings again", async () => {
  const project = await driftedProject();
  await project.run(["check", "--waive", RULE, ...GIVEN]);
  const before = await project.read(WAIVERS);
  for (const [words, message] of [
    [["input-type-narrowed", "gett"], 'no waiver of rule "input-type-narrowed" in tool "gett".'],
    [["tool-removed"], 'no waiver of rule "tool-removed".'],
    [["input-type-narrowed", "get", "/inputSchema"], 'in tool "get" at "/inputSchema".'],
    [[RULE, "get", "shop"], `hint: Write the server before it: check shop --unwaive ${RULE} get\n`],
    [["tool-removed", "a", "/b", "c"], "--unwaive takes one rule, at most one tool, and a path in it."],
  ] as const)
    await project.refuses(["check", "--unwaive", ...words], message);
  expect(await project.read(WAIVERS)).toBe(before);

  await project.prints(
    ["check", "--unwaive", RULE, "get"],
    1,
    `${WAIVERS}: 1 waiver removed.\n  input-type-narrowed shop get /inputSchema/properties/n/type\n`,
  );
  expect(await waiversOf(project)).toMatchObject([{ tool: "find" }]);
  await project.run(["check", "--unwaive", RULE, "find", "/inputSchema/properties/n/type"]);
  expect(await project.paths()).not.toContain(WAIVERS);
  await project.run(["check", "--waive", RULE, "find", ...GIVEN]);
  await project.refuses(["check", "other", "--unwaive", RULE], "no waiver of rule");
  await project.run(["check", "--unwaive", RULE]);
  expect(await project.paths()).not.toContain(WAIVERS);
});

test("a waiver of a server that is neither locked nor configured is reported as unused", async () => {
  const project = await driftedProject();
  await project.run(["check", "--waive", RULE, "get", ...GIVEN]);
  await project.write(WAIVERS, (await project.read(WAIVERS)).replace('"shop"', '"shpo"'));
  await project.prints("check", 1, "Not used. To remove it: npx mcp-codegen check shpo --unwaive");
  await project.prints("check --offline", 0, "Not used.");
  await project.prints(["check", "shpo", "--unwaive", RULE, "get"], 1, "1 waiver removed");
  expect(await project.paths()).not.toContain(WAIVERS);
});
