import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CLIENT_SCENARIOS } from "./scenarios.js";

const SUITE = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const ALLOW_NODE_20 = fileURLToPath(new URL("allow-node-20.js", import.meta.url));
const CLIENT = fileURLToPath(new URL("conformance-client.js", import.meta.url));

/** Runs the suite and returns what it prints, without colours. */
async function runSuite(
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly text: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, ["--import", ALLOW_NODE_20, SUITE, ...args], (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : 1, text: `${stdout}${stderr}` });
    });
  });
}

describe("as a client, we pass the official suite", () => {
  const passed = Object.entries(CLIENT_SCENARIOS).flatMap(([name, result]) =>
    result === true ? [name] : [],
  );

  test.concurrent.each(passed)("%s", { timeout: 60_000 }, async (scenario) => {
    const command = `${process.execPath} ${CLIENT}`;
    const { exitCode, text } = await runSuite("client", "--command", command, "--scenario", scenario);
    expect(exitCode, text).toBe(0);
  });
});
