import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makeProject } from "../e2e/make-project.js";
import { runRegistry } from "./conformance-client.js";
import { runLogin } from "./conformance-login.js";
import { startConformanceServer } from "./conformance-server.js";
import { CLIENT_SCENARIOS, SERVER_SCENARIOS, type Scenario } from "./scenarios.js";
import { startRelay } from "./start-relay.js";

const SUITE = fileURLToPath(
  new URL("../../node_modules/.cache/mcp-codegen/conformance.cjs", import.meta.url),
);
const RELAY = fileURLToPath(new URL("conformance-relay.js", import.meta.url));

/**
 * Makes one file of the suite, which starts in half the time. As CommonJS it also runs on Node 20, which has no
 * `fs.globSync`: only its command "tier-check" calls that.
 */
async function buildSuite(): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL("conformance-suite.js", import.meta.url))],
    ...{ bundle: true, platform: "node", format: "cjs", outfile: SUITE, logLevel: "error" },
    define: { "import.meta.url": "address" },
    banner: { js: 'const address = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [
      {
        name: "keep the command line",
        setup: (suiteBuild) => {
          suiteBuild.onLoad({ filter: /conformance[\\/]dist[\\/]index\.js$/ }, async ({ path }) => {
            const text = await readFile(path, "utf8");
            return {
              contents: text.replace(/(\w+)\.parse\(\);(?=export\{\};\s*$)/, "globalThis.conformance=$1;"),
            };
          });
        },
      },
    ],
  });
}

let suite: ChildProcess | undefined;
let isRunning = false;

/** Runs the official suite and returns what it prints. It is started again where a scenario of an earlier test still runs. */
async function runSuite(
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly text: string }> {
  if (isRunning) await endSuite();
  suite ??= fork(SUITE, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  isRunning = true;
  suite.send(args);
  const [answer] = (await once(suite, "message")) as [{ readonly exitCode: number; readonly text: string }];
  isRunning = false;
  return answer;
}

async function endSuite(): Promise<void> {
  const ended = suite !== undefined && once(suite, "exit");
  suite?.kill();
  suite = undefined;
  await ended;
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
  beforeAll(buildSuite);
  afterAll(endSuite);

  test.each(passed(CLIENT_SCENARIOS))("as a client: %s", async (scenario) => {
    const relay = await startRelay(scenario.startsWith("auth/") ? runLogin : runRegistry);
    onTestFinished(() => relay.close());
    const expected = await writeExpectedFailures("client", scenario);
    const { exitCode, text } = await runSuite(
      ...["client", "--command", `${process.execPath} ${RELAY} ${relay.url}`],
      ...["--scenario", scenario, "--expected-failures", expected],
    );
    expect(exitCode, text).toBe(0);
  });

  test.each(passed(SERVER_SCENARIOS))("as a server: %s", async (scenario) => {
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
