import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startInProcess } from "./in-process.js";

/** Returns the `command` and `args` of a fixture server for a configuration. */
export function fixtureCommand(
  name: string,
  ...args: readonly string[]
): { command: string; args: string[] } {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL("fixtures.js", import.meta.url)), name, ...args],
  };
}

/** Starts a fixture server on loopback HTTP. Rejects when it exits before it listens. */
export async function startFixture(
  name: string,
  options: {
    readonly transport?: "http" | "sse";
    readonly args?: readonly string[];
    readonly port?: number;
  } = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const transport = options.transport ?? "http";
  const { command, args } = fixtureCommand(
    name,
    `--${transport}`,
    String(options.port ?? 0),
    ...(options.args ?? []),
  );
  const child =
    startInProcess(command, args, {}) ?? spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) =>
    child.once("exit", () => {
      resolve();
    }),
  );
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    void exited.then(() => {
      reject(new Error(`The fixture "${name}" exited before it listened.`));
    });
  });
  return {
    url: `http://127.0.0.1:${port}/${transport === "http" ? "mcp" : "sse"}`,
    close: async () => {
      child.kill();
      await exited;
    },
  };
}
