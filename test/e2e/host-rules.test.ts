/** `check --hosts` reports what hosts refuse or change, and the tests of a server do too. */
import { expect, it } from "vitest";
import { makeProject, type Project } from "./make-project.js";

const TOOLS = [
  { name: "get", inputSchema: { type: "object", properties: { "page[size]": { type: "integer" } } } },
  { name: "put", inputSchema: { type: "object", properties: { ids: { type: "array", minItems: 1 } } } },
];

async function makeShop(config: object = {}, tools: readonly object[] = TOOLS): Promise<Project> {
  const project = await makeProject({ output: false, ...config, servers: { shop: { file: "tools.json" } } });
  await project.writeJson("tools.json", { tools });
  await project.prints(["pull"], 0);
  return project;
}

it("refused requests fail the check, and changed tools do not", async () => {
  const project = await makeShop();
  await project.prints(["check", "--offline"], 0);
  expect(
    (await project.runJson(["check", "--offline", "--hosts", "anthropic, codex"])).document,
  ).toMatchObject({
    exitCode: 1,
    hosts: [
      {
        rule: "anthropic-property-key",
        tool: "get",
        facts: { paths: ["/inputSchema/properties/page[size]"] },
      },
      { rule: "codex-keyword", facts: { effect: "altered" }, tool: "put" },
    ],
  });
  const { stdout } = await project.run(["check", "--offline", "--hosts", "anthropic"]);
  expect(stdout).toContain("Anthropic refuses the whole request");
  expect(stdout).toContain("To avoid it: Rename the property for the model");
  await project.prints(["check", "--offline", "--hosts", "codex"], 0);
  await project.prints(["check", "--offline", "--hosts", "anthropic", "--fail-on", "never"], 0);
});

it("the configuration names hosts, and the command line replaces them", async () => {
  const project = await makeShop({ hosts: ["openai"] });
  expect((await project.runJson(["check", "--offline"])).document["hosts"]).toMatchObject([
    { rule: "openai-array-items", tool: "put" },
  ]);
  await project.prints(["check", "--offline", "--hosts", "cursor"], 0);
  await project.refuses(["check", "--offline", "--hosts", "anthropix"], "anthropic");
});

it("--hosts can be repeated, and each names a host", async () => {
  const project = await makeShop();
  const { document } = await project.runJson([
    "check",
    "--offline",
    "--hosts",
    "anthropic",
    "--hosts",
    "openai",
  ]);
  expect(document["hosts"]).toMatchObject([{ facts: { host: "anthropic" } }, { facts: { host: "openai" } }]);
  for (const hosts of ["", ",", "anthropic,,openai"]) {
    const { exitCode, stderr } = await project.run(["check", "--offline", "--hosts", hosts]);
    expect({ hosts, exitCode }).toEqual({ hosts, exitCode: 2 });
    expect(stderr).toContain("gemini-parameters, claude-code");
  }
});

it("a waiver accepts a finding until the places change", async () => {
  const project = await makeShop({ hosts: ["openai", "anthropic"] });
  const waive = ["--until", "2999-01-01", "--reason", "The adapter adds items."];
  await project.run(["check", "--offline", "--waive", "openai-array-items", "put", ...waive]);
  await project.run(["check", "--offline", "--waive", "anthropic-property-key", ...waive]);
  await project.prints(["check", "--offline"], 0);
  // Another host is not asked, so its waiver is not reported as unused.
  const other = await project.runJson(["check", "--offline", "--hosts", "openai"]);
  expect(other.document).toMatchObject({ waivers: [], hosts: [{ waiver: { expires: "2999-01-01" } }] });
  const tools = [{ name: "put", inputSchema: { type: "object", properties: { all: { type: "array" } } } }];
  await project.writeJson("tools.json", { tools });
  await project.run(["pull"]);
  await project.prints(["check", "--offline", "--hosts", "openai"], 1);
});

it("explain shows the source of a rule and its date", async () => {
  const project = await makeProject();
  const { stdout } = await project.run(["explain", "anthropic-property-key"]);
  expect(stdout).toContain("https://github.com/anthropics/claude-code/issues/79418");
  expect(stdout).toContain("2026-09");
  expect((await project.runJson(["explain", "cursor-tools"])).document).toMatchObject({
    class: "host",
    host: { host: "cursor", effect: "list" },
  });
});

it("explain lists the rules of a host, and rules says so", async () => {
  const project = await makeProject();
  const { stdout } = await project.prints(["explain", "openai-strict"], 0);
  for (const text of ["openai-strict-optional", "openai-array-items", "check --hosts openai-strict"])
    expect(stdout).toContain(text);
  const { document } = await project.runJson(["explain", "gemini-parameters"]);
  const names = (document["rules"] as readonly { readonly rule: string }[]).map(({ rule }) => rule);
  expect(names).toContain("gemini-name");
  expect(names).not.toContain("gemini-keyword");
  expect((await project.run(["explain", "anthropix"])).stderr).toContain('"anthropic"');
  const rules = await project.run(["explain"]);
  expect(rules.stdout).toContain("explain <host>");
  expect(rules.stdout).toContain("openai-strict, anthropic");
});
