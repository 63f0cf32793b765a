/** The official conformance suite as one program that runs many of its command lines. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SUITE = fileURLToPath(
  new URL("../../node_modules/.cache/mcp-codegen/conformance.cjs", import.meta.url),
);

interface SuiteResult {
  readonly exitCode: number;
  /** What it printed. */
  readonly text: string;
}

export interface Suite {
  run(...args: readonly string[]): Promise<SuiteResult>;
  close(): Promise<void>;
}

/**
 * Runs the suite's main module for each message. The first exit code counts: unlike the real `exit`, this one returns.
 * Commands that call no `exit` end with their first turn.
 */
const RUN_MESSAGES = `
  };
  process.on("message", (args) => {
    let text = "";
    let isOpen = true;
    for (const stream of [process.stdout, process.stderr])
      stream.write = (chunk) => {
        text += chunk;
        return true;
      };
    process.exit = (exitCode) => {
      if (isOpen) process.send({ exitCode, text });
      isOpen = false;
    };
    process.argv = [process.execPath, __filename, ...args];
    runMain();
    if (args[0] === "list") process.exit(0);
  });
`;

/**
 * Starts the suite. As one file it starts in half the time, and as CommonJS it also runs on Node 20, which has no
 * `fs.globSync`: only its command "tier-check" calls that.
 */
export async function startSuite(): Promise<Suite> {
  await build({
    entryPoints: [fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"))],
    ...{ bundle: true, platform: "node", format: "cjs", outfile: SUITE, logLevel: "error" },
    define: { "import.meta.url": "address" },
    banner: {
      js: 'const address = require("node:url").pathToFileURL(__filename).href; const runMain = () => {',
    },
    footer: { js: RUN_MESSAGES },
  });
  const child = fork(SUITE, { execArgv: [] });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The suite ended with ${String(code)}.`);
  });
  ended.catch(() => undefined);
  return {
    run: async (...args) => {
      const answer = once(child, "message") as Promise<[SuiteResult]>;
      child.send(args);
      const [result] = await Promise.race([answer, ended]);
      return result;
    },
    close: async () => {
      child.kill();
      await ended.catch(() => undefined);
    },
  };
}
