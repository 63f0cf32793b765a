import { Buffer } from "node:buffer";
import { basename, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LoadedConfig } from "../../config/load-config.js";
import { McpCodegenError } from "../../contract/errors.js";
import { findOwn } from "../../contract/json.js";
import { LOCKFILE_NAME, type Lockfile } from "../../contract/lockfile.js";
import { readLockfile } from "../../files/lockfile-on-disk.js";
import { readManifest } from "../../files/read-manifest.js";
import { writeAtomic } from "../../files/write-atomic.js";
import type { LogReport } from "../../pipeline/reports.js";
import { count, formatNumber } from "../../report/layout.js";
import type { CommandOptions } from "../command-table.js";
import type { Context, Runner } from "../context.js";
import { findProject } from "../load-project.js";
import { printPage } from "../page/print-page.js";
import { servePage } from "../page/serve-page.js";

/** The versions of each server's contract that a page shows. */
const MOST_VERSIONS = 20;

/** Writes the locked tools, with their history, as one HTML file; with `--serve`, shows it on a loopback port. */
export const runPage: Runner<"page"> = async (context, _args, options) => {
  assertCompatibleOptions(options);
  const project = await findProject(context);
  const dir = project?.dir ?? context.io.cwd;
  if (options.serve === true) return serve(context, { dir, project, options });
  const file = options.pageFile === undefined ? join(dir, FILE) : resolve(context.io.cwd, options.pageFile);
  const { html, lock, unknown } = await readPage(dir, project, false);
  await writeAtomic(file, html);
  const path = relative(context.io.cwd, file);
  const servers = Object.keys(lock.servers).length;
  const tools = countTools(lock);
  const bytes = Buffer.byteLength(html);
  context.print([
    `Wrote ${path}: ${count(servers, "server")}, ${count(tools, "tool")}, ${formatNumber(Math.ceil(bytes / 1_000))} KB.`,
    ...(unknown === undefined ? [] : [context.paint.dim(`No history: ${unknown}`)]),
  ]);
  context.printDocument({ report: "page", exitCode: 0, file: path, servers, tools, bytes });
  if (options.open === true) await open(context, pathToFileURL(file));
  return 0;
};

const FILE = "mcp-codegen.html";

interface Page {
  readonly html: string;
  readonly lock: Lockfile;
  /** Why there is no history; absent if there is one. */
  readonly unknown?: string;
}

async function readPage(dir: string, project: LoadedConfig | undefined, isServed: boolean): Promise<Page> {
  const lock = await readLockfile(join(dir, LOCKFILE_NAME));
  const { histories, unknown } = await readHistories(dir, Object.keys(lock.servers));
  const name = findOwn(await readManifest(join(dir, "package.json")), "name");
  const title = typeof name === "string" && name !== "" ? name : basename(dir);
  const html = await printPage({ title, isServed, lock, histories }, project);
  return { html, lock, ...(unknown !== undefined && { unknown }) };
}

/** A page of a folder without git has no history. */
async function readHistories(
  dir: string,
  servers: readonly string[],
): Promise<{ readonly histories: ReadonlyMap<string, LogReport>; readonly unknown?: string }> {
  const { log } = await import("../../pipeline/log/log.js");
  const histories = new Map<string, LogReport>();
  let unknown: string | undefined;
  for (const server of servers) {
    try {
      histories.set(server, await log(dir, server, { limit: MOST_VERSIONS }));
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      // A new server, or a lock that is not committed yet.
      if (error.code !== "GIT_FAILED" && error.code !== "SERVER_UNKNOWN") throw error;
      unknown ??= error.message;
    }
  }
  return { histories, ...(histories.size === 0 && unknown !== undefined && { unknown }) };
}

interface ServeSettings {
  readonly dir: string;
  readonly project: LoadedConfig | undefined;
  readonly options: CommandOptions<"page">;
}

/** Serves the page, and a new one after every change of the lock, until interrupted. */
async function serve(context: Context, { dir, project, options }: ServeSettings): Promise<number> {
  const signal = context.io.signal ?? new AbortController().signal;
  const { html } = await readPage(dir, project, true);
  const [served, { watchFiles }] = await Promise.all([
    servePage(html, parsePort(options.port ?? "0")),
    import("../../watch/watch-files.js"),
  ]);
  let work = Promise.resolve();
  const update = async (): Promise<void> => {
    try {
      served.replace((await readPage(dir, project, true)).html);
    } catch (error) {
      // The lock is being written, or is wrong: the last page stays.
      if (!(error instanceof McpCodegenError)) throw error;
      context.io.stderr.write(`${error.message}\n`);
    }
  };
  const endWatch = await watchFiles(
    [
      {
        path: join(dir, LOCKFILE_NAME),
        onChange: () => {
          work = work.then(update);
        },
      },
    ],
    { onError: (error) => context.io.stderr.write(`${error.message}\n`) },
  );
  try {
    context.print([
      `Serving the page at ${served.url}`,
      "It reloads when the lock changes. Press Ctrl+C to stop.",
    ]);
    if (options.open === true) await open(context, new URL(served.url));
    await new Promise<void>((done) => {
      if (signal.aborted) done();
      else
        signal.addEventListener(
          "abort",
          () => {
            done();
          },
          { once: true },
        );
    });
    return 0;
  } finally {
    await endWatch();
    await work;
    await served.close();
  }
}

async function open({ io }: Context, url: URL): Promise<void> {
  const { openBrowser } = await import("../login/open-browser.js");
  openBrowser(url, io.env);
}

function countTools({ servers }: Lockfile): number {
  return Object.values(servers).reduce((sum, { tools }) => sum + Object.keys(tools).length, 0);
}

/** Throws `USAGE` for options that cannot be combined. */
function assertCompatibleOptions({ serve: isServed, port, pageFile }: CommandOptions<"page">): void {
  if (isServed === true && pageFile !== undefined) {
    throw new McpCodegenError("USAGE", "--out cannot be used with --serve, which writes no file.", {
      hint: "Remove one of them.",
    });
  }
  if (port !== undefined && isServed !== true) {
    throw new McpCodegenError("USAGE", "--port requires --serve.", { hint: "Add --serve." });
  }
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new McpCodegenError("USAGE", `--port: ${JSON.stringify(text)} is not a port.`, {
    hint: "Pass a number from 0 to 65535; 0 picks a free port.",
  });
}
