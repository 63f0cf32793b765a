import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { mapEntries } from "../../src/core/json.js";
import type { ToolSnapshot, ServerSnapshot } from "../../src/core/snapshot.js";
import { readLockfile } from "../../src/files/project-records.js";
import { type RegisteredTool, createToolset } from "../../src/agent/index.js";
import { openServedTools, type ServedTools, type ServedToolsOptions } from "../../src/serve/open-toolset.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "../e2e/make-project.js";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { listTools, lockList } from "../testing/lock-tools.js";
import { openLiveContract } from "../../src/serve/drift-guard.js";

/** The tools of a project that was pulled, and every name that is not locked as what the test says. */
async function open(
  { dir }: Project,
  variables: Record<string, string> = {},
  options: Partial<ServedToolsOptions> = {},
  change?: (definition: ToolSnapshot) => ToolSnapshot,
): Promise<ServedTools & { get(name: string): Promise<RegisteredTool> }> {
  const project = await loadConfig({ cwd: dir });
  if (project === undefined) throw new Error("There is no configuration.");
  const lock = await readLockfile(join(dir, LOCKFILE_NAME));
  const servers = mapEntries(lock.servers, (server) => ({
    ...server,
    tools: mapEntries(server.tools, (tool) =>
      change === undefined ? tool : { ...tool, digest: "of no other", definition: change(tool.definition) },
    ),
  }));
  const tools = openServedTools(
    project,
    { ...lock, servers },
    { lookup: (name) => variables[name], now: () => performance.now(), ...options },
  );
  onTestFinished(() => tools.close());
  const get = async (name: string): Promise<RegisteredTool> => {
    const tool = await tools.getTool(name);
    if (tool === undefined) throw new Error(`There is no tool "${name}".`);
    return tool;
  };
  return Object.create(tools, { get: { value: get } }) as ServedTools & { get: typeof get };
}

function makeDrifting(locked = "none", settings: object = {}): Promise<Project> {
  const { command, args } = fixtureCommand("drifted");
  const shop = { command, args, env: { DRIFT: "${DRIFT}" }, ...settings };
  return makePulled({ servers: { shop } }, [], { env: { DRIFT: locked } });
}

const makeChanging = (...args: readonly string[]): Promise<Project> =>
  makePulled({ servers: { shop: fixtureCommand("changes-list", ...args) } });

/** What a tool of the changing fixture says it did, in text. */
async function tallyOf(tool: RegisteredTool): Promise<unknown> {
  const result = await tool.call({ id: 1 });
  if (!result.ok) throw new Error(result.error.message);
  return JSON.parse((result.value as { readonly text: string }).text);
}

/** A project that was pulled, whose server cannot be started now. */
async function makeAway(): Promise<Project> {
  const project = await makePulled({ servers: { shop: fixtureCommand("paged") } });
  const servers = { shop: { command: "no-such-command-here" } };
  await project.write("mcp-codegen.config.json", JSON.stringify({ servers }));
  return project;
}

/** Which tools are offered, and how each is known. */
const shownIn = async (tools: ServedTools): Promise<unknown> =>
  (await tools.getTools()).map(({ name, isLocked, hasTrustedHints = false }) => [
    name,
    isLocked,
    hasTrustedHints,
  ]);

const LOCKED = ["act", "change", "tally"].map((name) => [`shop__${name}`, true, false]);

const FIND = ["shop__find-orders", { state: "open" }] as const;
const CANCEL = ["shop__cancel-order", { id: 1 }] as const;

describe("a closed output that may now have more keys", () => {
  const rule = "output-additional-properties-opened";

  it.each([
    ["is called by default", {}, "dangerous", 0],
    ["is refused where outputs are read strictly", { validateOutput: "strict" }, "breaking", 1],
  ])("%s", async (_name, settings, judged, refused) => {
    const project = await makeDrifting("output-additional-properties-closed", settings);
    const { document } = await project.runJson(["check"], { DRIFT: "none" });
    expect(document["changes"]).toContainEqual(expect.objectContaining({ rule, class: judged }));
    const tools = await open(project, { DRIFT: "none" });
    const [name, input] = FIND;
    await (await tools.get(name)).call(input);
    expect(tools.drift.refused).toBe(refused);
  });
});

