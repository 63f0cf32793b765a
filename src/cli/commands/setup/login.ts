import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { HttpEndpoint } from "../../../client/endpoint.js";
import { resolveEndpoint } from "../../../client/resolve-endpoint.js";
import type { ServerConfig } from "../../../config/config.js";
import type { VariableLookup } from "../../../core/connection.js";
import { McpCodegenError } from "../../../core/errors.js";
import { commandToLogIn, type Login } from "../../../core/login.js";
import { count, errorDetails, present, printError } from "../../../report/layout.js";
import { waitUnlessAborted } from "../../../runtime/client/caller.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, isCi, printOnStderr } from "../../context.js";
import { findProject, openLogins, readLookup } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import { findLoginTarget, listenOnLoopback, openBrowser, printLogin, showLogin } from "./logins.js";
import type { LOGIN_FLAGS } from "./spec.js";

const loadLogin = async () => import("../../../client/oauth/login-flow.js");

/** Logs in, lists logins, or logs out. */
export const runLogin: Runner<typeof LOGIN_FLAGS> = async (context, servers, options) => {
  if (options.list === true) return listLogins(context, servers, options.env);
  const [server, other] = servers;
  if (server === undefined || other !== undefined)
    throw usageError(
      server === undefined ? "Missing the name of a server." : "Only --list takes several servers.",
      `For example: npx mcp-codegen login ${options.out === true ? "--out " : ""}${server ?? "<server>"}.`,
    );
  return options.out === true ? logOut(context, server, options.env) : logIn(context, server, options);
};

/** Logs in with a browser, and saves the tokens for all commands. */
async function logIn(
  context: Context,
  server: string,
  options: OptionValues<typeof LOGIN_FLAGS>,
): Promise<number> {
  const { io } = context;
  const { wait = 300 } = options;
  const { store, hint } = openLogins(io);
  if (isCi(io.env) && options.browser !== false)
    throw usageError("A login needs a browser, which CI does not have.", hint(server, options.env));
  const endpoint = await findLoginTarget(context, server, options.env);
  const { beginLogin } = await loadLogin();
  const state = randomBytes(32).toString("base64url");
  const { issuer, redirectPort } = endpoint.oauth ?? {};
  const previous = await store.find(endpoint.url, issuer);
  const listener = await listenForAnswer(state, redirectPort ?? portOf(previous)).catch((error: unknown) => {
    if (redirectPort !== undefined) throw error;
    return listenForAnswer(state);
  });
  try {
    const pending = await beginLogin(endpoint, { redirectUrl: listener.url, state, previous });
    // If this login fails, the authorization server may have forgotten the client, and the next one registers another.
    if (previous?.redirectUrl !== undefined)
      await store.update(previous, (now) => Promise.resolve(now && { ...now, redirectUrl: undefined }));
    const { authorizationUrl: page } = pending;
    io.stderr.write(
      options.browser === false
        ? `Open this page to log in:\n${page.href}\n`
        : `Opening the login page of ${page.host}. If no browser opens, go to:\n${page.href}\n`,
    );
    if (options.browser !== false) openBrowser(page, io.env);
    const login = await store.save(await pending.finish(await listener.wait(wait * 1_000, io.signal)));
    const shown = showLogin(login, /^https?:/i.test(server) ? [] : [server]);
    const lines = [`Logged in to ${JSON.stringify(server)}.`, ...printLogin(shown, Date.now())];
    return context.report({ report: "login", exitCode: 0, login: shown }, lines);
  } finally {
    listener.close();
  }
}

/** Returns the port that the client of a login was registered with; 0 for any. */
function portOf({ redirectUrl = "" }: Partial<Login> = {}): number {
  return URL.canParse(redirectUrl) ? Number(new URL(redirectUrl).port) : 0;
}

/** Deletes the tokens of a login. They are deleted even if the authorization server cannot revoke them. */
async function logOut(context: Context, server: string, environment: string | undefined): Promise<number> {
  const endpoint = await findLoginTarget(context, server, environment);
  const { store } = openLogins(context.io);
  const login = await store.find(endpoint.url);
  if (login !== undefined) await store.remove(login);
  const revoked = login !== undefined && (await (await loadLogin()).revokeLogin(endpoint, login));
  const name = JSON.stringify(server);
  const tokens = revoked
    ? "The tokens are revoked."
    : "The tokens are deleted here; the authorization server did not revoke them.";
  const wasLoggedIn = login !== undefined;
  return context.report({ report: "logout", exitCode: 0, server, wasLoggedIn, revoked }, [
    wasLoggedIn ? `Logged out of ${name}. ${tokens}` : `You are not logged in to ${name}.`,
  ]);
}

