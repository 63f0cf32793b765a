import { McpCodegenError } from "../../src/core/errors.js";
import { snapshotServer } from "../../src/sources/snapshot-server.js";
import type { ShownProblem } from "../docs/print-problems.js";
import { startFixture } from "../servers/start-fixture.js";

/** A wrong setup of a site: the flags of the fixture, the cause, and the code of the error. */
export interface SiteProblem {
  readonly name: string;
  readonly args: readonly string[];
  readonly cause: string;
  readonly code: "SERVER_REFUSED" | "PROTOCOL_INVALID" | "LIST_INCOMPLETE";
  /** A part of the message that names the cause. */
  readonly says: RegExp;
}

function problem(
  name: string,
  cause: string,
  says: RegExp,
  code: SiteProblem["code"] = "SERVER_REFUSED",
): SiteProblem {
  return { name, args: ["--problem", name], cause, code, says };
}

/** The rows of the table in `docs/wordpress.md`. */
export const SITE_PROBLEMS: readonly SiteProblem[] = [
  problem("refused", "WordPress does not know the user or the password", /refused the application password for user "\$\{WP_USER\}"/),
  problem("stripped", "a wrong password, or a web server that removes the `Authorization` header", /did not log in user "\$\{WP_USER\}"/),
  problem("insecure", "application passwords are off over http", /does not offer application passwords over http/),
  problem("rest-closed", "a plugin closes the REST API", /closes its REST API to user "\$\{WP_USER\}" \(HTTP 401\): "Only authenticated users/),
  problem("forbidden", "the account lacks a capability", /does not allow user "\$\{WP_USER\}" to use this MCP server/),
  problem("plain-permalinks", "plain permalinks: nothing is at `/wp-json/`", /has plain permalinks, so \/wp-json\/ does not exist/),
  problem("no-adapter", "the MCP adapter is not active", /has no MCP adapter/),
  problem("default-server-off", "the adapter's default server is off", /has no MCP server at "\/mcp\/mcp-adapter-default-server"; it has "\/shop\/v1\/mcp" \(/),
  problem("no-server", "the path of the server is wrong", /has the MCP adapter, but no server at "\/mcp\/mcp-adapter-default/),
  { name: "no ability is public", args: ["--public", "none"], cause: "no ability is [listed](#which-abilities-are-listed)", code: "LIST_INCOMPLETE", says: /exposes no ability to MCP\. Its REST API has "content\/get-post", .* and 5 more/ },
  problem("php-error", "a fatal error in PHP", /failed in PHP \(HTTP 500\): "Fatal error ?: Uncaught Error: .*plugin\.php:12"/, "PROTOCOL_INVALID"),
  problem("critical-error", "a fatal error that WordPress hides", /failed in PHP .*critical error on this website/, "PROTOCOL_INVALID"),
  problem("php-notice", "a PHP notice in front of the answer", /sent a PHP notice in its answer \(HTTP 200\)/, "PROTOCOL_INVALID"),
  problem("login-page", "a plugin makes visitors log in, also for the REST API", /answered with a login page \(HTTP 200\)/, "PROTOCOL_INVALID"),
  problem("redirect", "the same by a redirect", /answered with a login page/, "PROTOCOL_INVALID"),
  problem("session-stripped", "a proxy or cache removes the `Mcp-Session-Id` header", /did not receive the session ID that it issued/),
]; // prettier-ignore

/** Problems with the message of another one. */
export const MORE_SITE_PROBLEMS: readonly SiteProblem[] = [
  problem("firewall", "a firewall blocks the route of the server alone", /^The server at .* answered with a web page \(HTTP 403\): "Request blocked"/, "PROTOCOL_INVALID"),
  problem("session-dropped", "a proxy removes the header of requests", /did not receive the session ID that it issued/),
]; // prettier-ignore

const PATH = "/wp-json/mcp/mcp-adapter-default-server";
const VARIABLES: Readonly<Record<string, string>> = { WP_USER: "editor", WP_APP_PASSWORD: "abcd efgh ijkl" };

/** Returns the error for such a site, without its URL. */
export async function readSiteProblem({
  args,
}: SiteProblem): Promise<{ readonly error: McpCodegenError; readonly message: string }> {
  const server = await startFixture("wordpress", { args });
  try {
    const url = server.url.replace("/mcp", PATH);
    const auth = { basic: { username: "${WP_USER}", password: "${WP_APP_PASSWORD}" } };
    const target = { server: "wordpress", settings: { url, auth } };
    const taking = snapshotServer(target, { dir: ".", lookup: (name) => VARIABLES[name] });
    const error: unknown = await taking.catch((reason: unknown) => reason);
    if (!(error instanceof McpCodegenError)) throw new Error("The site has no problem.", { cause: error });
    return { error, message: error.message.replace(url, "…") };
  } finally {
    await server.close();
  }
}

/** Returns each problem, as the tables of `docs/wordpress.md` show it. */
export async function readProblems(): Promise<readonly ShownProblem[]> {
  return Promise.all(
    SITE_PROBLEMS.map(async (each) => {
      const { error, message } = await readSiteProblem(each);
      return { cause: each.cause, message, hint: error.hint ?? "" };
    }),
  );
}