describe("a locked tool whose server drifted", () => {
  it.each([
    // What a call is does not change by it.
    ["none", CANCEL, []],
    ["reordered", FIND, []],
    ["defaults-written-out", CANCEL, []],
    ["version-changed", CANCEL, []],
    ["tool-added", CANCEL, []],
    ["tool-description-changed", CANCEL, []],
    ["tool-title-changed", FIND, []],
    ["input-optional-property-added", FIND, []],
    ["input-enum-value-added", FIND, []],
    ["input-bound-loosened", CANCEL, []],
    ["input-description-changed", FIND, []],
    ["output-optional-property-added", FIND, []],
    ["server-instructions-changed", CANCEL, []],
    ["server-protocol-changed", CANCEL, []],
    // Another tool's drift is not this one's.
    ["tool-removed", FIND, []],
    ["input-required-property-added", CANCEL, []],
    ["annotation-readonly-lost", CANCEL, []],
    // It does.
    ["tool-removed", CANCEL, ["tool-removed"]],
    ["tool-renamed", CANCEL, ["tool-removed"]],
    ["no-tools", FIND, ["tool-removed"]],
    ["input-required-property-added", FIND, ["input-required-property-added"]],
    // The server would ignore what is passed.
    ["input-property-removed", FIND, ["input-property-removed"]],
    ["input-additional-properties-closed", FIND, ["input-additional-properties-closed"]],
    ["input-type-changed", CANCEL, ["input-type-changed"]],
    ["input-bound-tightened", CANCEL, ["input-bound-tightened"]],
    ["input-default-changed", FIND, ["input-default-changed"]],
    ["output-type-changed", FIND, ["output-type-changed"]],
    ["output-schema-removed", FIND, ["output-schema-removed"]],
    ["annotation-readonly-lost", FIND, ["annotation-readonly-lost"]],
    ["definition-changed", CANCEL, ["definition-changed"]],
    ["task-support-changed", CANCEL, ["task-support-changed"]],
    ["schema-ref-external", CANCEL, ["schema-ref-external"]],
    ["server-name-changed", FIND, ["server-name-changed"]],
    ["poison-instruction", CANCEL, ["poison-instruction"]],
  ] as const)("by %s: %j", async (drift, [name, input], rules) => {
    const project = await makeDrifting();
    const told: string[] = [];
    const tools = await open(
      project,
      { DRIFT: drift },
      { onDrift: ({ tool, refused }) => told.push(`${tool} ${refused}`) },
    );
    const tool = await tools.get(name);
    const result = await tool.call(input);
    if (rules.length === 0) {
      expect(result).toMatchObject({ ok: true });
      expect(tools.drift).toEqual({ refused: 0, tools: [] });
      return;
    }
    expect(result).toMatchObject({
      ok: false,
      error: { code: "CONTRACT_DRIFT", retryable: false, tool: name, server: "shop" },
    });
    if (!result.ok) expect(result.error.message).toContain("contract 1.0.0");
    if (!result.ok) expect(result.error.message).toContain('Run "npx mcp-codegen check shop"');
    await tool.call(input);
    expect(tools.drift.refused).toBe(2);
    const own = name.slice("shop__".length);
    expect(tools.drift.tools).toEqual([
      {
        ...{ server: "shop", tool: own, contract: "1.0.0", refused: 2 },
        rules: expect.arrayContaining([...rules]) as unknown,
      },
    ]);
    expect(told).toEqual([`${own} 1`, `${own} 2`]);
  });

  it("is called where the configuration calls its change safe", async () => {
    const project = await makeDrifting();
    const config = JSON.parse(await project.read("mcp-codegen.config.json")) as { servers: { shop: object } };
    const check = { rules: { "input-default-changed": "safe" } };
    const shop = { ...config.servers.shop, check };
    await project.write("mcp-codegen.config.json", JSON.stringify({ servers: { shop } }));
    const tools = await open(project, { DRIFT: "input-default-changed" });
    expect(await (await tools.get(FIND[0])).call(FIND[1])).toMatchObject({ ok: true });
  });

  it("is not called where its server cannot be listed", async () => {
    const project = await makePulled({ servers: { shop: fixtureCommand("dies-midway", "--at", "call") } });
    const servers = { shop: fixtureCommand("dies-midway", "--at", "list") };
    await project.write("mcp-codegen.config.json", JSON.stringify({ servers }));
    const tools = await open(project);
    expect(await (await tools.get("shop__first")).call({ id: 1 })).toMatchObject({
      ok: false,
      error: { code: "TOOL_UNAVAILABLE" },
    });
  });
});

