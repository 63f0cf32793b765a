import type { ServerDefinition } from "../tool.js";

/** By server and environment, why its circuit breaker is open. The breaker itself is loaded by the first call. */
const outages = /* @__PURE__ */ new WeakMap<ServerDefinition, Map<string, string>>();

/** Notes why calls are not let through, or with `undefined` that they are again. */
export function noteOutage(
  server: ServerDefinition,
  environment: string | undefined,
  reason: string | undefined,
): void {
  const known = outages.get(server) ?? new Map<string, string>();
  outages.set(server, known);
  if (reason === undefined) known.delete(environment ?? "");
  else known.set(environment ?? "", reason);
}

/** Why calls of a server are not let through now; undefined while they are. */
export function findOutage(server: ServerDefinition, environment: string | undefined): string | undefined {
  return outages.get(server)?.get(environment ?? "");
}
