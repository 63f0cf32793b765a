import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import process from "node:process";
import type { HttpEndpoint } from "../../../client/endpoint.js";
import { resolveEndpoint } from "../../../client/resolve-endpoint.js";
import { getServer } from "../../../config/config.js";
import { parseServerArgument } from "../../../config/parse-server-argument.js";
import type { Login } from "../../../core/login.js";
import { oneLine } from "../../../core/printable.js";
import type { ShownLogin } from "../../../report/documents.js";
import { present } from "../../../report/layout.js";
import { usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { findProject, loadProject, readLookup } from "../../load-project.js";

/**
 * Returns the endpoint of a configured server, or of a URL.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN`, `USAGE` for a server that has other credentials or is started by a command
 */
export async function findLoginTarget(
  context: Context,
  name: string,
  environment: string | undefined,
): Promise<HttpEndpoint> {
  const isUrl = /^https?:\/\//i.test(name);
  const project = isUrl ? await findProject(context) : await loadProject(context);
  const settings = isUrl
    ? parseServerArgument(name).settings
    : getServer(project?.config.servers ?? {}, name);
  const endpoint = resolveEndpoint(settings, {
    lookup: await readLookup(context, project?.dir ?? context.io.cwd),
    where: `servers.${name}`,
    environment,
  });
  const quoted = JSON.stringify(name);
  if (endpoint.kind === "stdio")
    throw usageError(
      `Server ${quoted} is started by a command, which does not use OAuth.`,
      "Pass its credentials under env.",
    );
  if ("authorization" in endpoint.headers)
    throw usageError(
      `Server ${quoted} has other credentials, which a login would not replace.`,
      `Remove them, or write servers.${name}.auth as { type: "oauth" }.`,
    );
  return endpoint;
}

/** Returns a login without its tokens. Its texts are those of servers. */
export function showLogin(login: Login, servers: readonly string[]): ShownLogin {
  const { resource, issuer, subject, clientId, expiresAt, refreshToken } = login;
  const required = [...new Set([...login.scopes, ...(login.callScopes ?? [])])];
  const granted = new Set(login.grantedScopes);
  const missing = required.filter((scope) => !granted.has(scope));
  const show = (scope: string): string => oneLine(scope, 200);
  return {
    servers,
    resource: oneLine(resource, 300),
    issuer: oneLine(issuer, 300),
    subject: subject && oneLine(subject, 100),
    client: oneLine(clientId, 300),
    scopes: required.filter((scope) => granted.has(scope)).map(show),
    missingScopes: missing.length > 0 ? missing.map(show) : undefined,
    expires: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    refreshable: refreshToken !== undefined,
  };
}

/** Returns the lines that describe a login. */
export function printLogin(login: ShownLogin, now: number): readonly string[] {
  const { servers, resource, issuer, subject, client, scopes, missingScopes = [], expires } = login;
  const rest = login.refreshable ? ", refreshed automatically" : "";
  const row = (label: string, text: string): string => `  ${label.padEnd(8)} ${text}`;
  return [
    servers.length === 0 ? resource : `${servers.join(", ")} (${resource})`,
    row("issuer", issuer),
    ...(subject === undefined ? [] : [row("account", subject)]),
    row("client", client),
    row("scopes", scopes.length === 0 ? "none" : scopes.join(" ")),
    ...present(
      missingScopes.length > 0 && row("missing", `${missingScopes.join(" ")}: the next login requests them`),
    ),
    row("token", `${printExpiry(expires, now)}${rest}`),
  ];
}

function printExpiry(expires: string | undefined, now: number): string {
  if (expires === undefined) return "no end known";
  const minutes = Math.floor((Date.parse(expires) - now) / 60_000);
  if (minutes < 0) return "expired";
  if (minutes < 1) return "less than 1 min left";
  if (minutes < 120) return `${minutes} min left`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h left` : `${Math.floor(minutes / 1440)} days left`;
}

/** Listens on a port of this machine only, and returns the port. Rejects if it is taken; 0 picks a free one. */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Opens a web page in the user's browser, without a shell. Never fails: the address is printed too. */
export function openBrowser(url: URL, env: NodeJS.ProcessEnv): void {
  const [command, ...args] = browserCommand(env);
  const child = spawn(command, [...args, url.href], { stdio: "ignore", detached: true, env });
  child.on("error", () => undefined);
  child.unref();
}

function browserCommand({ BROWSER: browser = "" }: NodeJS.ProcessEnv): readonly [string, ...string[]] {
  if (browser !== "") return [browser];
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
