import type { ConnectionSettings } from "../../src/core/connection-settings.js";
import type { Endpoint } from "../../src/client/endpoint.js";
import { resolveEndpoint } from "../../src/client/resolve-endpoint.js";

/** Returns the endpoint of a configured server "test" with the given variables. */
export function endpointOf(
  settings: ConnectionSettings,
  variables: { readonly [name: string]: string } = {},
  environment?: string,
): Endpoint {
  return resolveEndpoint(settings, {
    where: "servers.test",
    lookup: (name) => variables[name],
    ...(environment !== undefined && { environment }),
  });
}
