import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { mapEntries } from "../../src/core/json.js";
import type { ToolSnapshot, ServerSnapshot } from "../../src/core/snapshot.js";
import { readLockfile } from "../../src/files/project-records.js";
import { type RegisteredTool, createToolset } from "../../src/agent/index.js";
import { openServedTools, type ServedTools, type ServedToolsOptions } from "../../src/serve/open-toolset.js";
import { LOCKFILE_NAME, makeProject, makePulled, type Project } from "../e2e/make-project.js";
import { openFixture } from "../runtime/open-fixture.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { listTools, lockList } from "../testing/lock-tools.js";
import { openLiveContract } from "../../src/serve/drift-guard.js";

interface Options extends Partial<ServedToolsOptions> {
  readonly variables?: Record<string, string>;
  /** Changes each locked definition. */
  readonly change?: (definition: ToolSnapshot) => ToolSnapshot;
}

/** Opens the tools of a project that was pulled. */
async function open({ dir }: Project, { variables = {}, change, ...options }: Options = {}) {
  const project = await loadConfig({ cwd: dir });
  if (project === undefined) throw new Error("There is no configuration.");
  const lock = await readLockfile(join(dir, LOCKFILE_NAME));
  const servers = mapEntries(lock.servers, (server) => ({
    ...server,
    tools: mapEntries(server.tools, (tool) =>
      change === undefined ? tool : { ...tool, digest: "of no other", definition: change(tool.definition) },
    ),
  }));
  const lookup = (name: string): string | undefined => variables[name];
  const given = { lookup, now: () => performance.now(), ...options };
  const tools = openServedTools(project, { ...lock, servers }, given);
  onTestFinished(() => tools.close());
  const get = async (name: string): Promise<RegisteredTool> => {
    const tool = await tools.getTool(name);
    if (tool === undefined) throw new Error(`There is no tool "${name}".`);
    return tool;
  };
  const call = async (name: string, input: object = { id: 1 }) => (await get(name)).call(input);
  return { tools, get, call };
}

function makeDrifting(locked = "none", settings: object = {}): Promise<Project> {
  const { command, args } = fixtureCommand("drifted");
  const shop = { command, args, env: { DRIFT: "${DRIFT}" }, ...settings };
  return makePulled({ servers: { shop } }, [], { env: { DRIFT: locked } });
}

const makeChanging = (...args: readonly string[]): Promise<Project> =>
  makePulled({ servers: { shop: fixtureCommand("changes-list", ...args) } });

/** What a tool of the changing fixture says it did. */
const tallyOf = ({ listed, acted }: Readonly<Record<"listed" | "acted", number>>): object => ({
  ok: true,
  value: { text: JSON.stringify({ listed, acted }) },
});
const DRIFTED = { ok: false, error: { code: "CONTRACT_DRIFT" } };

/** A project that was pulled, whose server cannot be started now. */
async function makeAway(): Promise<Project> {
  const project = await makePulled({ servers: { shop: fixtureCommand("paged") } });
  await project.configure({ servers: { shop: { command: "no-such-command-here" } } });
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
    const { tools, call } = await open(project, { variables: { DRIFT: "none" } });
    await call(...FIND);
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
    const told: string[] = [];
    const { tools, call } = await open(await makeDrifting(), {
      variables: { DRIFT: drift },
      onDrift: ({ tool, refused }) => told.push(`${tool} ${refused}`),
    });
    const result = await call(name, input);
    if (rules.length === 0) {
      expect(result).toMatchObject({ ok: true });
      expect(tools.drift).toEqual({ refused: 0, tools: [] });
      return;
    }
    const message = expect.stringMatching(/contract 1\.0\.0.*Run "npx mcp-codegen check shop"/) as string;
    const error = { code: "CONTRACT_DRIFT", retryable: false, tool: name, server: "shop", message };
    expect(result).toMatchObject({ ok: false, error });
    await call(name, input);
    const own = name.slice("shop__".length);
    const drifted = { server: "shop", tool: own, contract: "1.0.0", refused: 2 };
    const all = expect.arrayContaining([...rules]) as readonly string[];
    expect(tools.drift).toEqual({ refused: 2, tools: [{ ...drifted, rules: all }] });
    expect(told).toEqual([`${own} 1`, `${own} 2`]);
  });

  it("is called where the configuration calls its change safe", async () => {
    const project = await makeDrifting();
    const config = JSON.parse(await project.read("mcp-codegen.config.json")) as { servers: { shop: object } };
    const check = { rules: { "input-default-changed": "safe" } };
    await project.configure({ servers: { shop: { ...config.servers.shop, check } } });
    const { call } = await open(project, { variables: { DRIFT: "input-default-changed" } });
    expect(await call(...FIND)).toMatchObject({ ok: true });
  });

  it("is not called where its server cannot be listed", async () => {
    const project = await makePulled({ servers: { shop: fixtureCommand("dies-midway", "--at", "call") } });
    await project.configure({ servers: { shop: fixtureCommand("dies-midway", "--at", "list") } });
    const { call } = await open(project);
    expect(await call("shop__first")).toMatchObject({ ok: false, error: { code: "TOOL_UNAVAILABLE" } });
  });
});

