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

const object = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  ...{ properties, required, additionalProperties: false },
});

const TEXT = { type: "string" };
const GET = {
  name: "get-order",
  annotations: { readOnlyHint: true },
  inputSchema: object({ id: { type: "integer" }, note: { type: "string", maxLength: 20 } }, ["id"]),
  outputSchema: object({ id: { type: "integer" }, total: TEXT }, ["id", "total"]),
};
const CLOSE = { name: "close-order", inputSchema: object({ id: { type: "integer" } }, ["id"]) };

const SCRIPT = `// Closes the order.
const order = await shop.getOrder({ id: 1, note: "twelve chars" });
if (order.total === "") return;
await shop.closeOrder({ id: order.id });
return order.total.length;
`;

async function makeShop(config: object = {}): Promise<Project> {
  const project = await makeProject({
    ...{ servers: { shop: { file: "tools.json" } }, output: false, scripts: ["automations/*.ts"] },
    ...config,
  });
  await project.writeJson("tools.json", { tools: [GET, CLOSE] });
  await mkdir(join(project.dir, "automations"));
  await project.write("automations/close.ts", SCRIPT);
  await project.prints(["pull"], 0);
  return project;
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
  const project = await makeShop();
  const { exitCode, stdout } = await runBuilt(project, ["check", "--offline"]);
  expect(stdout).toContain("1 script against the lock");
  expect(exitCode).toBe(0);
});

/** The environment of a developer: the cache is in `node_modules`. */
const CACHED = { MCP_CODEGEN_CACHE: "" };

it("a line that does not fit the lock fails the check with its place, also after a check that passed", async () => {
  const project = await makeShop();
  await mkdir(join(project.dir, "node_modules"));
  expect((await runBuilt(project, ["check", "--offline"], CACHED)).exitCode).toBe(0);
  await project.write("automations/close.ts", SCRIPT.replace("{ id: 1,", "{ number: 1,"));
  const { exitCode, document } = await checkJson(project, ["check", "--offline"], CACHED);
  expect(exitCode).toBe(1);
  expect(document["scripts"]).toEqual([
    {
      ...{
        rule: "script-type-error",
        file: "automations/close.ts",
        line: 2,
        column: 37,
        facts: { of: "lock" },
      },
      message: expect.stringContaining("'number' does not exist") as string,
    },
  ]);
  const { stdout } = await runBuilt(project, ["check", "--offline", "--format", "sarif"]);
  expect(stdout).toContain('"startLine": 2');
});

it("drift names the script that breaks, and its line", async () => {
  const project = await makeShop();
  const outputSchema = object({ id: { type: "integer" }, sum: TEXT }, ["id", "sum"]);
  await project.writeJson("tools.json", { tools: [{ ...GET, outputSchema }, CLOSE] });
  const { exitCode, document } = await checkJson(project, ["check"]);
  expect(exitCode).toBe(1);
  expect(document["scripts"]).toMatchObject([
    {
      line: 3,
      facts: { of: "server" },
      message: expect.stringContaining("'total' does not exist") as string,
    },
    { line: 5, facts: { of: "server" } },
  ]);
  expect((await runBuilt(project, ["check", "--offline"])).exitCode).toBe(0);
});

it("a glob that matches nothing is not verified", async () => {
  const project = await makeShop({ scripts: ["automations/*.ts", "jobs/*.ts"] });
  const { exitCode, stdout } = await runBuilt(project, ["check", "--offline"]);
  expect(stdout).toContain('No file matches "jobs/*.ts"');
  expect(exitCode).toBe(3);
});

it("a script over a limit fails the check", async () => {
  const project = await makeShop();
  await project.write("automations/close.ts", `${SCRIPT}//${"x".repeat(1_100_000)}`);
  const { exitCode, stdout } = await runBuilt(project, ["check", "--offline"]);
  expect(stdout).toContain("scriptBytes");
  expect(exitCode).toBe(1);
});

