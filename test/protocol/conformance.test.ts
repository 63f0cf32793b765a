import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeProject } from "../e2e/make-project.js";
import { startConformanceServer } from "./conformance-server.js";
import { CLIENT_SCENARIOS, SERVER_SCENARIOS, type Scenario } from "./scenarios.js";

const SUITE = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const ALLOW_NODE_20 = fileURLToPath(new URL("allow-node-20.js", import.meta.url));
const CLIENT = fileURLToPath(new URL("conformance-client.js", import.meta.url));
const LOGIN = fileURLToPath(new URL("conformance-login.js", import.meta.url));

/** Runs the official suite and returns what it prints. */
async function runSuite(
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly text: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, ["--import", ALLOW_NODE_20, SUITE, ...args], (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : 1, text: `${stdout}${stderr}` });
    });
  });
}

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
  test.each(passed(CLIENT_SCENARIOS))("as a client: %s", { timeout: 60_000 }, async (scenario) => {
    const expected = await writeExpectedFailures("client", scenario);
    const { exitCode, text } = await runSuite(
      ...["client", "--command", `${process.execPath} ${scenario.startsWith("auth/") ? LOGIN : CLIENT}`],
      ...["--scenario", scenario, "--expected-failures", expected],
    );
    expect(exitCode, text).toBe(0);
  });

  test.each(passed(SERVER_SCENARIOS))("as a server: %s", { timeout: 60_000 }, async (scenario) => {
    const server = await startConformanceServer();
    onTestFinished(() => server.close());
    const expected = await writeExpectedFailures("server", scenario);
    const { exitCode, text } = await runSuite(
      ...["server", "--url", server.url, "--scenario", scenario, "--expected-failures", expected],
    );
    expect(exitCode, text).toBe(0);
  });

  test.each([
    ["--client", CLIENT_SCENARIOS],
    ["--server", SERVER_SCENARIOS],
  ])("has no other scenario (%s)", async (kind, scenarios) => {
    const { text } = await runSuite("list", kind);
    const listed = [...text.matchAll(/^ +- (\S+) \[/gm)].map(([, name]) => name);
    expect(Object.keys(scenarios).sort()).toEqual(listed.sort());
  });
});
