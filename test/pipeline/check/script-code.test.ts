/** `check` type-checks saved scripts against the lock and the servers, and `fix` edits them. */
import { withSections } from "../../cli/run-command.js";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { complaints } from "../../report/schemas.js";
import { commitAll } from "../../e2e/git.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { runBuilt, runProgram, withoutPackages } from "../../e2e/run-built.js";

const object = (properties: object, required: readonly string[]): object => {
  return { type: "object", properties, required, additionalProperties: false };
};

const TEXT = { type: "string" };
const GET = {
  name: "get-order",
  annotations: { readOnlyHint: true },
  inputSchema: object({ id: { type: "integer" }, note: { type: "string", maxLength: 20 } }, ["id"]),
  outputSchema: object({ id: { type: "integer" }, total: TEXT }, ["id", "total"]),
};
const SUMMED = { ...GET, outputSchema: object({ id: { type: "integer" }, sum: TEXT }, ["id", "sum"]) };
const CLOSE = { name: "close-order", inputSchema: object({ id: { type: "integer" } }, ["id"]) };

const FILE = "automations/close.ts";
const SCRIPT = `// Closes the order.
const order = await shop.getOrder({ id: 1, note: "twelve chars" });
if (order.total === "") return;
await shop.closeOrder({ id: order.id });
return order.total.length;
`;
const WRONG = SCRIPT.replace("{ id: 1,", "{ number: 1,");

async function makeShop(config: object = {}): Promise<Project> {
  const settings = { output: false, scripts: ["automations/*.ts"], ...config };
  const project = await makeProject({ servers: { shop: { file: "tools.json" } }, ...settings });
  await project.writeJson("tools.json", { tools: [GET, CLOSE] });
  await project.write(FILE, SCRIPT);
  await project.prints(["pull"], 0);
  return project;
}

/** Runs an offline check of the build, and expects this exit code and text. */
async function expectCheck(project: Project, exitCode: number, text: string): Promise<void> {
  const outcome = await runBuilt(project, ["check", "--offline"]);
  expect(outcome).toMatchObject({ exitCode, stdout: expect.stringContaining(text) as string });
}