it("without TypeScript, scripts are not verified", async () => {
  const project = await makeShop();
  const { exitCode, stdout } = await runProgram(
    project,
    ["check", "--offline"],
    withoutPackages("typescript", "ts-morph"),
  );
  expect(stdout).toContain("npm install -D typescript@6");
  expect(exitCode).toBe(3);
});

it("ts-morph checks scripts where TypeScript is not installed", async () => {
  const project = await makeShop();
  await project.write("automations/close.ts", SCRIPT.replace("{ id: 1,", "{ number: 1,"));
  const without = withoutPackages("typescript");
  const { exitCode, stdout, stderr } = await runProgram(project, ["check", "--offline"], without);
  expect(stderr).toBe("");
  expect(stdout).toContain("'number' does not exist");
  expect(stdout).not.toContain("lib.es2023.d.ts");
  expect(exitCode).toBe(1);
});

it("the lines of scripts are call sites of changes", async () => {
  const project = await makeShop({ output: "generated" });
  await project.writeJson("tsconfig.json", { include: ["generated"] });
  const outputSchema = object({ id: { type: "integer" }, sum: TEXT }, ["id", "sum"]);
  const inputSchema = object({ id: { type: "integer" }, note: { type: "string", maxLength: 5 } }, ["id"]);
  await project.writeJson("tools.json", { tools: [{ ...GET, inputSchema, outputSchema }] });
  const { exitCode, document } = await checkJson(project, ["check", "--impact"]);
  expect(exitCode).toBe(1);
  const changes = document["changes"] as readonly { rule: string; callSites?: readonly object[] }[];
  const sites = changes.flatMap(({ rule, callSites = [] }) => callSites.map((site) => ({ rule, ...site })));
  const file = "automations/close.ts";
  expect(sites).toMatchObject([
    { rule: "tool-removed", file, line: 4, column: 12, effect: "stops-compiling" },
    { rule: "input-bound-tightened", file, line: 2, effect: "rejected" },
    { rule: "output-property-removed", file, line: 3, column: 11 },
    { file, line: 5, column: 14 },
  ]);
  expect(document["impact"]).toMatchObject({ files: 1, unused: [] });
});

it.each([false, "generated"])(
  "with output %j, scripts are searched without a tsconfig.json",
  async (output) => {
    const project = await makeShop({ output });
    await project.write("package.json", "{}");
    const outputSchema = object({ id: { type: "integer" }, sum: TEXT }, ["id", "sum"]);
    await project.writeJson("tools.json", { tools: [{ ...GET, outputSchema }, CLOSE] });
    const { exitCode, document } = await checkJson(project, ["check", "--impact"]);
    expect(exitCode).toBe(1);
    const [change] = document["changes"] as readonly { readonly callSites?: readonly object[] }[];
    expect(change?.callSites).toMatchObject([{ line: 3 }, { line: 5 }]);
    expect(document["impact"]).toEqual({ projects: [], files: 1, unused: [] });
    expect((await runBuilt(project, ["check", "--impact"])).stdout).toContain(
      "your scripts: 2 lines in automations/close.ts",
    );
  },
);

it("fix renames in scripts, and leaves what it cannot edit", async () => {
  const project = await makeShop();
  await commitAll(project.dir);
  const outputSchema = object({ id: { type: "integer" }, sum: TEXT }, ["id", "sum"]);
  const fetched = { ...GET, name: "fetch-order", outputSchema };
  await project.writeJson("tools.json", { tools: [fetched] });
  await project.prints(["pull"], 0);
  const { stdout } = await project.run([
    ...["fix", "--write"],
    ...["--rename", "shop/get-order=fetch-order", "--rename", "shop/fetch-order.total=sum"],
  ]);
  expect(await project.read("automations/close.ts")).toBe(
    SCRIPT.replace("getOrder", "fetchOrder").replaceAll("total", "sum"),
  );
  expect(stdout).toMatch(/left for you +automations\/close\.ts:4 .*'closeOrder' does not exist/);
});

it("fix shows a line of a script once, as it is written, although the project searches the file too", async () => {
  const project = await makeShop({ output: "generated" });
  await project.writeJson("tsconfig.json", { include: ["generated"] });
  await project.write(
    "automations/close.ts",
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
