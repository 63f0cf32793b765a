/** Permissions move to a new name only if the server declared the rename, or a person confirmed it. */
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.js";
import { digestOfTool } from "../../../src/core/digest.js";
import { formatLockfile, parseLockfile } from "../../../src/core/lockfile-text.js";
import type { LockedTool } from "../../../src/core/lockfile.js";
import { fix } from "../../../src/pipeline/fix/fix.js";
import { commitAll } from "../../e2e/git.js";
import { LOCKFILE_NAME, type Project } from "../../e2e/make-project.js";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 180_000 };

const toolOf = (name: string): object => ({
  name,
  description: "Acts on an order of the shop by its number, with the lines and the customer.",
  inputSchema: { type: "object", properties: { id: { type: "integer" } } },
});

/** Every kind of file in which a name permits, denies or configures a tool. */
const FILES = {
  "src/app.ts":
    'import { getOrder } from "../generated/shop/index.js";\nexport const order = await getOrder({ id: 1 });\n',
  "mcp-codegen.config.json": `{
  "servers": {
    "shop": {
      "file": "tools.json",
      "tools": {
        "include": ["get_order", "*"],
        "rename": { "get_order": "getOrder" },
        "annotations": { "get_order": { "readOnlyHint": true } }
      },
      "categories": { "get_order": "orders" },
      "outputs": { "get_order": { "type": "object" } }
    }
  },
  "policy": {
    "focusModes": { "buy": { "allow": [{ "names": ["get_order"] }] } },
    "roles": {
      "guest": { "allow": [{ "names": ["shop__get_order"] }] },
      "clerk": { "deny": [{ "names": ["shop__get_order"] }] }
    }
  }
}
`,
  ".claude/settings.json": '{ "permissions": { "allow": ["mcp__shop__get_order"], "deny": [] } }\n',
  ".claude/agents/buyer.md": "---\nname: buyer\ntools: mcp__shop__get_order\n---\nCall `get_order`.\n",
  ".vscode/settings.json": '{ "chat.tools.autoApprove": { "mcp__shop__get_order": true } }\n',
  ".gemini/settings.json": '{ "mcpServers": { "shop": { "includeTools": ["get_order"] } } }\n',
  ".codex/config.toml": '[mcp_servers.shop]\nenabled_tools = ["get_order"]\n',
  "skills/buy/SKILL.md":
    "---\nname: buy\nallowed-tools: mcp__shop__get_order\n---\nBuy with `mcp__shop__get_order`.\n",
  "CLAUDE.md": "Use `mcp__shop__get_order`.\n",
};

const WAIVERS = "mcp-codegen.waivers.json";
const WAIVED = `${JSON.stringify({
  waiversVersion: 1,
  waivers: [
    {
      rule: "tool-title-changed",
      server: "shop",
      tool: "get_order",
      path: "/title",
      digests: {},
      reason: "Known.",
    },
  ],
})}\n`;

function makeRenamed(name: string): Promise<Project> {
  return makeChangedProject({ before: [toolOf("get_order")], after: [toolOf(name)], files: FILES });
}

