import type { Endpoint } from "../../client/endpoint.js";
import { attachTokens } from "../../client/oauth/tokens.js";
import { openSession, runPrelude } from "../../client/open-session.js";
import { resolveEndpoint } from "../../client/resolve-endpoint.js";
import type { Session } from "../../client/session.js";
import type { ConnectOptions } from "../../core/call.js";
import { omitUndefined } from "../../core/collections.js";
import type { EndpointSettings } from "../../core/connection-settings.js";
import type { ServerDefinition } from "../../core/tool.js";
import { capabilitiesOf, type DeclaredOptions, lookUpVariable } from "./connect-options.js";

/** Returns the endpoint of a server, with the present values of its variables. */
export function resolveServer(server: ServerDefinition, options: ConnectOptions): Endpoint {
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
  return attachTokens(endpoint, { server: server.name, environment, provider, logins });
}

/** Opens a session with a server, and makes the requests that come before its first call. */
export async function openServer(
  server: ServerDefinition,
  endpoint: Endpoint,
  { onStderr, variant, canAnswer }: ConnectOptions & DeclaredOptions,
): Promise<Session> {
  const { connect, call } = server.timeouts ?? {};
  const session = await openSession(endpoint, {
    connectTimeout: connect,
    callTimeout: call,
    capabilities: capabilitiesOf(server, { variant, canAnswer }),
    onStderr,
  });
  if (endpoint.prelude === undefined) return session;
  try {
    await runPrelude(session, endpoint);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}
