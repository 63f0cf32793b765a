import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { isSameSecret } from "../agent/registry/discovery-handler.js";

/** Access control for HTTP. */
export interface HttpAccessOptions {
  /** Requests must carry it as `Authorization: Bearer …`. `false` disables the check, for programs that authenticate requests themselves. */
  readonly token: string | false;
  /**
   * The host names of this server. Requests with another `Host`, or from a browser with another `Origin`, are refused;
   * otherwise any web page could reach a server on its reader's machine (DNS rebinding). Default: the loopback names.
   */
  readonly hosts?: readonly string[];
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

export const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Checks a request by its headers, before its body is read. Returns undefined if access is allowed. */
export async function findRefusal(
  header: (name: string) => string | null | undefined,
  { token, hosts = LOOPBACK }: HttpAccessOptions,
): Promise<Refusal | undefined> {
  const names = [...hosts];
  const host = validateHostHeader(header("host"), names);
  if (!host.ok) return refuse(403, "This server is not reached by that name.");
  const origin = validateOriginHeader(header("origin"), names);
  if (!origin.ok) return refuse(403, "This server is not for pages of that origin.");
  if (token === false) return undefined;
  const given = /^bearer +(.*)$/i.exec((header("authorization") ?? "").slice(0, MOST_CREDENTIALS))?.[1];
  if (given !== undefined && (await isSameSecret(given, token))) return undefined;
  const error = given === undefined ? "" : ', error="invalid_token"';
  return refuse(401, "The bearer token is missing or wrong.", {
    "www-authenticate": `Bearer realm="mcp-codegen"${error}`,
  });
}

const MOST_CREDENTIALS = 10_000;

function refuse(status: 401 | 403, message: string, headers: Refusal["headers"] = {}): Refusal {
  return {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }),
  };
}
