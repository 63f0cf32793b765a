import { McpCodegenError } from "../../../core/errors.js";
import { findText, isJsonObject, type JsonValue, findOwn, objectOrEmpty } from "../../../core/json.js";
import type { AbortSignalLike } from "../../../core/abort-signal.js";
import type { HttpEndpoint } from "../../endpoint.js";
import {
  fetchJson,
  type JsonAnswer,
  plainAddressOf,
  restAddressOf,
  type RestAddress,
} from "./attach-abilities.js";
import { excerpt, HttpStatusError } from "../../server-errors.js";

interface ExplainOptions {
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
  /** The account as configured. */
  readonly principal?: string | undefined;
}

/**
 * Returns an error that names the cause of a WordPress failure, or the error unchanged. Reads the REST API,
 * which is often readable when the MCP server is not.
 */
export async function explainWordPressFailure(
  error: unknown,
  endpoint: HttpEndpoint,
  options: ExplainOptions,
): Promise<unknown> {
  const address = restAddressOf(endpoint.url);
  if (!(error instanceof HttpStatusError) || address === undefined) return error;
  const request = (url: string, isAnonymous: boolean): Promise<JsonAnswer | undefined> =>
    fetchJson(endpoint, url, { ...options, isAnonymous }).catch(() => undefined);
  const site: FailedSite = { error, endpoint, address, request, principal: options.principal };
  // A page is not WordPress's: its REST API refuses in JSON.
  const isPage = error.code === "PROTOCOL_INVALID";
  if (!isPage && [401, 403].includes(error.status)) return (await explainRefusal(site)) ?? error;
  if (error.status === 404 || isPage) return (await explainAbsence(site)) ?? error;
  return error;
}

interface FailedSite {
  readonly error: HttpStatusError;
  readonly endpoint: HttpEndpoint;
  readonly address: RestAddress;
  readonly request: (url: string, isAnonymous: boolean) => Promise<JsonAnswer | undefined>;
  readonly principal: string | undefined;
}

/** WordPress's codes for a wrong application password. */
const REFUSED = ["incorrect_password", "invalid_username", "invalid_email", "invalid_application_password"];

async function explainRefusal(site: FailedSite): Promise<McpCodegenError | undefined> {
  const { endpoint, address, request, principal } = site;
  if (!Object.hasOwn(endpoint.headers, "authorization")) return undefined;
  const [me, index] = await Promise.all([
    request(address("/wp/v2/users/me"), false),
    request(address("/"), true),
  ]);
  const user = principal === undefined ? "the account" : `user ${JSON.stringify(principal)}`;
  if (me?.status === 200) {
    return refuse(site, `does not allow ${user} to use this MCP server`, [
      "Give the user the capability that the server requires (the adapter's default server: read).",
    ]);
  }
  const code = findText(me?.json, "code");
  if (code !== undefined && REFUSED.includes(code)) {
    return refuse(site, `refused the application password for ${user}`, [NEW_PASSWORD]);
  }
  if (index !== undefined && isJsonObject(index.json) && !offersPasswords(index.json)) {
    const filter = "a security plugin or the filter wp_is_application_passwords_available";
    return endpoint.url.startsWith("http:")
      ? refuse(site, "does not offer application passwords over http", [
          'Use https in the url, or set WP_ENVIRONMENT_TYPE to "local" on a local site.',
          `If that is done already, ${filter} switches them off.`,
        ])
      : refuse(site, "has application passwords switched off", [`Look for ${filter}.`]);
  }
  if (code !== "rest_not_logged_in") return me && index && explainClosed(site, me, index, user);
  // WordPress answers a wrong password like a request without the header.
  return refuse(site, `did not log in ${user}`, [
    `Most likely the user name or the application password is wrong. ${NEW_PASSWORD}`,
    "If they are right, the web server removes the Authorization header.",
    'Apache: add "CGIPassAuth On", or SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1, to .htaccess;',
    "nginx: pass HTTP_AUTHORIZATION on to PHP.",
  ]);
}