describe("the list of a server", () => {
  it("is read once for calls that come together, and not again while it is good", async () => {
    const tools = await open(await makeChanging("--delay", "50"));
    const act = await tools.get("shop__act");
    const together = await Promise.all(Array.from({ length: 20 }, () => act.call({ id: 1 })));
    expect(together.every(({ ok }) => ok)).toBe(true);
    expect(await tallyOf(await tools.get("shop__tally"))).toEqual({ listed: 1, acted: 20 });
  });

  it("is not read before a tool is called", async () => {
    const tools = await open(await makeAway());
    expect((await tools.getTools()).length).toBeGreaterThan(0);
  });

  it("is read again when the server says that it has changed", async () => {
    const tools = await open(await makeChanging("--notify", "yes"));
    const act = await tools.get("shop__act");
    expect(await tallyOf(act)).toEqual({ listed: 1, acted: 1 });
    await (await tools.get("shop__change")).call({ id: 1 });
    expect(await act.call({ id: 1 })).toMatchObject({ ok: false, error: { code: "CONTRACT_DRIFT" } });
    expect(await tallyOf(await tools.get("shop__tally"))).toEqual({ listed: 2, acted: 1 });
  });

  it("is read again after five minutes", async () => {
    let now = 0;
    const tools = await open(await makeChanging(), {}, { now: () => now });
    const act = await tools.get("shop__act");
    await act.call({ id: 1 });
    await (await tools.get("shop__change")).call({ id: 1 });
    now = 299_999;
    expect(await tallyOf(act)).toEqual({ listed: 1, acted: 2 });
    now = 300_000;
    expect(await act.call({ id: 1 })).toMatchObject({ ok: false, error: { code: "CONTRACT_DRIFT" } });
    expect(await tallyOf(await tools.get("shop__tally"))).toEqual({ listed: 2, acted: 2 });
  });

  it("is read again in another session", async () => {
    const server = await startFixture("changes-list", { args: ["--forget-after", "5"] });
    onTestFinished(() => server.close());
    const project = await makeProject({ servers: { shop: { url: server.url } } });
    await project.run(["pull"]);
    const tools = await open(project);
    const act = await tools.get("shop__act");
    const results: string[] = [];
    for (let call = 0; call < 8; call += 1) {
      if (call === 1) await (await tools.get("shop__change")).call({ id: 1 });
      const result = await act.call({ id: 1 });
      results.push(result.ok ? "called" : result.error.code);
    }
    // In one session the list is good for five minutes; the session ends after five requests.
    expect(results[0]).toBe("called");
    expect(results.at(-1)).toBe("CONTRACT_DRIFT");
  });
});

