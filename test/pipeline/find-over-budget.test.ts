import { expect, test } from "vitest";
import type { Config } from "../../src/config/config.js";
import { lockServer } from "../../src/core/lock-server.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import { countTokens, findOverBudget } from "../../src/pipeline/count-tokens.js";

function lockOf(...descriptions: readonly string[]): Lockfile {
  const snapshot = {
    server: "site",
    identity: { serverInfo: {}, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    tools: descriptions.map((description, at) => ({ name: `tool-${at}`, description })),
    unusable: {},
    diagnostics: [],
  };
  const site = lockServer(snapshot, undefined, { contract: "1.0.0", categoryOf: () => undefined });
  return { lockfileVersion: 1, servers: { site, away: site } };
}

function configOf(site?: number, common?: number): Config {
  return {
    ...(common !== undefined && { check: { tokenBudget: common } }),
    servers: {
      site: { url: "https://a.example", ...(site !== undefined && { check: { tokenBudget: site } }) },
    },
  };
}

const long = lockOf("a short text", "a text that is somewhat longer than the other text");

test("a server has its own budget, or else the common one", async () => {
  const lock = await countTokens(long);
  const total = Object.values(lock.servers["site"]?.tools ?? {}).reduce(
    (sum, { tokens = 0 }) => sum + tokens,
    0,
  );
  const find = async (config: Config): Promise<readonly unknown[]> =>
    (await findOverBudget(config, lock, [])).map(({ server }) => server);
  expect(await find(configOf(total))).toEqual([]);
  expect(await find(configOf(total - 1))).toEqual(["site"]);
  expect(await find(configOf(total, 1))).toEqual(["away"]);
  expect(await find(configOf(undefined, total - 1))).toEqual(["away", "site"]);
});

test("uncounted tools are estimated, and the most expensive come first", async () => {
  const [excess] = await findOverBudget(configOf(5), long, []);
  expect(excess).toMatchObject({ facts: { of: "lock", isEstimate: true, budget: 5 } });
  expect(excess?.facts?.largest?.map(({ tool }) => tool)).toEqual(["tool-1", "tool-0"]);
});

test("a server that grows beyond its budget is found before it is locked", async () => {
  const lock = await countTokens(lockOf("short"));
  const after = {
    ...lock,
    servers: { site: { ...lock.servers["away"], ...long.servers["site"] } },
  } as Lockfile;
  const grown = [{ environment: "sandbox", before: lock, after }];
  const find = async (budget: number, revisions = grown): Promise<unknown> => {
    const findings = await findOverBudget(configOf(budget), lock, revisions);
    return findings.map(({ environment, facts }) => [facts?.of, environment, facts?.isEstimate]);
  };
  const [ofLock, ofServer] = [
    ["lock", undefined, false],
    ["server", "sandbox", false],
  ];
  expect(await find(25)).toEqual([ofServer]);
  expect(await find(1)).toEqual([ofLock, ofServer]);
  expect(await find(1_000)).toEqual([]);
  // A server that is unchanged is reported once.
  expect(await find(1, [{ environment: "sandbox", before: lock, after: lock }])).toEqual([ofLock]);
});
