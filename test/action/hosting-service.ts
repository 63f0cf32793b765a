/**
 * A stub of the hosting service: the endpoints of its REST API that the Action uses, kept in memory, and real git
 * repositories over HTTP. Tests cannot reach the service itself.
 */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { git } from "../e2e/git.js";

export const TOKEN = "token-of-the-job";

export interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string; readonly type: string };
}

export interface Pull {
  readonly number: number;
  readonly html_url: string;
  readonly head: string;
  readonly base: string;
  title: string;
  body: string;
  state: string;
}

export interface HostingService {
  readonly url: string;
  readonly comments: Comment[];
  readonly pulls: Pull[];
  readonly analyses: { readonly ref: string; readonly commit_sha: string; readonly sarif: unknown }[];
  /** The repositories that pull requests come from, by number; null for one that was deleted. */
  readonly sources: Map<number, string | null>;
  /** Requests that the token may not make, as `POST /pulls`. */
  readonly denied: Set<string>;
  /** Requests that the service fails to answer. */
  readonly broken: Set<string>;
  /** Requests that the service never answers, as `POST /pulls`, or as a service of git, `git-upload-pack`. */
  readonly stalled: Set<string>;
  /** Requests that changed something, in order. */
  readonly writes: string[];
  /** Runs before git learns which commits a push would replace. */
  beforePush?: () => Promise<void>;
}

/** The account of the workflow's token. */
const BOT = { login: "github-actions[bot]", type: "Bot" };

/** Starts the service with bare repositories below `root`; it ends with the test. */
export async function startHostingService(root: string): Promise<HostingService> {
  const server = createServer((incoming, response) => {
    const path = new URL(incoming.url ?? "/", "http://localhost");
    const work = path.pathname.startsWith("/api/")
      ? answer(service, incoming, path, response)
      : serveGit(service, root, incoming, path, response);
    work.catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: HostingService = {
    ...{ url, comments: [], pulls: [], analyses: [], writes: [] },
    sources: new Map<number, string | null>(),
    ...{ denied: new Set<string>(), broken: new Set<string>(), stalled: new Set<string>() },
  };
  return service;
}

async function answer(
  service: HostingService,
  incoming: IncomingMessage,
  url: URL,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, body?: unknown): void => {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  if (incoming.headers.authorization !== `Bearer ${TOKEN}`) {
    send(401, { message: "Bad credentials" });
    return;
  }
  const bytes = await readBody(incoming);
  const path = url.pathname.replace(/^\/api(?:\/repos\/acme\/app)?/, "");
  const request = `${incoming.method ?? ""} ${path}`;
  if (service.stalled.has(request)) return;
  if (service.broken.has(request)) {
    send(502, { message: "Server Error" });
    return;
  }
  if (service.denied.has(request)) {
    send(403, { message: "Resource not accessible by integration" });
    return;
  }
  if (incoming.method !== "GET") service.writes.push(request);
  const page = Number(url.searchParams.get("page") ?? 1);
  const size = Number(url.searchParams.get("per_page") ?? 30);
  const list = (all: readonly unknown[]): void => {
    send(200, all.slice((page - 1) * size, page * size));
  };
  const id = Number(path.split("/").at(-1));
  const body = (): { readonly [key: string]: string } =>
    JSON.parse(bytes.toString("utf8")) as { readonly [key: string]: string };
  switch (request.replaceAll(/\d+/g, "N")) {
    // The token of a workflow has no user.
    case "GET /user":
      send(403, { message: "Resource not accessible by integration" });
      return;
    case "GET /issues/N/comments":
      list(service.comments);
      return;
    case "POST /issues/N/comments": {
      const comment = { id: service.comments.length + 1, body: body()["body"] ?? "", user: BOT };
      service.comments.push(comment);
      send(201, comment);
      return;
    }
    case "PATCH /issues/comments/N": {
      const comment = service.comments.find((known) => known.id === id);
      if (comment !== undefined) comment.body = body()["body"] ?? "";
      send(200, comment);
      return;
    }
    case "GET /pulls": {
      const head = url.searchParams.get("head");
      list(service.pulls.filter((pull) => `acme:${pull.head}` === head && pull.state === "open"));
      return;
    }
    case "GET /pulls/N": {
      const full_name = service.sources.get(id);
      const head = { repo: typeof full_name === "string" ? { full_name } : null };
      send(full_name === undefined ? 404 : 200, { head, base: { repo: { full_name: "acme/app" } } });
      return;
    }
    case "POST /pulls": {
      const { head = "", base = "", title = "", body: text = "" } = body();
      const number = service.pulls.length + 1;
      const html_url = `${service.url}/acme/app/pull/${number}`;
      const pull = { ...{ number, html_url, head, base, title }, body: text, state: "open" };
      service.pulls.push(pull);
      send(201, pull);
      return;
    }
    case "PATCH /pulls/N": {
      const pull = service.pulls.find(({ number }) => number === id);
      if (pull !== undefined) Object.assign(pull, body());
      send(200, pull);
      return;
    }
    case "POST /code-scanning/sarifs": {
      const { ref = "", commit_sha = "", sarif = "" } = body();
      const text = gunzipSync(Buffer.from(sarif, "base64")).toString("utf8");
      service.analyses.push({ ref, commit_sha, sarif: JSON.parse(text) });
      send(202, { id: "1" });
      return;
    }
    default:
      send(404, { message: `The stub does not know ${request}.` });
  }
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

let gitPrograms: Promise<string> | undefined;

/** Serves repositories by git's own CGI program. The service refuses a request with two authorization headers. */
async function serveGit(
  service: HostingService,
  root: string,
  incoming: IncomingMessage,
  url: URL,
  response: ServerResponse,
): Promise<void> {
  const given = incoming.rawHeaders.filter((_, index) =>
    /^authorization$/i.test(incoming.rawHeaders[index - 1] ?? ""),
  );
  const expected = `basic ${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}`;
  if (given.length > 1 || given[0]?.toLowerCase() !== expected.toLowerCase()) {
    response.writeHead(given.length > 1 ? 400 : 401, { "www-authenticate": "Basic" }).end();
    return;
  }
  const program = url.searchParams.get("service") ?? "";
  if (service.stalled.has(program)) return;
  if (program === "git-receive-pack") await service.beforePush?.();
  gitPrograms ??= git(root, "--exec-path");
  const child = spawn(join(await gitPrograms, "git-http-backend"), {
    env: {
      ...{ PATH: process.env["PATH"], GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: "1", REMOTE_USER: "job" },
      ...{ PATH_INFO: url.pathname, QUERY_STRING: url.searchParams.toString() },
      ...{ REQUEST_METHOD: incoming.method, CONTENT_TYPE: incoming.headers["content-type"] ?? "" },
      HTTP_CONTENT_ENCODING: incoming.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(incoming.headers["git-protocol"] ?? ""),
    },
  });
  // A program that reads less than it gets closes its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(await readBody(incoming));
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const output = Buffer.concat(chunks);
  const end = output.indexOf("\r\n\r\n");
  const headers = output
    .subarray(0, end)
    .toString("latin1")
    .split("\r\n")
    .map((line) => line.split(/:\s*/, 2) as [string, string]);
  const status = Number(headers.find(([name]) => name === "Status")?.[1].slice(0, 3) ?? 200);
  response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== "Status")));
  response.end(output.subarray(end + 4));
}
