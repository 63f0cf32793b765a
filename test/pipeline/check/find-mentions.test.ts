/** `check` reports names of tools in files that agents read, in every format. */
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Finding } from "../../../src/core/finding.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { commitAll } from "../../e2e/git.js";
import { makeProject, makePulled, type Project } from "../../e2e/make-project.js";

async function writeAll(project: Project, files: { readonly [path: string]: string }): Promise<void> {
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
}

/** The server of a project: it lists what the file says. */
function serverOf({ dir }: Project): object {
  return fixtureCommand("follows-file", "--file", join(dir, "tools.json"));
}

let changed: string;
beforeAll(async () => {
  changed = await mkdtemp(join(tmpdir(), "mcp-codegen-mentions-"));
});
afterAll(() => rm(changed, { recursive: true, force: true, maxRetries: 3 }));

/** A project whose lock had the tools "two" and "three", which are gone: a copy of the first one. */
async function makeChanged(config: object = {}): Promise<Project> {
  const project = await makeProject();
  const isFirst = !existsSync(join(changed, ".git"));
  if (!isFirst) await cp(changed, project.dir, { recursive: true });
  await project.configure({ output: false, ...config, servers: { shop: serverOf(project) } });
  if (!isFirst) return project;

  for (const tools of [["one", "two", "three"], ["one", "two"], ["one"]]) {
    await project.writeJson("tools.json", tools);
    await project.prints(["pull"], 0);
    await commitAll(project.dir, tools.join());
  }
  await cp(project.dir, changed, { recursive: true });
  return project;
}

const FILES = {
  ".claude/settings.json":
    '{ "permissions": { "allow": ["mcp__shop__two", "mcp__shop__one", "mcp__shop__onee"] } }\n',
  "skills/orders/SKILL.md": "---\nname: orders\nallowed-tools:\n  - mcp__shop__three\n---\nUse it.\n",
};

/** The unknown names that an offline check finds, each with its place. */
async function namesIn(project: Project, ...argv: readonly string[]): Promise<readonly string[]> {
  const { document } = await project.runJson(["check", "--offline", ...argv]);
  const names = document["names"] as readonly Finding[];
  expect(document["exitCode"]).toBe(names.length > 0 ? 1 : 0);
  return names.map(({ file = "", line = 0, column = 0, message }) => `${file}:${line}:${column} ${message}`);
}

const NOT_LISTED = 'which server "shop" does not list';
const MISSPELT = `${NOT_LISTED}; did you mean \`one\`?`;

it("names that the lock does not have fail the check, with their places and what became of them", async () => {
  const project = await makeChanged();
  expect(await namesIn(project)).toEqual([]);
  await writeAll(project, FILES);
  expect(await namesIn(project)).toEqual([
    ".claude/settings.json:1:31 allows `mcp__shop__two`, which is gone since 3.0.0",
    `.claude/settings.json:1:67 allows \`mcp__shop__onee\`, ${MISSPELT}`,
    "skills/orders/SKILL.md:4:5 allows `mcp__shop__three`, which is gone since 2.0.0",
  ]);
  const { document } = await project.runJson(["check", "--offline"]);
  const [rule, file] = ["mention-unknown", ".claude/settings.json"];
  expect(document["names"]).toMatchObject([{ rule, file, server: "shop", tool: "two" }, {}, {}]);
});

it("say what the list does that a name is in, and suggest no other tool to deny", async () => {
  const project = await makeChanged();
  const name = "mcp__shop__onee";
  const permissions = { allow: ["shop/onee"], deny: [name, "shop/onee"], ask: [name] };
  await writeAll(project, {
    ".claude/settings.json": JSON.stringify({ permissions }),
    "skills/a/SKILL.md": `---\ndisallowed-tools: ${name}\n---\nCall ${name}.\n`,
  });
  expect((await namesIn(project)).map((found) => found.replace(/^\S+ /, ""))).toEqual([
    `allows \`shop/onee\`, ${MISSPELT}`,
    `denies \`${name}\`, ${NOT_LISTED}`,
    `denies \`shop/onee\`, ${NOT_LISTED}`,
    `asks about \`${name}\`, ${MISSPELT}`,
    `denies \`${name}\`, ${NOT_LISTED}`,
    `names \`${name}\`, ${MISSPELT}`,
  ]);
});

