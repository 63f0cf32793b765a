import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";

const good = { name: "good", inputSchema: { type: "object", properties: { id: { type: "integer" } } } };

function turned(property: object): object {
  return { name: "turned", inputSchema: { type: "object", properties: { a: property } } };
}

async function makeSaved(...tools: readonly object[]): Promise<Project> {
  const project = await makeProject({ servers: { saved: { file: "tools.json" } } });
  await project.writeJson("tools.json", { tools });
  return project;
}

/** Returns how many lines of an output name an unusable tool. */
function linesAbout(tool: string, output: string): readonly string[] {
  return output.split("\n").filter((line) => line.includes(tool) && line.includes("[TOOL_UNUSABLE]"));
}

describe("an unusable tool", () => {
  it("is named by pull and check, loses its file, and does not affect other tools", async () => {
    const project = await makeSaved(good, turned({ type: "string" }));
    await project.run("pull");
    const before = await project.files();
    await project.writeJson("tools.json", { tools: [good, turned({ $ref: "file:///etc/passwd" })] });

    const pulled = await project.prints(
      ["pull", "--accept", "schema-ref-external", "--reason", "A test."],
      0,
    );
    expect(linesAbout("turned", pulled.stdout)).toEqual([
      expect.stringContaining('refers to "file:///etc/passwd"'),
    ]);
    const after = await project.files();
    expect(after[LOCKFILE_NAME]).toContain("file:///etc/passwd");
    expect(after).not.toHaveProperty(["generated/saved/turned.ts"]);
    expect(after["generated/saved/good.ts"]).toBe(before["generated/saved/good.ts"]);
    expect(JSON.stringify({ ...after, [LOCKFILE_NAME]: "", "tools.json": "" })).not.toMatch(/passwd|root:/);

    for (const argv of [["check"], ["check", "--full"], ["generate"]]) {
      const { stdout } = await project.prints(argv, 0);
      expect(linesAbout("turned", stdout), argv.join(" ")).toHaveLength(1);
    }
    const message = expect.stringMatching(
      /^Tool "saved__turned" cannot be used\. .*"file:\/\/\/etc\/passwd"/,
    ) as string;
    const error = { code: "SCHEMA_INVALID", message };
    for (const line of ["describe good turned", "call turned"])
      await project.reports(line, { report: "error", exitCode: 2, error });
  });

  it("is named once, whether its list entry or its schema is invalid", async () => {
    const project = await makeProject({
      servers: { odd: fixtureCommand("odd-schemas", "--only", "good,input-null,ref-file") },
    });
    for (const argv of [["pull", "--dry-run"], ["pull"], ["pull"]]) {
      const { stdout } = await project.run(argv);
      expect(linesAbout("input-null", stdout), argv.join(" ")).toHaveLength(1);
      expect(linesAbout("ref-file", stdout), argv.join(" ")).toHaveLength(1);
    }
  });
});

describe("an approximated schema", () => {
  const loose = turned({ type: "string", pattern: "(unclosed[" });
  const loosened = { code: "KEYWORD_LOOSENED", tool: "turned", path: "/inputSchema/properties/a/pattern" };

  it("is reported when its file is written, and by check --json and --full", async () => {
    const project = await makeSaved(good, loose);
    for (const flag of ["--dry-run", "--frozen"]) {
      const parts = { wrote: false, diagnostics: [loosened] };
      const { stderr } = await project.reports(`pull ${flag}`, parts);
      expect(stderr).toContain("[KEYWORD_LOOSENED]");
    }
    for (const line of ["pull", "generate --full", "check --offline --full"])
      await project.prints(line, 0, "[KEYWORD_LOOSENED]");
    for (const line of ["generate", "check --offline"])
      await project.prints(line, 0, /^(?![^]*\[KEYWORD_LOOSENED\])/);
    const { code: rule, ...place } = loosened;
    for (const line of ["check", "check --offline", "check --offline --full"])
      await project.reports(line, { exitCode: 0, notes: [{ rule, ...place }] });
  });

  it("is counted by list --fidelity, with the settings of the configuration", async () => {
    const refused = { ...turned({ $ref: "file:///etc/passwd" }), name: "refused" };
    const formatted = { ...turned({ type: "string", format: "hex-color" }), name: "formatted" };
    const over = { type: "object", anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    const project = await makeSaved(good, loose, refused, formatted, { name: "over", inputSchema: over });
    await project.run("pull");
    const others = [
      { code: "SCHEMA_FALLBACK", tool: "over" },
      { code: "TOOL_UNUSABLE", tool: "refused" },
    ];
    const fidelity = { exact: 3, of: 5, diagnostics: [...others, loosened] };
    await project.reports("list --fidelity", { servers: [{ server: "saved", fidelity }] });
    expect((await project.run("list --fidelity")).stdout).toContain("exact: 3 of 5 tools, 60 %");
    expect((await project.run("list")).stdout).not.toContain("exact:");

    await project.configure({ servers: { saved: { file: "tools.json", formats: "assert" } } });
    expect((await project.run("list --fidelity")).stdout).toContain("exact: 2 of 5 tools, 40 %");
    await project.prints("check --offline", 1);
  });
});
