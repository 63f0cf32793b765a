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
  await project.prints("pull", 0);
  return project;
}

it("refused requests fail the check, and changed tools do not", async () => {
  const project = await makeShop();
  await project.prints("check --offline", 0);
  const facts = { paths: ["/inputSchema/properties/page[size]"] };
  await project.reports(["check", "--offline", "--hosts", "anthropic, codex"], {
    exitCode: 1,
    hosts: [
      { rule: "anthropic-property-key", tool: "get", facts },
      { rule: "codex-keyword", facts: { effect: "altered" }, tool: "put" },
    ],
  });
  const fix = "To avoid it: Rename the property for the model";
  await project.prints("check --offline --hosts anthropic", 1, "Anthropic refuses the whole request", fix);
  await project.prints("check --offline --hosts codex", 0);
  await project.prints("check --offline --hosts anthropic --fail-on never", 0);
});

it("the configuration names hosts, and the command line replaces them", async () => {
  const project = await makeShop({ hosts: ["openai"] });
  await project.reports("check --offline", { hosts: [{ rule: "openai-array-items", tool: "put" }] });
  await project.prints("check --offline --hosts cursor", 0);
  await project.refuses("check --offline --hosts anthropix", "anthropic");
  // It can be repeated.
  await project.reports("check --offline --hosts anthropic --hosts openai", {
    hosts: [{ facts: { host: "anthropic" } }, { facts: { host: "openai" } }],
  });
  for (const hosts of ["", ",", "anthropic,,openai"])
    await project.refuses(["check", "--offline", "--hosts", hosts], "gemini-parameters, claude-code");
});

it("a waiver accepts a finding until the places change", async () => {
  const project = await makeShop({ hosts: ["openai", "anthropic"] });
  const waive = ["--until", "2999-01-01", "--reason", "The adapter adds items."];
  await project.run(["check", "--offline", "--waive", "openai-array-items", "put", ...waive]);
  await project.run(["check", "--offline", "--waive", "anthropic-property-key", ...waive]);
  await project.prints("check --offline", 0);
  // Another host is not asked, so its waiver is not reported as unused.
  const hosts = [{ waiver: { expires: "2999-01-01" } }];
  await project.reports("check --offline --hosts openai", { waivers: [], hosts });
  const tools = [{ name: "put", inputSchema: { type: "object", properties: { all: { type: "array" } } } }];
  await project.writeJson("tools.json", { tools });
  await project.run("pull");
  await project.prints("check --offline --hosts openai", 1);
});

it("explain shows the source of a rule and its date, and lists the rules of a host", async () => {
  const project = await makeProject();
  const source = "https://github.com/anthropics/claude-code/issues/79418";
  await project.prints("explain anthropic-property-key", 0, source, "2026-09");
  await project.reports("explain cursor-tools", { class: "host", host: { host: "cursor", effect: "list" } });
  const names = ["openai-strict-optional", "openai-array-items", "check --hosts openai-strict"];
  await project.prints("explain openai-strict", 0, ...names);
  const { document } = await project.runJson("explain gemini-parameters");
  const rules = (document["rules"] as readonly { readonly rule: string }[]).map(({ rule }) => rule);
  expect(rules).toContain("gemini-name");
  expect(rules).not.toContain("gemini-keyword");
  await project.refuses("explain anthropix", '"anthropic"');
  await project.prints("explain", 0, "explain <host>", "openai-strict, anthropic");
});