it("are those of the servers that a check names, and not variables or programs that begin like a name", async () => {
  const project = await makeChanged();
  const text = "Set MCP_SHOP_TOKEN, mcp_shop_url and mcp_shop_cache. Not mcp_shop_two, not mcp_shop_onee.\n";
  await project.write("CLAUDE.md", text);
  const names = ["two", "onee"].map((name) => expect.stringContaining(`\`mcp_shop_${name}\``) as string);
  expect(await namesIn(project, "shop")).toEqual(names);
  await project.writeJson("tools2.json", ["other"]);
  const other = fixtureCommand("follows-file", "--file", join(project.dir, "tools2.json"));
  await project.configure({ output: false, servers: { shop: serverOf(project), other } });
  await project.prints("pull other", 0);
  expect(await namesIn(project, "other")).toEqual([]);
});

it("are found by the name that a host gives to the server, which connects to the same", async () => {
  const project = await makeChanged();
  const mcpServers = { "the-store": serverOf(project), other: { command: "node", args: ["another.js"] } };
  await project.writeJson(".mcp.json", { mcpServers });
  const permissions = { allow: ["mcp__the-store__two", "mcp__other__two"] };
  await project.writeJson(".claude/settings.json", { permissions });
  expect(await namesIn(project)).toEqual([
    expect.stringMatching(/ allows `mcp__the-store__two`, which is gone since 3\.0\.0$/),
  ]);
});

it("names in the policy and in annotations fail the check, since a rename silently voids them", async () => {
  const policy = {
    focusMode: "shop",
    focusModes: {
      shop: { allow: [{ names: ["one", "shop__t*", "mail__x"] }], deny: [{ names: ["shop__two"] }] },
    },
    roles: { guest: { deny: [{ names: ["three"], effects: ["destroys"] }] } },
  };
  const project = await makeChanged({ policy });
  const config = { output: false, policy, servers: { shop: serverOf(project) } };
  const says = (text: string): string => expect.stringMatching(new RegExp(`${text}$`)) as string;
  const two = says(String.raw`config\.json:1:\d+ denies .shop__two., which is gone since 3\.0\.0`);
  const three = says(String.raw` denies .three., which is gone since 2\.0\.0`);
  expect(await namesIn(project)).toEqual([two, three]);
  const annotations = { onee: { readOnlyHint: true }, "get_*": { readOnlyHint: true } };
  await project.configure({ ...config, servers: { shop: { ...serverOf(project), tools: { annotations } } } });
  expect(await namesIn(project)).toEqual([
    expect.stringMatching(/ annotates `onee`, which server "shop" does not list; did you mean `one`\?$/),
    two,
    three,
  ]);
  // Before the pull, the names are listed with the change; after it, also before the lock is committed.
  await project.configure({ ...config, policy: { roles: { a: { deny: [{ names: ["one"] }] } } } });
  await project.writeJson("tools.json", ["other"]);
  await project.prints(["check"], 1, "mcp-codegen.config.json:1  denies `one`, removed");
  await project.prints(["pull"], 0);
  expect(await namesIn(project)).toEqual([says(String.raw` denies .one., which is gone since 4\.0\.0`)]);
  await project.writeJson("tools.json", ["one"]);
  await project.prints(["pull"], 0);
  // A name without a server may be that of the program's own tool.
  await project.configure({ ...config, serve: { tools: ["tools/*.ts"] } });
  expect(await namesIn(project)).toEqual([two]);
});

