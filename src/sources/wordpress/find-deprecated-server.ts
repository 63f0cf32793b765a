import type { Diagnostic } from "../../contract/diagnostic.js";

const WOOCOMMERCE = "/woocommerce/mcp";
/** WooCommerce deprecated its endpoint in favour of the shared adapter: woocommerce/woocommerce, pull request 64425. */
const MESSAGE =
  "WooCommerce has deprecated its MCP server at /woocommerce/mcp. Use the MCP adapter's default server, /mcp/mcp-adapter-default-server, with an application password.";

/** A note where the address of an MCP server is that of a server which its plugin has deprecated. */
export function findDeprecatedServer(server: string, url: string): readonly Diagnostic[] {
  const { pathname, searchParams } = new URL(url);
  const route = searchParams.get("rest_route") ?? pathname;
  if (!route.replace(/\/$/, "").endsWith(WOOCOMMERCE)) return [];
  return [{ code: "SERVER_DEPRECATED", server, tool: "", path: "", message: MESSAGE }];
}
