import type { EndpointSettings } from "../../contract/connection.js";
import type { JsonObject } from "../../contract/json.js";
import type { Endpoint } from "../../transport/endpoint.js";
import type { Session } from "../../transport/session.js";
import type { ConnectOptions } from "../call-options.js";
import type { ServerDefinition } from "../tool.js";
import { lookUpVariable } from "./look-up-variable.js";

/** The extension by which a server answers a call with a task (SEP-2663), see `follow-task.ts`. */
const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Where a server is now: every variable is looked up anew. */
export async function resolveServer(server: ServerDefinition, options: ConnectOptions): Promise<Endpoint> {
  const [{ resolveEndpoint }, { attachTokens }] = await Promise.all([
    import("../../transport/resolve-endpoint.js"),
    import("../../transport/oauth/tokens.js"),
  ]);
  const { environment, variant, url, auth, headers, variables, logins } = options;
  const provider = typeof auth === "function" ? auth : undefined;
  const overrides: EndpointSettings = {
    ...(url !== undefined && { url }),
    ...(typeof auth === "object" && { auth }),
    ...(headers !== undefined && { headers }),
  };
  const endpoint = resolveEndpoint(server, {
    lookup: variables ?? lookUpVariable,
    where: `servers.${server.name}`,
    overrides,
    ignoresAuth: provider !== undefined,
    variant,
    ...(environment !== undefined && { environment }),
  });
  return attachTokens(endpoint, { server: server.name, provider, logins });
}

/** A session with a server, within its time limits. */
export async function openServer(
  server: ServerDefinition,
  endpoint: Endpoint,
  { onStderr, variant, canAnswer }: Pick<ConnectOptions, "onStderr" | "variant"> & DeclaredOptions,
): Promise<Session> {
  const { openSession } = await import("../../transport/open-session.js");
  const { connect, call } = server.timeouts ?? {};
  const session = await openSession(endpoint, {
    ...(connect !== undefined && { connectTimeout: connect }),
    ...(call !== undefined && { callTimeout: call }),
    extensions: { [TASKS_EXTENSION]: {} },
    capabilities: capabilitiesOf(server, { variant, canAnswer }),
    onStderr,
  });
  if (endpoint.prelude === undefined) return session;
  try {
    const { runPrelude } = await import("../../transport/open-session.js");
    await runPrelude(session, endpoint);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

interface DeclaredOptions {
  /** Whether somebody can answer questions. */
  readonly canAnswer: boolean;
}

/** The client capabilities to declare: the configured ones, and elicitation where somebody can answer. */
export function capabilitiesOf(
  { capabilities, variants = {} }: ServerDefinition,
  { variant, canAnswer }: DeclaredOptions & { readonly variant?: string | undefined },
): JsonObject {
  const own = variant === undefined ? undefined : variants[variant]?.capabilities;
  return { ...(canAnswer && { elicitation: { form: {}, url: {} } }), ...(own ?? capabilities) };
}
