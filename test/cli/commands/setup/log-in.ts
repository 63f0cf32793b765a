import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { run } from "../../../../src/cli/run.js";
import { browse } from "../../../servers/start-protected.js";
import type { Outcome } from "../../run-command.js";

export interface LogInOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  /** Whether to start the program in `BROWSER`. */
  readonly browser?: boolean;
  /** Changes the redirect before the loopback address receives it. */
  readonly tamper?: (redirect: URL) => void;
  /** Called with the login page instead of logging in there. */
  readonly visit?: (page: string) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** Runs `login --no-browser`, and logs in at the page that it prints. */
export async function logIn(server: string, options: LogInOptions): Promise<Outcome> {
  const { cwd, env, browser = false, args = [], tamper = () => undefined, signal } = options;
  const visit =
    options.visit ??
    (async (page) => {
      const redirect = await browse(page);
      tamper(redirect);
      await (await fetch(redirect)).text();
    });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const out: string[] = [];
  const err: string[] = [];
  const failed = new AbortController();
  let visited: Promise<void> | undefined;
  stdout.on("data", (piece: Buffer) => out.push(piece.toString()));
  stderr.on("data", (piece: Buffer) => {
    err.push(piece.toString());
    const page = /^https?:\/\/\S+$/m.exec(err.join(""))?.[0];
    if (page === undefined || visited !== undefined) return;
    visited = visit(page);
    visited.catch(() => {
      failed.abort("SIGINT");
    });
  });
  const stdin = new PassThrough();
  stdin.end();
  const exitCode = await run(
    ["login", server, ...(browser ? [] : ["--no-browser"]), "--wait", "20", ...args],
    {
      stdin,
      stdout,
      stderr,
      cwd,
      env: { PATH: process.env["PATH"], ...env },
      signal: signal ?? failed.signal,
    },
  );
  await visited;
  return { exitCode, stdout: out.join(""), stderr: err.join("") };
}

/** Writes a program for `BROWSER` that saves the address that it opens, and returns its path. */
export async function writeBrowser(dir: string, opened: string): Promise<string> {
  const path = join(dir, "browser.cjs");
  // Renamed when it is complete, since the test waits for it.
  const save = `fs.writeFileSync(to + ".part", process.argv[2]); fs.renameSync(to + ".part", to);`;
  await writeFile(
    path,
    `#!${process.execPath}\nconst fs = require("node:fs"); const to = ${JSON.stringify(opened)}; ${save}\n`,
  );
  await chmod(path, 0o700);
  return path;
}