/** The files whose names permit something, as they are now. */
async function readFiles(project: Project): Promise<Readonly<Record<string, string>>> {
  const texts = Object.keys(FILES).map(async (path) => [path, await project.read(path)] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** Declares a replacement in the committed lock, as the ability behind a tool does. */
async function declare(project: Project, after: string): Promise<void> {
  const now = await project.read(LOCKFILE_NAME);
  const head = parseLockfile(now);
  const { shop } = head.servers;
  const tool = Object.values(shop?.tools ?? {})[0];
  if (shop === undefined || tool === undefined) throw new Error("The tool is not locked.");
  const definition = { name: "shop/get_order", meta: { deprecated: { replacement: after } } };
  const old: LockedTool = {
    ...tool,
    definition: { ...tool.definition, name: "get_order" },
    ability: { definition },
  };
  const tools = { get_order: { ...old, digest: digestOfTool(old) } };
  await project.write(LOCKFILE_NAME, formatLockfile({ ...head, servers: { shop: { ...shop, tools } } }));
  await commitAll(project.dir);
  await project.write(LOCKFILE_NAME, now);
}

/** The files after the rename. The configuration keeps the name in code. */
const moved = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(FILES).map(([path, text]) => [path, text.replaceAll("get_order", name)]));

describe("a guessed rename of a tool", () => {
  it("moves nothing without a person, whatever the command", TIME, async () => {
    const project = await makeRenamed("fetch_order");
    await project.write(WAIVERS, WAIVED);
    for (const command of [
      ["fix"],
      ["fix", "--write"],
      ["fix", "--yes"],
      ["fix", "--yes", "--write"],
      ["fix", "--yes", "--write", "--force"],
      ["pull"],
      ["generate"],
      ["check", "--offline"],
      ["fix", "--yes", "--write"],
    ]) {
      const { stdout, exitCode } = await project.run(command);
      if (command[0] === "fix") {
        expect(stdout).toContain("not applied   shop/get_order=fetch_order is a guess (97 percent)");
        expect(stdout).toContain("To apply it: npx mcp-codegen fix --rename shop/get_order=fetch_order");
        expect(exitCode).toBe(1);
      }
      expect([command, await readFiles(project)]).toEqual([command, FILES]);
      expect(await project.read(WAIVERS)).toBe(WAIVED);
    }
  });

  it("moves what a person names, and no waiver", TIME, async () => {
    const project = await makeRenamed("fetch_order");
    await project.write(WAIVERS, WAIVED);
    await project.run(["fix", "--yes", "--write", "--rename", "shop/get_order=fetch_order"]);
    expect(await readFiles(project)).toEqual(moved("fetch_order"));
    expect(await project.read(WAIVERS)).toBe(WAIVED);
  });

  it.each([true, false])("moves it if a person who is asked answers %s", TIME, async (answer) => {
    const project = await makeRenamed("fetch_order");
    const loaded = await loadConfig({ cwd: project.dir });
    if (loaded === undefined) throw new Error("There is no configuration.");
    const asked: string[] = [];
    const report = await fix(loaded, {
      ...{
        against: "HEAD",
        named: [],
        tsconfig: "tsconfig.json",
        hasCompiler: true,
        write: true,
        force: false,
      },
      confirm: ({ before, after }) => {
        asked.push(`${before} > ${after}`);
        return Promise.resolve(answer);
      },
    });
    expect(asked).toEqual(["get_order > fetch_order"]);
    expect(report.applied).toHaveLength(answer ? 1 : 0);
    expect(await readFiles(project)).toEqual(answer ? moved("fetch_order") : FILES);
  });

  it("is open as long as a permission has the old name, also where fix cannot edit it", TIME, async () => {
    const files = {
      "src/app.ts": 'import "../generated/shop/index.js";\n',
      ".claude/settings.json": '{ "permissions": { "allow": ["mcp__shop__get_*"] } }\n',
    };
    const project = await makeChangedProject({
      before: [toolOf("get_order")],
      after: [toolOf("fetch_order")],
      files,
    });
    const { document } = await project.runJson(["fix", "--yes", "--write"]);
    expect(document).toMatchObject({
      applied: [],
      guessed: [{ rename: "shop/get_order=fetch_order" }],
      left: [],
    });
  });
});

describe("a declared rename of a tool", () => {
  it("moves permissions", TIME, async () => {
    const project = await makeRenamed("fetch_order");
    await declare(project, "fetch_order");
    await project.run(["fix", "--write"]);
    expect(await readFiles(project)).toEqual(moved("fetch_order"));
  });

  it("moves nothing to a tool with the opposite effect, until a person names it", TIME, async () => {
    const project = await makeRenamed("delete_order");
    await declare(project, "delete_order");
    const { stdout, exitCode } = await project.run(["fix", "--yes", "--write"]);
    expect(stdout).toContain(
      "not applied   shop/get_order=delete_order is declared by the server, but the two tools have opposite effects",
    );
    expect(stdout).toContain("To apply it: npx mcp-codegen fix --rename shop/get_order=delete_order");
    expect([exitCode, await readFiles(project)]).toEqual([1, FILES]);
    await project.run(["fix", "--write", "--rename", "shop/get_order=delete_order"]);
    expect(await readFiles(project)).toEqual(moved("delete_order"));
  });
});

it("names no rename to a tool with the opposite effect, and keeps the permission", TIME, async () => {
  const project = await makeRenamed("delete_order");
  const { stdout } = await project.run(["fix", "--yes", "--write"]);
  expect(stdout).toContain("No rename since HEAD is known");
  expect(await readFiles(project)).toEqual(FILES);
});
