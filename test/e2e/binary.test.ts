import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makePulled } from "./make-project.js";

const bin = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
// In CI a pull is frozen.
const env = { ...process.env, CI: "" };

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** Starts the real program and returns it while it runs. */
function start(
  argv: readonly string[],
  cwd: string,
): { readonly child: ReturnType<typeof spawn>; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [bin, ...argv], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stdout.resume();
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal, stderr });
    });
  });
  return { child, ended };
}

describe("the real program", () => {
  it("prints no error if its reader closes the pipe", async () => {
    const project = await makePulled({ servers: { shop: fixtureCommand("drifted") } });
    const { child, ended } = start(["list"], project.dir);
    child.stdout?.destroy();
    expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });
  });
});