async function checkJson(
  project: Project,
  argv: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<{ readonly exitCode: unknown; readonly document: ReturnType<typeof withSections> }> {
  const { exitCode, stdout } = await runBuilt(project, [...argv, "--json"], env);
  const document = JSON.parse(stdout) as JsonObject;
  expect(complaints(document)).toEqual([]);
  return { exitCode, document: withSections(document) };
}

it("scripts that fit the lock are counted", async () => {
  await expectCheck(await makeShop(), 0, "1 script against the lock");
});

/** The environment of a developer: the cache is in `node_modules`. */
const CACHED = { MCP_CODEGEN_CACHE: "" };

it("a line that does not fit the lock fails the check with its place, also after a check that passed", async () => {
  const project = await makeShop();
  await mkdir(join(project.dir, "node_modules"));
  expect((await runBuilt(project, ["check", "--offline"], CACHED)).exitCode).toBe(0);
  await project.write(FILE, WRONG);
  const { exitCode, document } = await checkJson(project, ["check", "--offline"], CACHED);
  const message = expect.stringContaining("'number' does not exist") as string;
  const place = { file: FILE, line: 2, column: 37, facts: { of: "lock" } };
  expect([exitCode, document["scripts"]]).toEqual([1, [{ rule: "script-type-error", ...place, message }]]);
  const { stdout } = await runBuilt(project, ["check", "--offline", "--format", "sarif"]);
  expect(stdout).toContain('"startLine": 2');
});

it("drift names the script that breaks, and its line", async () => {
  const project = await makeShop();
  await project.writeJson("tools.json", { tools: [SUMMED, CLOSE] });
  const { exitCode, document } = await checkJson(project, ["check"]);
  expect(exitCode).toBe(1);
  const [facts, message] = [{ of: "server" }, expect.stringContaining("'total' does not exist") as string];
  expect(document["scripts"]).toMatchObject([
    { line: 3, facts, message },
    { line: 5, facts },
  ]);
  expect((await runBuilt(project, ["check", "--offline"])).exitCode).toBe(0);
});

it("a glob that matches nothing is not verified, and a script over a limit fails the check", async () => {
  const project = await makeShop({ scripts: ["automations/*.ts", "jobs/*.ts"] });
  await expectCheck(project, 3, 'No file matches "jobs/*.ts"');
  await project.write(FILE, `${SCRIPT}//${"x".repeat(1_100_000)}`);
  await expectCheck(project, 1, "scriptBytes");
});

it("without TypeScript, ts-morph checks scripts, and without both they are not verified", async () => {
  const project = await makeShop();
  await project.write(FILE, WRONG);
  const check = (...names: readonly string[]): ReturnType<typeof runProgram> =>
    runProgram(project, ["check", "--offline"], withoutPackages(...names));
  const { exitCode, stdout, stderr } = await check("typescript");
  expect([exitCode, stderr]).toEqual([1, ""]);
  expect(stdout).toContain("'number' does not exist");
  expect(stdout).not.toContain("lib.es2023.d.ts");
  const neither = await check("typescript", "ts-morph");
  expect([neither.exitCode, neither.stdout]).toEqual([
    3,
    expect.stringContaining("npm install -D typescript@6"),
  ]);
});

it("the lines of scripts are call sites of changes", async () => {
  const project = await makeShop({ output: "generated" });
  await project.writeJson("tsconfig.json", { include: ["generated"] });
  const inputSchema = object({ id: { type: "integer" }, note: { type: "string", maxLength: 5 } }, ["id"]);
  await project.writeJson("tools.json", { tools: [{ ...SUMMED, inputSchema }] });
  const { exitCode, document } = await checkJson(project, ["check", "--impact"]);
  expect(exitCode).toBe(1);
  const changes = document["changes"] as readonly { rule: string; callSites?: readonly object[] }[];
  const sites = changes.flatMap(({ rule, callSites = [] }) => callSites.map((site) => ({ rule, ...site })));
  expect(sites).toMatchObject([
    { rule: "tool-removed", file: FILE, line: 4, column: 12, effect: "stops-compiling" },
    { rule: "input-bound-tightened", file: FILE, line: 2, effect: "rejected" },
    { rule: "output-property-removed", file: FILE, line: 3, column: 11 },
    { file: FILE, line: 5, column: 14 },
  ]);
  expect(document["impact"]).toMatchObject({ files: 1, unused: [] });
});

it.each([false, "generated"])(
  "with output %j, scripts are searched without a tsconfig.json",
  async (output) => {
    const project = await makeShop({ output });
    await project.write("package.json", "{}");
    await project.writeJson("tools.json", { tools: [SUMMED, CLOSE] });
    const { exitCode, document } = await checkJson(project, ["check", "--impact"]);
    expect(exitCode).toBe(1);
    const [change] = document["changes"] as readonly { readonly callSites?: readonly object[] }[];
    expect(change?.callSites).toMatchObject([{ line: 3 }, { line: 5 }]);
    expect(document["impact"]).toEqual({ projects: [], files: 1, unused: [] });
    const { stdout } = await runBuilt(project, ["check", "--impact"]);
    expect(stdout).toContain("your scripts: 2 lines in automations/close.ts");
  },
);

it("fix renames in scripts, and leaves what it cannot edit", async () => {
  const project = await makeShop();
  await commitAll(project.dir);
  await project.writeJson("tools.json", { tools: [{ ...SUMMED, name: "fetch-order" }] });
  await project.prints(["pull"], 0);
  const renames = "--rename shop/get-order=fetch-order --rename shop/fetch-order.total=sum";
  const { stdout } = await project.run(`fix --write ${renames}`);
  const renamed = SCRIPT.replace("getOrder", "fetchOrder").replaceAll("total", "sum");
  expect(await project.read(FILE)).toBe(renamed);
  expect(stdout).toMatch(/left for you +automations\/close\.ts:4 .*'closeOrder' does not exist/);
});

it("fix shows a line of a script once, as it is written, although the project searches the file too", async () => {
  const project = await makeShop({ output: "generated" });
  await project.writeJson("tsconfig.json", { include: ["generated"] });
  await project.write(
    FILE,
    `const { id } = await shop.getOrder({ id: 1 });\nreturn { id, tool: "get-order" };\n`,
  );
  await commitAll(project.dir);
  await project.writeJson("tools.json", { tools: [{ ...GET, name: "fetch-order" }, CLOSE] });
  await project.prints(["pull"], 0);
  const { stdout } = await project.run(["fix", "--rename", "shop/get-order=fetch-order"]);
  expect(stdout.match(/left for you .*/g)).toEqual([
    expect.stringMatching(/close\.ts:2 names `get-order`, renamed to `fetch-order`$/),
  ]);
  expect(stdout).toContain("1 place left for you");
});
