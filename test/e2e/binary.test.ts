import { execFile, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";

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
    const project = await makeProject({ servers: { shop: fixtureCommand("drifted") } });
    await project.run(["pull"]);
    const { child, ended } = start(["list"], project.dir);
    child.stdout?.destroy();
    expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });
  });

  // `interrupted.test.ts` ends commands by the other signal.
  it.skipIf(process.platform === "win32").each([["SIGTERM", 143]] as const)(
    "ends its servers on %s, exits %i and leaves the files as they were",
    async (signal, code) => {
      // A unique time-out distinguishes this server from those of other runs.
      const slow = fixtureCommand("slow", "--at", "list", "--delay", `60${process.pid}`);
      const isServing = async (): Promise<boolean> => {
        const { stdout } = await promisify(execFile)("ps", ["-eo", "args"]);
        return stdout.includes(slow.args.join(" "));
      };
      const project = await makeProject({ servers: { slow } });
      const before = await project.files();
      const { child, ended } = start(["pull"], project.dir);
      while (!(await isServing())) await setTimeout(20);
      child.kill(signal);
      const end = await ended;
      // Before the program listens, the system ends it: a shell reports the same status.
      expect(end.signal ?? end.code).toBe(end.signal === null ? code : signal);
      expect(await project.files()).toEqual(before);
      // What ends the server of a program that was killed needs a moment.
      while (await isServing()) await setTimeout(20);
    },
  );

  it.skipIf(process.platform === "win32").each([["SIGINT", 130]] as const)(
    "ends a watch on %s with its servers, and exits %i",
    async (signal, code) => {
      // A unique delay distinguishes this server from those of other runs.
      const shop = fixtureCommand("changes-list", "--notify", "yes", "--delay", `0.${process.pid}`);
      const project = await makeProject({ servers: { shop } });
      const { child, ended } = start(["watch"], project.dir);
      let stdout = "";
      await new Promise<void>((resolve) => {
        child.stdout?.on("data", (chunk: Buffer) => {
          stdout += chunk.toString("utf8");
          if (stdout.includes("Watching shop (notifications")) resolve();
        });
        void ended.then(() => {
          resolve();
        });
      });
      child.kill(signal);
      expect([await ended, stdout]).toEqual([
        { code, signal: null, stderr: "" },
        expect.stringContaining("Press Ctrl+C to stop."),
      ]);
      const isRunning = async (): Promise<boolean> => {
        const { stdout: running } = await promisify(execFile)("ps", ["-eo", "args"]);
        return running.includes(shop.args.join(" "));
      };
      while (await isRunning()) await setTimeout(20);
      expect((await project.paths()).filter((path) => path.includes("mcp-codegen-tmp"))).toEqual([]);
    },
  );
});
