import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { PassThrough, type Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { run } from "../../src/cli/run.js";
import { TOKEN } from "./clients.js";

export { TOKEN };

export const BIN: string = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));

export interface StartedServe {
  readonly url: string;
  /** Lines on stderr so far. */
  readonly lines: readonly string[];
  /** The exit code. */
  stop(): Promise<number | null>;
}

/** Runs `serve` over HTTP in this process. Rejects when it ends before it listens. */
export async function startServe(
  dir: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<StartedServe> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.resume();
  const interrupt = new AbortController();
  const ended = run(["serve", "--http", "0", ...args], {
    ...{ stdin, stdout, stderr, cwd: dir, signal: interrupt.signal },
    env: { ...process.env, MCP_CODEGEN_SERVE_TOKEN: TOKEN, ...env },
  });
  const started = await untilListening(stderr, ended);
  return {
    ...started,
    stop: () => {
      interrupt.abort("SIGTERM");
      return ended;
    },
  };
}

/** As {@link startServe}, by the built program. */
export async function startServeProgram(
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
  const started = await untilListening(child.stderr, exited);
  return {
    ...started,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

async function untilListening(
  stderr: Readable,
  ended: Promise<number | null>,
): Promise<Pick<StartedServe, "url" | "lines">> {
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: stderr }).on("line", (line) => {
      lines.push(line);
      const found = /At (http:\S+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => {
      reject(new Error(`It ended before it listened: ${lines.join("\n")}`));
    });
  });
  return { url, lines };
}
