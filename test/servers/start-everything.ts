import { spawn } from "node:child_process";
import { connect, createServer, type AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A server program that the makers of the protocol publish. */
export function programOf(name: "everything" | "filesystem" | "memory"): string {
  return fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
}

/** Starts the server "everything" over HTTP. Rejects when it exits before it listens. */
export async function startEverything(
  mode: "streamableHttp" | "sse",
): Promise<{ readonly origin: string; close(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [programOf("everything"), mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: "ignore",
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error("The server exited before it listened.");
    await setTimeout(50);
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      child.kill();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).once("error", () => {
      resolve(false);
    });
  });
}
