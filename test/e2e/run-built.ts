import { execFile } from "node:child_process";
import type { run as runSource } from "../../src/cli/run.js";
import { type Outcome, runCommand } from "../cli/run-command.js";
import { BIN } from "../serve/start-serve.js";
import type { Project } from "./make-project.js";

const built = new URL("../../dist/cli/run.js", import.meta.url).href;

/** Runs the build in this process: its threads are files. */
export async function runBuilt(
  { dir: cwd }: Project,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const { run } = (await import(built)) as { readonly run: typeof runSource };
  return runCommand(argv, { cwd, env, run });
}

/** Runs the built program. */
export async function runProgram(
  project: Project,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly exitCode: unknown; readonly stdout: string; readonly stderr: string }> {
  const options = { cwd: project.dir, env: { ...process.env, ...env } };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [BIN, ...argv], options, (error, stdout, stderr) => {
      resolve({ exitCode: error?.code ?? 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Returns variables for a process in which these packages are not installed. */
export function withoutPackages(...names: readonly string[]): NodeJS.ProcessEnv {
  const hooks = `export const resolve = (name, context, next) => {
    if (${JSON.stringify(names)}.includes(name)) throw Object.assign(new Error(name), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  };`;
  const toOption = (code: string): string => `--import=data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  // Threads do not inherit the hooks.
  const inThreads = `import threads from "node:worker_threads"; import { syncBuiltinESMExports } from "node:module";
    threads.Worker = class extends threads.Worker {
      constructor(url, options) { super(url, { ...options, execArgv: ${JSON.stringify([toOption(register)])} }); }
    };
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `${toOption(register)} ${toOption(inThreads)}` };
}