it("patterns in the policy that no tool matches are notes, which do not fail the check", async () => {
  const focusModes = { shop: { allow: [{ names: ["o*", "shop__t*"] }, { categories: ["shopp*"] }] } };
  const roles = { guest: { deny: [{ names: ["{one,two}", "delete_*", "shpo__*", "*"] }] } };
  const project = await makeProject({ output: false, servers: {} });
  await project.writeJson("tools.json", ["one"]);
  const config = { output: false, servers: { shop: serverOf(project) }, policy: { focusModes, roles } };
  await project.configure(config);
  await project.run(["pull"]);
  const notes = async (): Promise<unknown> => {
    const { exitCode, document } = await project.runJson(["check", "--offline"]);
    expect([exitCode, document["names"]]).toEqual([0, []]);
    return (document["notes"] as readonly Finding[]).map(({ rule, message }) => `${rule} ${message}`);
  };
  const message = (what: string): string => `POLICY_UNMATCHED No ${what}.`;
  const tool = message('tool matches "shop__t*", which focus mode "shop" allows');
  expect(await notes()).toEqual([
    tool,
    message('category of a tool matches "shopp*", which focus mode "shop" allows'),
    message('tool matches "delete_*", which role "guest" denies'),
    message('tool matches "shpo__*", which role "guest" denies'),
  ]);
  await project.prints("check --offline", 0, 'note: policy: No tool matches "shop__t*"');
  // The program's own tools may have the other names.
  await project.configure({ ...config, serve: { tools: ["tools/*.ts"] } });
  expect(await notes()).toEqual([tool]);
});

it("names in the configuration are reported where each is written", async () => {
  const project = await makeChanged();
  await rm(join(project.dir, "mcp-codegen.config.json"));
  await project.write(
    "mcp-codegen.config.mjs",
    `// The tool onee is new.
export default {
  output: false,
  policy: { roles: { guest: { allow: [{ names: ["one"] }, { names: ["one", "onee"] }] } } },
  servers: {
    shop: {
      ...${JSON.stringify(serverOf(project))},
      tools: { annotations: { onee: { readOnlyHint: true } } },
    },
  },
};
`,
  );
  expect((await namesIn(project)).map((name) => name.split(",")[0])).toEqual([
    "mcp-codegen.config.mjs:8:31 annotates `onee`",
    "mcp-codegen.config.mjs:4:77 allows `onee`",
  ]);
});

it("are waived by tool and file, until the day of the waiver", async () => {
  const project = await makeChanged();
  await writeAll(project, { ...FILES, "CLAUDE.md": "Use mcp__shop__two, never mcp__shop__two twice.\n" });
  const waive = (tool: string): readonly string[] => [
    ...["check", "--offline", "--waive", "mention-unknown", tool, "--until", "2999-12-31"],
    ...["--reason", "The next release has it"],
  ];
  await project.prints(waive("two"), 1, "2 waivers written");
  const file = JSON.parse(await project.read("mcp-codegen.waivers.json")) as { waivers: object[] };
  const waiver = { rule: "mention-unknown", server: "shop", tool: "two", digests: {} };
  const accepted = { ...waiver, reason: "The next release has it", expires: "2999-12-31" };
  const paths = ["/.claude~1settings.json", "/CLAUDE.md"];
  expect(file.waivers).toEqual(paths.map((path) => ({ ...accepted, path })));
  await project.prints("check --offline", 1, "2 unknown names and 3 that are waived");
  await project.prints(waive("onee"), 1);
  await project.prints(waive("three"), 0);
  const formats = ["text", "json", "markdown", "github", "sarif", "junit", "html"];
  const reports = formats.flatMap((format) => ["--report", `${format}=reports/${format}`]);
  await project.prints(["check", "--offline", ...reports], 0);
  for (const format of formats)
    expect(await project.read(`reports/${format}`)).toMatch(/mcp__shop__two[^]*The next release has it/);
  expect(await project.read("reports/github")).not.toMatch(/::error|::warning/);
  expect(await project.read("reports/junit")).toContain('failures="0"');
  // What is waived in one file is not waived in another.
  await project.write("AGENTS.md", "Use mcp__shop__two.\n");
  await project.write("CLAUDE.md", "Use mcp__shop__one.\n");
  const waivers = [{ tool: "two", path: "/CLAUDE.md", facts: { state: "unused" } }];
  await project.reports("check --offline", { exitCode: 1, waivers });
  await project.refuses(waive("four"), 'no open finding of rule "mention-unknown" in tool "four"');
});