/** Lists logins without their tokens. */
async function listLogins(
  context: Context,
  names: readonly string[],
  environment: string | undefined,
): Promise<number> {
  const project = await findProject(context);
  const lookup = await readLookup(context, project?.dir ?? context.io.cwd);
  const { store } = openLogins(context.io);
  const { logins, problems } = await store.readAll();
  const users = new Map(logins.map((login) => [keyOf(login), new Set<string>()]));
  for (const [name, server] of Object.entries(project?.config.servers ?? {})) {
    for (const { url, oauth } of endpointsOf(name, server, lookup)) {
      const login = await store.find(url, oauth?.issuer);
      if (login !== undefined) users.get(keyOf(login))?.add(name);
    }
  }
  const wanted = new Set<string>();
  const missing: string[] = [];
  for (const name of names) {
    const endpoint = await findLoginTarget(context, name, environment);
    const login = await store.find(endpoint.url, endpoint.oauth?.issuer);
    if (login === undefined) missing.push(name);
    else wanted.add(keyOf(login));
  }
  const shown = logins
    .filter((login) => names.length === 0 || wanted.has(keyOf(login)))
    .map((login) => showLogin(login, [...(users.get(keyOf(login)) ?? [])]));
  const now = Date.now();
  context.print([
    ...shown.flatMap((login) => printLogin(login, now)),
    ...missing.map(
      (name) =>
        `You are not logged in to ${JSON.stringify(name)}. Run "${commandToLogIn(name, environment)}".`,
    ),
    ...present(
      shown.length + missing.length + problems.length === 0 && "You are not logged in to any server.",
    ),
  ]);
  for (const problem of problems) printOnStderr(context, printError(problem, context.paint));
  const exitCode = problems.length > 0 ? 2 : missing.length === 0 ? 0 : 1;
  const details = problems.length > 0 ? problems.map(errorDetails) : undefined;
  return context.report({ report: "whoami", exitCode, logins: shown, missing, problems: details });
}

function keyOf({ issuer, resource }: { readonly issuer: string; readonly resource: string }): string {
  return JSON.stringify([issuer, resource]);
}

/** Returns the endpoints of a server that may use a login, without those whose variables are not set. */
function endpointsOf(name: string, server: ServerConfig, lookup: VariableLookup): readonly HttpEndpoint[] {
  const environments = [undefined, ...Object.keys(server.environments ?? {})];
  const variants = [undefined, ...Object.keys(server.variants ?? {})];
  const views = environments.flatMap((environment) => variants.map((variant) => ({ environment, variant })));
  return views.flatMap((view) => {
    try {
      const endpoint = resolveEndpoint(server, { lookup, where: `servers.${name}`, ...view });
      return endpoint.kind === "http" && !("authorization" in endpoint.headers) ? [endpoint] : [];
    } catch (error) {
      if (error instanceof McpCodegenError) return [];
      throw error;
    }
  });
}

const PATH = "/callback";
const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>mcp-codegen</title><p>${text}`;
const RECEIVED = page("mcp-codegen received the answer. You can close this page and return to the terminal.");
const OTHER_LOGIN = page(
  "This answer belongs to another login. Log in at the page that mcp-codegen opened last.",
);

/**
 * Listens on a loopback port for the redirect of a login page to `url`.
 *
 * @param state the random text that the redirect must repeat: any program of the machine can send others
 * @throws McpCodegenError `LOGIN_FAILED` if the port is taken
 */
export async function listenForAnswer(state: string, port = 0) {
  let receive: (answer: URLSearchParams) => void = () => undefined;
  const received = new Promise<URLSearchParams>((resolve) => {
    receive = resolve;
  });
  const server = createServer((request, response) => {
    const [path, query = ""] = (request.url ?? "").split(/\?(.*)/s);
    const answer = new URLSearchParams(query);
    const isAnswer = request.method === "GET" && path === PATH && answer.has("state");
    const isOurs = isAnswer && answer.get("state") === state;
    response.writeHead(isOurs ? 200 : isAnswer ? 400 : 404, {
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    });
    response.end(isOurs ? RECEIVED : isAnswer ? OTHER_LOGIN : "");
    if (isOurs) receive(answer);
  });
  const bound = await listenOnLoopback(server, port).catch(() => {
    throw new McpCodegenError("LOGIN_FAILED", `Port ${port} of this machine is taken.`, {
      hint: "End the program that uses it, or set another auth.redirectPort that is registered for the client.",
    });
  });
  return {
    url: `http://127.0.0.1:${bound}${PATH}`,
    /** Returns the query of the redirect. Throws `LOGIN_FAILED` after `timeout` milliseconds, and the signal's reason. */
    wait: (timeout: number, signal: AbortSignal | undefined) => waitFor(received, timeout, signal),
    close: (): void => {
      server.close();
      // The answer of the page is written; a browser may keep its connection.
      server.closeIdleConnections();
    },
  };
}

async function waitFor<T>(work: Promise<T>, timeout: number, signal: AbortSignal | undefined): Promise<T> {
  const limit = AbortSignal.timeout(timeout);
  try {
    return await waitUnlessAborted(work, AbortSignal.any(signal === undefined ? [limit] : [limit, signal]));
  } catch (error) {
    if (!limit.aborted || signal?.aborted === true) throw error;
    const message = `The login did not end within ${count(timeout / 1000, "second")}.`;
    throw new McpCodegenError("LOGIN_FAILED", message, {
      hint: "Log in again, or raise the limit with --wait.",
    });
  }
}
