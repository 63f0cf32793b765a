import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const BIN: string = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));
export const TOKEN = "0123456789abcdef0123456789abcdef";

export interface StartedServe {
  readonly url: string;
  /** Lines on stderr so far. */
  readonly lines: readonly string[];
  /** The exit code. */
  stop(): Promise<number | null>;
}

/** The built program serving over HTTP. Rejects when it exits before it listens. */
export async function startServe(
  dir: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<StartedServe> {
  const child = spawn(process.execPath, [BIN, "serve", "--http", "0", ...args], {
    cwd: dir,
    env: { ...process.env, MCP_CODEGEN_SERVE_TOKEN: TOKEN, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      const found = /At (http:\S+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => {
      reject(new Error(`It exited before it listened: ${lines.join("\n")}`));
    });
  });
  return {
    url,
    lines,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}
