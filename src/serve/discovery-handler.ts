import {
  checkArgument,
  checkOptions,
  FUNCTION,
  OBJECT,
  type OptionKind,
  TEXT,
  withMethods,
} from "../core/check-options.js";
import { objectOrEmpty } from "../core/json.js";
import type { Result } from "../core/call.js";
import { type Clock, systemClock } from "../runtime/events.js";
import { assertToken } from "./offer.js";
import type { Registry } from "../agent/registry/registry.js";
import type { RegisteredTool } from "../core/tool.js";
import { categoryNameOf } from "../core/tool-name.js";
import { countCategories } from "../agent/registry/registered-tool.js";

export interface DiscoveryHandlerOptions {
  /** Requests must carry it as `Authorization: Bearer …`. `false` disables the check, for programs that authenticate themselves. */
  readonly token: string | undefined | false;
  /** The clock of `timestamp`. */
  readonly now?: Clock | undefined;
}

/** The members of a `Request` that the handler reads. */
export interface RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** The `Response` of the program's types, if they declare one. */
type WebResponse = typeof globalThis extends { Response: { prototype: infer T } } ? T : unknown;

const REGISTRY = withMethods("a registry, as createRegistry() returns it", "getTools", "for", "refresh");

const HEADERS = withMethods("", "get");
const REQUEST: OptionKind = {
  words: "a Request. For node:http, write createServer(nodeListener(handler))",
  is: (value) => OBJECT.is(value) && HEADERS.is(Reflect.get(Object(value), "headers")),
};

/**
 * Serves a registry over HTTP: returns a function from `Request` to `Response`, for a route of any framework. Only the end of
 * the path matters, so any base path works:
 *
 * - `GET …/status`: describes every environment: whether its servers answer, and the number of tools by category
 * - `GET …/<environment>`: lists its tools; `default` stands for the servers' own settings
 * - `POST …/<environment>`: lists its servers now, and says what changed
 * - `POST …/<environment>/invalidate`: causes its servers to be listed again when their tools are next needed
 * - `POST …/refresh`: lists all servers of all environments
 *
 * Answers are JSON with `success` and `timestamp` (ISO 8601). The status is 400 for an unknown environment, 401 without the token, 404 and 405 for other
 * routes, and 502 if no server of an environment answers.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a missing or short token; `false` serves without one
 */
export function createDiscoveryHandler(
  registry: Registry,
  options: DiscoveryHandlerOptions,
): (request: RequestLike) => Promise<WebResponse> {
  checkArgument("createDiscoveryHandler", "registry", registry, REGISTRY);
  checkOptions("createDiscoveryHandler", options, { token: [false, TEXT], now: FUNCTION });
  const { token, now = systemClock } = options;
  assertToken(token);
  return async (request) => {
    checkArgument("createDiscoveryHandler", "request", request, REQUEST);
    const header = request.headers.get("authorization") ?? "";
    const isAllowed = token === false || (await isSameSecret(header, `Bearer ${token}`));
    const { status, body, headers } = isAllowed
      ? await route(registry, request)
      : refuse(401, "The bearer token is missing or wrong.", { headers: { "www-authenticate": "Bearer" } });
    const { success, ...facts } = body;
    const timestamp = new Date(now()).toISOString();
    return new Response(JSON.stringify({ success, timestamp, ...facts }), {
      status,
      headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
    });
  };
}

async function route(registry: Registry, { method, url }: RequestLike): Promise<DiscoveryAnswer> {
  // Some frameworks pass only the path.
  const path = URL.canParse(url, "http://localhost") ? new URL(url, "http://localhost").pathname : "";
  const segments = path.split("/").filter((part) => part !== "");
  const last = decode(segments.at(-1));
  if (last === undefined) return refuse(404, "Unknown path.");
  const allow = METHODS.get(last) ?? ["GET", "POST"];
  if (!allow.includes(method))
    return refuse(405, `Use ${allow.join(" or ")} here.`, { headers: { allow: allow.join(", ") } });
  if (last === "status") return answerStatus(registry);
  if (last === "refresh") return answerRefresh(registry);
  const environment = last === "invalidate" ? decode(segments.at(-2)) : last;
  const { environments } = registry;
  if (environment === undefined || !environments.includes(environment))
    return refuse(400, "Unknown environment.", { more: { environments } });
  const member = registry.for(environment);
  if (last !== "invalidate")
    return method === "GET" ? answerEnvironment(member, environment) : refreshOne(member, environment);
  registry.invalidate(environment);
  return { status: 200, body: { success: true, environment } };
}

