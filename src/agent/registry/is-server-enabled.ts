import { getOwn } from "../../contract/json.js";
import { lookUpVariable } from "../../runtime/client/look-up-variable.js";

/** Whether a server is switched on: by `<SERVER>_MCP_ENABLED` where it says so, otherwise by configuration. */
export function isServerEnabled(
  server: string,
  enabled: { readonly [server: string]: boolean } | undefined,
): boolean {
  const variable = lookUpVariable(`${server.toUpperCase()}_MCP_ENABLED`)?.trim().toLowerCase() ?? "";
  if (["false", "0", "off", "no"].includes(variable)) return false;
  if (["true", "1", "on", "yes"].includes(variable)) return true;
  return getOwn(enabled ?? {}, server) ?? true;
}
