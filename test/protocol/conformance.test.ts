import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makeProject } from "../e2e/make-project.js";
import { runRegistry } from "./conformance-client.js";
import { runLogin } from "./conformance-login.js";
import { startConformanceServer } from "./conformance-server.js";
import { startSuite, type Suite } from "./conformance-suite.js";
import { CLIENT_SCENARIOS, SERVER_SCENARIOS, type Scenario } from "./scenarios.js";
import { startRelay } from "./start-relay.js";

const RELAY = fileURLToPath(new URL("conformance-relay.js", import.meta.url));

function passed(scenarios: { readonly [name: string]: Scenario }): readonly string[] {
  return Object.entries(scenarios).flatMap(([name, result]) => (typeof result === "string" ? [] : [name]));
}

/** Writes the checks of a scenario that do not apply, which the suite then expects to fail. */
async function writeExpectedFailures(kind: "client" | "server", scenario: string): Promise<string> {
  const result = { client: CLIENT_SCENARIOS, server: SERVER_SCENARIOS }[kind][scenario];
  const checks = typeof result === "object" ? Object.keys(result) : [];
  const path = join((await makeProject()).dir, "expected.yml");
  await writeFile(path, JSON.stringify({ [kind]: checks.map((check) => `${scenario}:${check}`) }));
  return path;
}

describe("the official conformance suite", () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await startSuite();
  });
  afterAll(() => suite.close());

  test.each(passed(CLIENT_SCENARIOS))("as a client: %s", { timeout: 60_000 }, async (scenario) => {
    const relay = await startRelay(scenario.startsWith("auth/") ? runLogin : runRegistry);
    onTestFinished(() => relay.close());
    const expected = await writeExpectedFailures("client", scenario);
    const { exitCode, text } = await suite.run(
      ...["client", "--command", `${process.execPath} ${RELAY} ${relay.url}`],
      ...["--scenario", scenario, "--expected-failures", expected],
    );
    expect(exitCode, text).toBe(0);
  });

  test.each(passed(SERVER_SCENARIOS))("as a server: %s", { timeout: 60_000 }, async (scenario) => {
    const server = await startConformanceServer();
    onTestFinished(() => server.close());
    const expected = await writeExpectedFailures("server", scenario);
    const { exitCode, text } = await suite.run(
      ...["server", "--url", server.url, "--scenario", scenario, "--expected-failures", expected],
    );
    expect(exitCode, text).toBe(0);
  });

  test.each([
    ["--client", CLIENT_SCENARIOS],
    ["--server", SERVER_SCENARIOS],
  ])("has no other scenario (%s)", async (kind, scenarios) => {
    const { text } = await suite.run("list", kind);
    const listed = [...text.matchAll(/^ +- (\S+) \[/gm)].map(([, name]) => name);
    expect(Object.keys(scenarios).sort()).toEqual(listed.sort());
  });
});