/** Returns the error for a REST API that a plugin closes, with the words of the plugin. */
function explainClosed(
  site: FailedSite,
  me: JsonAnswer,
  index: JsonAnswer,
  user: string,
): McpCodegenError | undefined {
  const text = findText(me.json, "message");
  const isClosed = [me, index].every(({ status }) => status === 401 || status === 403);
  if (!isClosed || text === undefined) return undefined;
  const said = `: ${JSON.stringify(excerpt(text))}`;
  return refuse(
    site,
    `closes its REST API to ${user}`,
    [
      "Most likely a security plugin closes it: allow the routes of the url and of /wp-json/wp-abilities/.",
      "If the plugin allows users who are logged in, the user name or the application password is wrong.",
    ],
    said,
  );
}

const NEW_PASSWORD =
  "Create a new application password under Users → Profile. The user name is the login name, not the name of the password.";

/**
 * Whether the index of the REST API lists application passwords as an authentication method. An empty PHP
 * array is printed as a list.
 */
function offersPasswords(index: JsonValue): boolean {
  const authentication = findOwn(index, "authentication");
  return authentication === undefined || findOwn(authentication, "application-passwords") !== undefined;
}

async function explainAbsence(site: FailedSite): Promise<McpCodegenError | undefined> {
  const { error, endpoint, address, request } = site;
  const index = await request(address("/"), true);
  const namespaces = index && namespacesOf(index.json);
  // Any other status means that something exists at the URL.
  if (namespaces !== undefined && error.status !== 404) return undefined;
  if (namespaces !== undefined) {
    const route = routeOf(endpoint.url);
    const others = findMcpRoutes(index?.json).filter((other) => other !== route);
    const listed = others.slice(0, 3).map((other) => JSON.stringify(excerpt(other))).join(", "); // prettier-ignore
    if (others.length > 0) {
      return refuse(site, `has no MCP server at ${JSON.stringify(route)}; it has ${listed}`, [
        "Use one of its routes in the url, or enable the adapter's default server.",
      ]);
    }
    if (namespaces.some((namespace) => route.startsWith(`/${namespace}/`))) {
      return refuse(site, `has the MCP adapter, but no server at ${JSON.stringify(route)}`, [
        "The adapter's default server is at /mcp/mcp-adapter-default-server.",
      ]);
    }
    return refuse(site, "has no MCP adapter", [
      "Install and activate the plugin wordpress/mcp-adapter, or call its McpAdapter::instance() from yours.",
    ]);
  }
  const plain = plainAddressOf(endpoint.url);
  const answer = plain && (await request(plain("/"), true));
  if (plain === undefined || answer === undefined || namespacesOf(answer.json) === undefined)
    return undefined;
  const route = routeOf(endpoint.url);
  return refuse(site, "has plain permalinks, so /wp-json/ does not exist", [
    `Use the url with "/?rest_route=${route}", or choose other permalinks under Settings → Permalinks.`,
  ]);
}

function namespacesOf(index: JsonValue | undefined): readonly string[] | undefined {
  const namespaces = findOwn(index, "namespaces");
  if (!Array.isArray(namespaces)) return undefined;
  return namespaces.filter((namespace) => typeof namespace === "string");
}

/**
 * Returns the routes of an index with "mcp" in their names, without the roots of namespaces such as `/mcp`.
 */
function findMcpRoutes(index: JsonValue | undefined): readonly string[] {
  const namespaces = new Set(namespacesOf(index)?.map((namespace) => `/${namespace}`));
  const names = Object.keys(objectOrEmpty(findOwn(index, "routes")));
  // A route with a parameter, such as "/mcp/(?P<id>…)", is not a URL.
  return names.filter(
    (name) => /(?:^|\/)mcp(?:[/-]|$)/.test(name) && !namespaces.has(name) && !name.includes("("),
  );
}

function routeOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  const plain = searchParams.get("rest_route");
  return plain ?? pathname.slice(pathname.indexOf("/wp-json/") + "/wp-json".length);
}

function refuse(
  { error, endpoint }: FailedSite,
  what: string,
  hints: readonly string[],
  said = "",
): McpCodegenError {
  const message = `The WordPress at ${JSON.stringify(endpoint.label)} ${what} (HTTP ${error.status})${said}.`;
  return new McpCodegenError("SERVER_REFUSED", message, { hint: hints.join(" "), cause: error });
}