it("fail again after the last day of a waiver, and a pattern of files covers several", async () => {
  const project = await makeChanged();
  await writeAll(project, { "a/SKILL.md": "Use mcp__shop__two.\n", "b/SKILL.md": "Use mcp__shop__two.\n" });
  const place = { rule: "mention-unknown", server: "shop", tool: "two", path: "/*SKILL.md" };
  const waiver = { ...place, digests: {}, reason: "Examples" };
  await project.writeJson("mcp-codegen.waivers.json", { waivers: [waiver] });
  await project.prints(["check", "--offline"], 0);
  const expires = "2020-01-01";
  await project.writeJson("mcp-codegen.waivers.json", { waivers: [{ ...waiver, expires }] });
  const { exitCode, document } = await project.runJson(["check", "--offline"]);
  const expired = { ...place, waiver: { reason: "Examples", expires }, facts: { state: "expired" } };
  expect([exitCode, document["waivers"]]).toEqual([1, [expired]]);
});

it("are listed beside the call sites of a change that removes or renames the tool or a parameter", async () => {
  const project = await makePulled({ output: false, servers: { shop: fixtureCommand("drifted") } });
  const text = "Use `shop/find-orders` with `limit`.\nThe limit is `limit`. Then mcp__shop__cancel-order.\n";
  await writeAll(project, { "CLAUDE.md": text, "AGENTS.md": "Nothing of the tool, and `limit`.\n" });
  const drift = (name: string, more: object = {}): Promise<void> => {
    const shop = { ...fixtureCommand("drifted", "--drift", name), ...more };
    return project.configure({ output: false, servers: { shop } });
  };
  await drift("tool-removed", { check: { failOn: "any" } });
  await project.prints("check", 1, "CLAUDE.md:2  names `mcp__shop__cancel-order`, removed");
  await drift("input-property-removed");
  const lines = [1, 2].map((line) => `CLAUDE.md:${line}  names \`limit\`, removed`);
  expect((await project.prints("check", 1, ...lines)).stdout).not.toContain("AGENTS.md");
  const quote = '{"quote":"CLAUDE.md:1","text":"names `limit`, removed","tools":["find-orders"]}';
  await project.prints("check --format html", 1, quote);
});

it("are searched in the files of `references`, and not in those that git ignores", async () => {
  const project = await makeChanged({ references: ["prompts/*.txt"] });
  await writeAll(project, { ...FILES, "prompts/a.txt": "mcp__shop__two", "prompts/b.txt": "mcp__shop__two" });
  await project.write(".gitignore", "prompts/b.txt\n");
  expect(await namesIn(project)).toEqual([expect.stringMatching(/^prompts\/a\.txt:1:1 /)]);
  const utf16 = Buffer.from("\uFEFFOne line\nmcp__shop__two", "utf16le");
  await writeFile(join(project.dir, "prompts/a.txt"), utf16);
  expect(await namesIn(project)).toEqual([expect.stringMatching(/^prompts\/a\.txt:2:1 /)]);
  const servers = { shop: serverOf(project) };
  await project.configure({ output: false, references: [], servers });
  expect(await namesIn(project)).toEqual([]);
  await project.configure({ output: false, references: ["prompts/*.txt", "prompt/*.txt"], servers });
  const message = 'No file matches "prompt/*.txt".';
  await project.reports("check --offline", { unverified: [{ server: "references", message }] });
});

it("a file over the limit is not verified, and the other files are", async () => {
  const project = await makeChanged();
  await writeAll(project, { ...FILES, "AGENTS.md": `\`mcp__shop__two\` ${"a ".repeat(2_200_000)}\n` });
  const { exitCode, document } = await project.runJson(["check", "--offline"]);
  const reason = "The file holds more than 4 MiB, so it was not searched for names of tools.";
  expect(exitCode).toBe(1);
  expect(document["unverified"]).toMatchObject([{ server: "AGENTS.md", file: "AGENTS.md", message: reason }]);
  expect((document["names"] as readonly Finding[]).length).toBeGreaterThan(1);
  await project.write(".claude/settings.json", "{}");
  await project.write("skills/orders/SKILL.md", "");
  await project.prints(["check", "--offline"], 3, `AGENTS.md: ${reason}`);
});
