import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { complaints } from "../report/schemas.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled } from "./make-project.js";

const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };
const DRIFT = { DRIFT: "input-bound-tightened" };

describe("the reports of check", () => {
  it("are written to several files, and to stdout in the requested format", async () => {
    const project = await makePulled({ servers: { shop } });
    const files = ["text=r/all.txt", "json=r/all.json", "markdown=r/all.md", "sarif=r/all.sarif"];
    const reports = files.flatMap((file) => ["--report", file]);
    const drifted = project.withEnv({ ...DRIFT, FORCE_COLOR: "1" });
    const junit = ["check", "--format", "junit", ...reports];
    const { stderr } = await drifted.prints(junit, 1, /^<\?xml [\s\S]*<\/testsuites>\n$/);
    expect(stderr).toContain("  take it ");
    const text = await project.read("r/all.txt");
    expect(text).toContain(
      "  breaking  ~ cancel-order  input.reason maxLength: 200 → 20 [input-bound-tightened]\n",
    );
    expect(JSON.parse(await project.read("r/all.json"))).toMatchObject({ report: "check", exitCode: 1 });
    expect(await project.read("r/all.md")).toContain("`input.reason maxLength`: `200` → `20`");

    const log = JSON.parse(await project.read("r/all.sarif")) as {
      runs: { results: { locations: { physicalLocation: { region: { startLine: number } } }[] }[] }[];
    };
    const line = log.runs[0]?.results[0]?.locations[0]?.physicalLocation.region.startLine ?? 0;
    expect((await project.read(LOCKFILE_NAME)).split("\n")[line - 1]?.trim()).toBe('"maxLength": 200');
  });

  it("are equal with --format json and --json, also for invalid arguments", async () => {
    const project = await makePulled({ servers: { shop } });
    const { stdout } = await project.run("check --format json", DRIFT);
    expect(stdout).toBe((await project.runJson("check", DRIFT)).stdout);
    const wrong = await project.run("check --format json --report x");
    expect(JSON.parse(wrong.stdout)).toMatchObject({ report: "error", error: { code: "USAGE" } });
  });

  it.each([
    [["--json", "--format", "sarif"], "--json cannot be used with --format sarif"],
    [["--report", "sarif"], '--report "sarif" is not <format>=<file>'],
    [["--report", "sarf=a"], '--report "sarf=a" is not <format>=<file>'],
    [["--report", "sarif=a", "--report", "junit=./a"], '--report writes "a" twice'],
    ...[
      "mcp-codegen.lock.json",
      ".env",
      "README.md",
      "src/App.vue",
      ".github/workflows/mcp.yml",
      "mcp-codegen.waivers.json",
      "x/mcp-codegen.config.ts",
      "package.json",
      "src/app.ts",
      "a.PHP",
    ].map((file): [string[], string] => [["--report", `json=${file}`], "cannot be"]),
    [["--format", "yaml"], "Allowed choices are text, json"],
  ])("reject %j before any server is contacted", async (argv, message) => {
    const project = await makeProject({ servers: { shop } });
    await project.refuses(["check", ...argv], message);
  });

  it("never replace the lock, also with page --out", async () => {
    const project = await makePulled({ servers: { shop } });
    const lock = await project.read(LOCKFILE_NAME);
    await project.refuses(["page", "--out", LOCKFILE_NAME], "--out cannot be", "tools.html");
    expect(await project.read(LOCKFILE_NAME)).toBe(lock);
  });

  it.each([
    ["check", [], /"mcp-codegen\.lock\.json"/],
    ["diff", ["nowhere.json", "nothing.json"], /"(?:nowhere|nothing)\.json"/],
  ])("contain the error of %s in their files", async (command, argv, why) => {
    const project = await makeProject({ servers: { shop } });
    const formats = ["text", "json", "markdown", "github", "sarif", "junit"];
    const reports = formats.flatMap((format) => ["--report", `${format}=r/${format}`]);
    await project.refuses([command, ...argv, ...reports], why);
    const text = async (format: string): Promise<string> => project.read(`r/${format}`);
    for (const format of formats)
      expect((await text(format)).replaceAll("&quot;", '"').replaceAll('\\"', '"')).toMatch(why);
    const json = JSON.parse(await text("json")) as JsonObject;
    expect(complaints(json)).toEqual([]);
    expect(json).toMatchObject({ report: "error", exitCode: 2 });
    expect(await text("junit")).toContain('errors="1"');
    expect(JSON.parse(await text("sarif"))).toMatchObject({
      runs: [{ invocations: [{ executionSuccessful: false }] }],
    });
  });

  it("that cannot be written are an error, after the others are written, and the one document on stdout", async () => {
    const project = await makePulled({ servers: { shop } });
    await project.write("folder", "");
    const reports = ["--report", "junit=folder/a.xml", "--report", "junit=b.xml"];
    await project.refuses(["check", "--offline", ...reports], '"a.xml" cannot be written');
    expect(await project.read("b.xml")).toContain("match the lock");
    await project.reports("check --offline --report html=folder/a.html", {
      report: "error",
      exitCode: 2,
      error: { code: "FILE_FAILED" },
    });
  });
});

describe("inside GitHub Actions", () => {
  it("a check annotates the lock's lines and adds to the summary of the step automatically", async () => {
    const project = await makePulled({ servers: { shop } });
    const env = {
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: join(project.dir, ".."),
      GITHUB_STEP_SUMMARY: join(project.dir, "summary.md"),
    };
    await project.write("summary.md", "before\n");
    const { stdout } = await project.withEnv({ ...DRIFT, ...env }).prints("check", 1);
    const folder = project.dir.split("/").at(-1) ?? "";
    const lock = await readFile(join(project.dir, LOCKFILE_NAME), "utf8");
    const line = lock.split("\n").findIndex((text) => text.includes('"maxLength": 200')) + 1;
    expect(stdout).toContain(
      `::error file=${folder}/${LOCKFILE_NAME},line=${line},title=shop cancel-order%3A input-bound-tightened (breaking)::`,
    );
    expect(await project.read("summary.md")).toMatch(
      /^before\n<!-- mcp-codegen -->\n## mcp-codegen: 1 break/,
    );

    const asked = await project.run("check --json", { ...DRIFT, ...env });
    expect(JSON.parse(asked.stdout)).toMatchObject({ report: "check" });
    expect(asked.stderr).toContain("::error file=");
    const once = await project.run("check --format github", { ...DRIFT, ...env });
    // The change, and the finding that the server kept its version.
    expect(once.stdout.match(/^::error /gm)).toHaveLength(2);
    expect(once.stderr).not.toContain("::error ");
  });

  it("elsewhere there are neither", async () => {
    const project = await makePulled({ servers: { shop } });
    const env = { ...DRIFT, GITHUB_STEP_SUMMARY: join(project.dir, "summary.md") };
    const { stdout, stderr } = await project.run("check", env);
    expect(stdout + stderr).not.toContain("::");
    expect(await project.paths()).not.toContain("summary.md");
  });
});
