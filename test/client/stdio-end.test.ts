/** A server that ignores the end of its input and SIGTERM does not outlive the program, however the program ends. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const transport = new URL("../../dist/client/stdio.js", import.meta.url).href;
const server = fileURLToPath(new URL("../servers/stubborn.js", import.meta.url));

/** A program that starts the server, prints the ids that it gets, and then ends. */
const program = (end: string): string => `
  import { openStdio } from ${JSON.stringify(transport)};
  const endpoint = { kind: "stdio", command: process.execPath, args: [${JSON.stringify(server)}], env: {}, label: "x", secrets: [] };
  const channel = await openStdio(endpoint, {
    onDead: () => undefined,
    onText: async (text) => {
      process.stdout.write(text + "\\n");
      ${end}
    },
  });
  setInterval(() => undefined, 60_000);
`;

/** Whether a process runs. One that has ended may remain as a zombie. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

// They wait for seconds and share nothing.
const onPosix = process.platform === "win32" ? it.skip : it.concurrent;
onPosix.each([
  ["closes the connection", "await channel.close(); process.exit();", undefined],
  ["calls process.exit", "process.exit();", undefined],
  ["throws", "queueMicrotask(() => { throw new Error(); });", undefined],
  ["gets SIGINT", "", "SIGINT"],
  ["gets SIGTERM", "", "SIGTERM"],
  ["gets SIGHUP", "", "SIGHUP"],
  ["gets SIGKILL", "", "SIGKILL"],
] as const)("if the program %s", async (_, end, signal) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program(end)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout });
  const pids = await new Promise<readonly number[]>((resolve) => {
    lines.once("line", (line) => {
      resolve(line.split(" ").map(Number));
    });
  });
  expect(pids).toHaveLength(2);
  try {
    if (signal !== undefined) {
      expect(pids.every(isRunning)).toBe(true);
      child.kill(signal);
    }
    while (pids.some(isRunning)) await setTimeout(50);
  } finally {
    for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
    child.kill("SIGKILL");
  }
});