describe("the list of a server", () => {
  it("is read once for calls that come together, and not again while it is good", async () => {
    const { get, call } = await open(await makeChanging("--delay", "50"));
    const act = await get("shop__act");
    const together = await Promise.all(Array.from({ length: 20 }, () => act.call({ id: 1 })));
    expect(together.every(({ ok }) => ok)).toBe(true);
    expect(await call("shop__tally")).toMatchObject(tallyOf({ listed: 1, acted: 20 }));
  });

  it("is not read before a tool is called", async () => {
    const { tools } = await open(await makeAway());
    expect((await tools.getTools()).length).toBeGreaterThan(0);
  });

  it("is read again when the server says that it has changed", async () => {
    const { get, call } = await open(await makeChanging("--notify", "yes"));
    const act = await get("shop__act");
    expect(await act.call({ id: 1 })).toMatchObject(tallyOf({ listed: 1, acted: 1 }));
    await call("shop__change");
    expect(await act.call({ id: 1 })).toMatchObject(DRIFTED);
    expect(await call("shop__tally")).toMatchObject(tallyOf({ listed: 2, acted: 1 }));
  });

  it("is read again after five minutes", async () => {
    let now = 0;
    const { get, call } = await open(await makeChanging(), { now: () => now });
    const act = await get("shop__act");
    await act.call({ id: 1 });
    await call("shop__change");
    now = 299_999;
    expect(await act.call({ id: 1 })).toMatchObject(tallyOf({ listed: 1, acted: 2 }));
    now = 300_000;
    expect(await act.call({ id: 1 })).toMatchObject(DRIFTED);
    expect(await call("shop__tally")).toMatchObject(tallyOf({ listed: 2, acted: 2 }));
  });

  it("is read again in another session", async () => {
    const { url } = await openFixture("changes-list", { args: ["--forget-after", "5"] });
    const project = await makeProject({ servers: { shop: { url } } });
    await project.run(["pull"]);
    const { get, call } = await open(project);
    const act = await get("shop__act");
    const first = await act.call({ id: 1 });
    await call("shop__change");
    const results = [first];
    for (let n = 0; n < 7; n += 1) results.push(await act.call({ id: 1 }));
    // In one session the list is good for five minutes; the session ends after five requests.
    expect([results[0], results.at(-1)]).toMatchObject([{ ok: true }, DRIFTED]);
  });
});

describe("with unlocked tools allowed", () => {
  it("offers what the lock does not know, and knows otherwise, as what may destroy", async () => {
    const { tools, call } = await open(await makeChanging("--notify", "yes"), { allowUnlocked: true });
    expect(await shownIn(tools)).toEqual(LOCKED);
    expect(await tools.getTools()).toBe(await tools.getTools());
    await call("shop__change");
    const [, change, tally] = LOCKED;
    const unlocked = ["act", "new"].map((name) => [`shop__${name}`, false, false]);
    expect(await shownIn(tools)).toEqual([unlocked[0], change, unlocked[1], tally]);
    expect(await call("shop__act")).toMatchObject({ ok: false, error: { code: "TOOL_INVALID_INPUT" } });
    expect(await call("shop__act", { id: 1, why: "it is new" })).toMatchObject({ ok: true });
    expect(await call("shop__new")).toMatchObject({ ok: true });
  });

  it("offers what a trusted server adds, with its hints, and refuses what it changes", async () => {
    const trust = { newTools: true, hints: true };
    const shop = { ...fixtureCommand("changes-list", "--notify", "yes"), trust };
    const { tools, call } = await open(await makePulled({ servers: { shop } }));
    await tools.getTools();
    await call("shop__change");
    const [first, change, tally] = LOCKED;
    expect(await shownIn(tools)).toEqual([first, change, ["shop__new", false, true], tally]);
    expect(await call("shop__act")).toMatchObject(DRIFTED);
    expect(await call("shop__new")).toMatchObject({ ok: true });
  });

  it("shows the lock of a server that cannot be asked", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const { tools } = await open(await makeAway(), { allowUnlocked: true, onWarning });
    expect((await tools.getTools()).length).toBeGreaterThan(0);
    await tools.getTools();
    expect(warnings).toEqual([expect.stringContaining('The tools of server "shop" could not be listed')]);
    expect(tools.servers).toMatchObject([{ name: "shop", error: { code: "TOOL_UNAVAILABLE" } }]);
    const { structuredContent } = await createToolset(tools).answer("introspect", {});
    expect(structuredContent).toMatchObject({ servers: [{ error: warnings[0] }] });
  });
});

it.each(["default", "custom"])("a WordPress on its %s server is held against its lock", async (kind) => {
  const site = await openFixture("wordpress", { args: ["--server", kind, "--rest", "closed"] });
  const url = new URL("/wp-json/mcp/mcp-adapter-default-server", site.url).href;
  const project = await makeProject({ servers: { site: { url } } });
  await project.run(["pull"]);
  const { tools, call } = await open(project);
  const demanding = (await tools.getTools()).find(({ inputSchema }) => "required" in Object(inputSchema()));
  const name = demanding?.name ?? "";
  const input = { id: 1, title: "A title", content: "Words" };
  // Whatever the ability makes of it: it is the one that was locked.
  expect(await call(name, input)).not.toMatchObject(DRIFTED);
  expect(tools.drift.refused).toBe(0);
  // As if the lock were of a time when abilities took nothing.
  const change = (definition: ToolSnapshot) => ({ ...definition, inputSchema: { type: "object" } });
  const drifted = await open(project, { change });
  expect(await drifted.call(name, input)).toMatchObject(DRIFTED);
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
