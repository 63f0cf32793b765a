import type { AuthProvider } from "../../contract/connection.js";
import type { CallOptions, ConnectionOptions } from "../call-options.js";
import type { Caller } from "./caller.js";
import type { ServerDefinition } from "../tool.js";
import { LazyClient } from "./lazy-client.js";
import { ExternalClient } from "./external-client.js";

/** Connections that calls without one of their own share, by server and by what they ask for. */
const shared = /* @__PURE__ */ new WeakMap<ServerDefinition, Map<string, LazyClient>>();

/** A program that calls with ever new credentials would otherwise collect connections. */
const MOST_PER_SERVER = 64;

/** Who answers a call on a tool that is not bound to a connection. */
export function findSharedCaller(server: ServerDefinition, options: CallOptions): Caller {
  if (options.client !== undefined) return new ExternalClient(options.client);
  const clients = shared.get(server) ?? new Map<string, LazyClient>();
  shared.set(server, clients);
  const { environment, variant, url, auth, headers } = options;
  const key = JSON.stringify([
    environment,
    variant,
    url,
    typeof auth === "function" ? numberOf(auth) : auth,
    headers,
  ]);
  const client = clients.get(key) ?? new LazyClient(server, options, { isShared: true });
  // Last in the order of the map is the last that was used.
  clients.delete(key);
  clients.set(key, client);
  for (const [oldKey, old] of clients) {
    if (clients.size <= MOST_PER_SERVER) break;
    clients.delete(oldKey);
    old.retire();
  }
  return client;
}

const numbers = /* @__PURE__ */ new WeakMap<AuthProvider, number>();
let providers = 0;

/** Distinguishes auth providers: each may be the tokens of another user. */
function numberOf(provider: AuthProvider): number {
  const number = numbers.get(provider) ?? ++providers;
  numbers.set(provider, number);
  return number;
}

/** Whether a call asks for another connection than the one it is bound to. */
export function hasConnectionOptions(options: ConnectionOptions): boolean {
  const { environment, variant, url, auth, headers, client } = options;
  return [environment, variant, url, auth, headers, client].some((option) => option !== undefined);
}
