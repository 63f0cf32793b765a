import { formatNumber } from "../../../core/printable.js";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { basename, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { McpCodegenError } from "../../../core/errors.js";
import { findOwn } from "../../../core/json.js";
import { LOCKFILE_NAME } from "../../../core/lockfile.js";
import { readLockfile } from "../../../files/project-records.js";
import { readManifest } from "../../../files/project-settings.js";
import { writeAtomic } from "../../../files/write-atomic.js";
import { log, type LogReport } from "../../../pipeline/log/log.js";
import { count } from "../../../report/layout.js";
import { watchFiles } from "../../../sources/watch/watch-project.js";
import { assertReplaceable, type Runner, usageError } from "../../command-spec.js";
import { type Context, printWarning } from "../../context.js";
import { findProject } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { listenOnLoopback, openBrowser } from "../setup/logins.js";
import type { PAGE_FLAGS } from "./spec.js";
import { readPageAssets } from "../../../files/read-page-assets.js";
import { type PageContent, renderPage } from "../../../report/page/html.js";

const MOST_VERSIONS = 20;

/** Writes the locked tools, with their history, as one HTML file; with `--serve`, shows it on a loopback port. */
export const runPage: Runner<typeof PAGE_FLAGS> = async (context, _args, options) => {
  const project = await findProject(context);
  const dir = project?.dir ?? context.io.cwd;
  if (options.serve === true) return serve(context, dir, options);
  const file = options.out === undefined ? join(dir, FILE) : resolve(context.io.cwd, options.out);
  assertReplaceable("--out", file);
  const { html, lock, unknown } = await readPage(dir, false);
  await writeAtomic(file, html);
  const path = relative(context.io.cwd, file);
  const servers = Object.keys(lock.servers).length;
  const tools = Object.values(lock.servers).flatMap((server) => Object.keys(server.tools)).length;
  const bytes = Buffer.byteLength(html);
  const size = `${formatNumber(Math.ceil(bytes / 1_000))} KB`;
  if (options.open === true) openBrowser(pathToFileURL(file), context.io.env);
  return context.report({ report: "page", exitCode: 0, file: path, servers, tools, bytes }, [
    `Wrote ${path}: ${count(servers, "server")}, ${count(tools, "tool")}, ${size}.`,
    ...(unknown === undefined ? [] : [context.paint.dim(`No history: ${unknown}`)]),
  ]);
};

const FILE = "mcp-codegen.html";

/** Returns a page, the lock that it shows, and why it has no history. */
async function readPage(dir: string, isServed: boolean) {
  const lock = await readLockfile(join(dir, LOCKFILE_NAME));
  const { histories, unknown } = await readHistories(dir, Object.keys(lock.servers));
  const name = findOwn(await readManifest(join(dir, "package.json")), "name");
  const title = typeof name === "string" && name !== "" ? name : basename(dir);
  const html = await printPage({ title, isServed, lock, histories });
  return { html, lock, unknown };
}

/** A page of a folder without git has no history. */
async function readHistories(dir: string, servers: readonly string[]) {
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
  return { histories, unknown: histories.size === 0 ? unknown : undefined };
}

/** Serves the page, and a new one after every change of the lock, until interrupted. */
async function serve(
  context: Context,
  dir: string,
  { port = 0, open: opens }: OptionValues<typeof PAGE_FLAGS>,
): Promise<number> {
  const { signal } = context.io;
  const { html } = await readPage(dir, true);
  const served = await servePage(html, port);
  let work = Promise.resolve();
  const update = async (): Promise<void> => {
    try {
      served.replace((await readPage(dir, true)).html);
    } catch (error) {
      // The lock is being written, or is wrong: the last page stays.
      if (!(error instanceof McpCodegenError)) throw error;
      printWarning(context, error.message);
    }
  };
  const onChange = (): void => void (work = work.then(update));
  const lockWatch = await watchFiles([{ path: join(dir, LOCKFILE_NAME), onChange }], {
    onError: ({ message }) => {
      printWarning(context, message);
    },
  });
  try {
    context.print([
      `Serving the page at ${served.url}`,
      "It reloads when the lock changes. Press Ctrl+C to stop.",
    ]);
    if (opens === true) openBrowser(new URL(served.url), context.io.env);
    if (signal?.aborted !== true) await once(signal ?? new EventTarget(), "abort");
    return 0;
  } finally {
    await lockWatch.close();
    await work;
    await served.close();
  }
}

/**
 * Serves a page on 127.0.0.1. Browsers wait at `/events` for changes (server-sent events). `replace` serves another page from then
 * on, and lets open ones reload.
 *
 * @param port 0 picks a free one
 * @throws McpCodegenError `USAGE` if the port is taken
 */
export async function servePage(html: string, port: number) {
  let page = html;
  const waiting = new Set<ServerResponse>();
  let hosts: readonly string[] = [];
  const server = createServer((request, response) => {
    const [pathname] = (request.url ?? "").split("?", 1);
    // Another name leads here when a web page has its own name resolved to this machine (DNS rebinding).
    const isRefused = !hosts.includes(request.headers.host ?? "") || request.method !== "GET";
    if (isRefused) respond(response, 403, "text/plain", "Refused.\n");
    else if (pathname === "/") respond(response, 200, "text/html", page);
    else if (pathname === "/events") {
      response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
      response.write(": waiting\n\n");
      waiting.add(response);
      response.on("close", () => waiting.delete(response));
    } else respond(response, 404, "text/plain", "Not found.\n");
  });
  const bound = await listenOnLoopback(server, port).catch(() => {
    throw usageError(
      `Port ${port} of this machine cannot be used.`,
      "Pass another --port, or none for a free one.",
    );
  });
  hosts = [`127.0.0.1:${bound}`, `localhost:${bound}`];
  return {
    url: `http://127.0.0.1:${bound}/`,
    replace: (next: string): void => {
      page = next;
      for (const response of waiting) response.write("event: change\ndata: {}\n\n");
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "frame-ancestors 'none'",
} as const;

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...HEADERS, "content-type": `${type}; charset=utf-8` });
  response.end(body);
}

/** Returns a page as the text of an HTML file. */
export async function printPage(content: PageContent): Promise<string> {
  return renderPage(content, await readPageAssets());
}