/** The methods of routes that are not the name of an environment. */
const METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  ["status", ["GET"]],
  ["refresh", ["POST"]],
  ["invalidate", ["POST"]],
]);

function decode(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function refuse(
  status: number,
  error: string,
  { headers, more }: { readonly headers?: DiscoveryAnswer["headers"]; readonly more?: object } = {},
): DiscoveryAnswer {
  return { status, headers, body: { success: false, error, ...more } };
}

/** Compares two texts in a time that does not depend on where they differ, or on the length of the second. */
export async function isSameSecret(secret: string, expected: string): Promise<boolean> {
  const [left, other] = await Promise.all([secret, expected].map(digest));
  let difference = 0;
  for (const [at, byte] of (left ?? new Uint8Array()).entries()) difference |= byte ^ (other?.[at] ?? 0);
  return left !== undefined && difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

export interface DiscoveryAnswer {
  readonly status: number;
  readonly body: { readonly success: boolean; readonly [key: string]: unknown };
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** Describes every environment: whether its servers answer, and the numbers of tools. */
export async function answerStatus(registry: Registry): Promise<DiscoveryAnswer> {
  const environments = await forAll(registry, async (member) => {
    const tools = await member.getTools();
    const errors = errorsOf(member);
    const isConnected = Object.keys(errors).length === 0;
    return {
      connected: isConnected,
      errors: isConnected ? undefined : errors,
      count: tools.length,
      unlocked: tools.filter(({ isLocked }) => !isLocked).length,
      categories: countCategories(tools),
      servers: describeServers(member),
    };
  });
  return { status: 200, body: { success: true, environments } };
}

async function answerEnvironment(registry: Registry, environment: string): Promise<DiscoveryAnswer> {
  const tools = await registry.getTools();
  const errors = errorsOf(registry);
  const failed = Object.keys(errors).length;
  if (failed > 0 && failed === registry.servers.filter(({ isEnabled }) => isEnabled).length)
    return refuse(502, "No server of the environment could be listed.", { more: { environment, errors } });
  return {
    status: 200,
    body: {
      success: true,
      environment,
      count: tools.length,
      errors: failed > 0 ? errors : undefined,
      servers: describeServers(registry),
      tools: tools.map(describe),
    },
  };
}

async function answerRefresh(registry: Registry): Promise<DiscoveryAnswer> {
  const results: Result<unknown>[] = [];
  const environments = await forAll(registry, async (member) => {
    const { ok, added, removed, byCategory, servers } = await member.refresh();
    results.push(...Object.values(servers));
    return { ok, added, removed, byCategory, errors: ok ? undefined : errorsOf(member) };
  });
  if (results.length > 0 && results.every(({ ok }) => !ok))
    return refuse(502, "No server could be listed.", { more: { environments } });
  return { status: 200, body: { success: true, environments } };
}

async function refreshOne(registry: Registry, environment: string): Promise<DiscoveryAnswer> {
  const { servers, ok, ...change } = await registry.refresh();
  const errors = ok ? undefined : errorsOf(registry);
  if (Object.keys(servers).length > 0 && Object.values(servers).every((result) => !result.ok))
    return refuse(502, "No server of the environment could be listed.", { more: { environment, errors } });
  const count = registry.tools.length;
  return { status: 200, body: { success: true, environment, count, ok, ...change, errors } };
}

async function forAll<T>(
  registry: Registry,
  ask: (member: Registry) => Promise<T>,
): Promise<{ readonly [environment: string]: T }> {
  const entries = registry.environments.map(async (name) => [name, await ask(registry.for(name))] as const);
  return Object.fromEntries(await Promise.all(entries));
}

function describeServers({ servers }: Registry): { readonly [server: string]: object } {
  return Object.fromEntries(servers.map(({ name, toolCount, listedAt }) => [name, { toolCount, listedAt }]));
}

/** The messages contain no secrets. */
function errorsOf(registry: Registry): { readonly [server: string]: string } {
  return Object.fromEntries(
    registry.servers.flatMap(({ name, error }) => (error === undefined ? [] : [[name, error.message]])),
  );
}

function describe(tool: RegisteredTool): object {
  const { name, title, description, server, isLocked, output } = tool;
  return {
    name,
    title,
    description,
    category: categoryNameOf(tool),
    server,
    isLocked,
    hasInputSchema: Object.keys(objectOrEmpty(tool.inputSchema())).length > 0,
    hasOutputSchema: output !== undefined,
  };
}
