import type { EndpointSettings, VariableLookup } from "../../core/connection.js";
import { omitUndefined } from "../../core/collections.js";
import type { JsonObject } from "../../core/json.js";
import type { Endpoint } from "../../client/endpoint.js";
import type { Session } from "../../client/session.js";
import type { ConnectOptions } from "../call-options.js";
import type { ServerDefinition } from "../tool.js";

/** The extension by which a server answers a call with a task (SEP-2663), see `tasks.ts`. */
const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Returns the endpoint of a server, with the present values of its variables. */
export async function resolveServer(server: ServerDefinition, options: ConnectOptions): Promise<Endpoint> {
  const [{ resolveEndpoint }, { attachTokens }] = await Promise.all([
    import("../../client/resolve-endpoint.js"),
    import("../../client/oauth/tokens.js"),
  ]);
  const { environment, variant, url, auth, headers, variables, logins } = options;
  const provider = typeof auth === "function" ? auth : undefined;
  const settings = typeof auth === "object" ? auth : undefined;
  const overrides: EndpointSettings = omitUndefined({ url, auth: settings, headers });
  const endpoint = resolveEndpoint(server, {
    lookup: variables ?? lookUpVariable,
    where: `servers.${server.name}`,
    overrides,
    ignoresAuth: provider !== undefined,
    variant,
    environment,
  });
  return attachTokens(endpoint, { server: server.name, provider, logins });
}

export async function openServer(
  server: ServerDefinition,
  endpoint: Endpoint,
  { onStderr, variant, canAnswer }: ConnectOptions & DeclaredOptions,
): Promise<Session> {
  const { openSession } = await import("../../client/open-session.js");
  const { connect, call } = server.timeouts ?? {};
  const session = await openSession(endpoint, {
    connectTimeout: connect,
    callTimeout: call,
    extensions: { [TASKS_EXTENSION]: {} },
    capabilities: capabilitiesOf(server, { variant, canAnswer }),
    onStderr,
  });
  if (endpoint.prelude === undefined) return session;
  try {
    const { runPrelude } = await import("../../client/open-session.js");
    await runPrelude(session, endpoint);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

interface DeclaredOptions {
  /** Whether a handler can answer questions. */
  readonly canAnswer: boolean;
}

/** Returns the client capabilities to declare: the configured ones, and elicitation if a handler can answer. */
export function capabilitiesOf(
  { capabilities, variants = {} }: ServerDefinition,
  { variant, canAnswer }: DeclaredOptions & { readonly variant?: string | undefined },
): JsonObject {
  const own = variant === undefined ? undefined : variants[variant]?.capabilities;
  return canAnswer
    ? { elicitation: { form: {}, url: {} }, ...(own ?? capabilities) }
    : { ...(own ?? capabilities) };
}

/** Reads a variable of the process. Browsers have none. */
export const lookUpVariable: VariableLookup = (name) => {
  const { process } = globalThis as { process?: { env?: { readonly [name: string]: string | undefined } } };
  return process?.env?.[name];
};