describe("with unlocked tools allowed", () => {
  it("offers what the lock does not know, and knows otherwise, as what may destroy", async () => {
    const project = await makeChanging("--notify", "yes");
    const tools = await open(project, {}, { allowUnlocked: true });
    expect(await shownIn(tools)).toEqual(LOCKED);
    expect(await tools.getTools()).toBe(await tools.getTools());
    await (await tools.get("shop__change")).call({ id: 1 });
    const [, change, tally] = LOCKED;
    const unlocked = ["act", "new"].map((name) => [`shop__${name}`, false, false]);
    expect(await shownIn(tools)).toEqual([unlocked[0], change, unlocked[1], tally]);
    const act = await tools.get("shop__act");
    expect(await act.call({ id: 1 })).toMatchObject({ ok: false, error: { code: "TOOL_INVALID_INPUT" } });
    expect(await act.call({ id: 1, why: "it is new" })).toMatchObject({ ok: true });
    expect(await (await tools.get("shop__new")).call({ id: 1 })).toMatchObject({ ok: true });
  });

  it("offers what a trusted server adds, with its hints, and refuses what it changes", async () => {
    const shop = {
      ...fixtureCommand("changes-list", "--notify", "yes"),
      trust: { newTools: true, hints: true },
    };
    const project = await makePulled({ servers: { shop } });
    const tools = await open(project);
    await tools.getTools();
    await (await tools.get("shop__change")).call({ id: 1 });
    const [first, change, tally] = LOCKED;
    expect(await shownIn(tools)).toEqual([first, change, ["shop__new", false, true], tally]);
    const act = await tools.get("shop__act");
    expect(await act.call({ id: 1 })).toMatchObject({ error: { code: "CONTRACT_DRIFT" } });
    expect(await (await tools.get("shop__new")).call({ id: 1 })).toMatchObject({ ok: true });
  });

  it("shows the lock of a server that cannot be asked", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const tools = await open(await makeAway(), {}, { allowUnlocked: true, onWarning });
    expect((await tools.getTools()).length).toBeGreaterThan(0);
    await tools.getTools();
    expect(warnings).toEqual([expect.stringContaining('The tools of server "shop" could not be listed')]);
    expect(tools.servers).toMatchObject([{ name: "shop", error: { code: "TOOL_UNAVAILABLE" } }]);
    const { structuredContent } = await createToolset(tools).answer("introspect", {});
    expect(structuredContent).toMatchObject({ servers: [{ error: warnings[0] }] });
  });
});

describe.each(["default", "custom"])("a WordPress on its %s server", (kind) => {
  it("is held against its lock as check does it", async () => {
    const site = await startFixture("wordpress", { args: ["--server", kind, "--rest", "closed"] });
    onTestFinished(() => site.close());
    const url = new URL("/wp-json/mcp/mcp-adapter-default-server", site.url).href;
    const project = await makeProject({ servers: { site: { url } } });
    await project.run(["pull"]);
    const kept = await open(project);
    const tools = await kept.getTools();
    const demanding = tools.find(({ inputSchema }) => "required" in Object(inputSchema()));
    const name = demanding?.name ?? "";
    const input = { id: 1, title: "A title", content: "Words" };
    const result = await demanding?.call(input);
    // Whatever the ability makes of it: it is the one that was locked.
    expect(result?.ok === false && result.error.code === "CONTRACT_DRIFT").toBe(false);
    expect(kept.drift.refused).toBe(0);
    // As if the lock were of a time when abilities took nothing.
    const drifted = await open(project, {}, {}, (definition) => ({
      ...definition,
      inputSchema: { type: "object" },
    }));
    expect(await (await drifted.get(name)).call(input)).toMatchObject({
      ok: false,
      error: { code: "CONTRACT_DRIFT" },
    });
  });
});

const tool = (name: string, title: string): ToolSnapshot => ({
  name,
  title,
  inputSchema: { type: "object" },
});

/** A server that lists these further definitions beside its two tools. */
const snapshotOf = (...repeated: readonly ToolSnapshot[]): ServerSnapshot =>
  listTools([tool("a", "first"), tool("b", "only")], repeated);

const breaksOf = (locked: ServerSnapshot, now: ServerSnapshot, name: string): Promise<readonly string[]> =>
  openLiveContract({ name: "shop", settings: {}, locked: lockList(locked), snapshot: now }).findBreaks(name);

it("breaks a tool whose name is listed again, and no other, until that is locked", async () => {
  const [once, twice] = [snapshotOf(), snapshotOf(tool("a", "second"))];
  expect(await breaksOf(once, twice, "a")).toEqual(["tool-name-duplicate"]);
  expect(await breaksOf(once, twice, "b")).toEqual([]);
  expect(await breaksOf(twice, twice, "a")).toEqual([]);
  expect(await breaksOf(twice, once, "a")).toEqual([]);
  expect(await breaksOf(twice, snapshotOf(tool("a", "third")), "a")).toEqual(["tool-name-duplicate"]);
});
