/** Returns the URL of a REST route of one WordPress, such as `/wp/v2/settings`. */
export type RestAddress = (route: string, query?: { readonly [name: string]: string }) => string;

/**
 * Returns the addresses of the REST API, from the URL of the MCP server: `…/wp-json/mcp/…` with pretty
 * permalinks, `…/?rest_route=/mcp/…` with plain ones. Undefined for another URL.
 */
export function restAddressOf(url: string): RestAddress | undefined {
  const address = new URL(url);
  if (address.searchParams.has("rest_route")) return plainAddress(address);
  const at = address.pathname.indexOf("/wp-json/");
  if (at === -1) return undefined;
  const root = address.pathname.slice(0, at);
  return (route, query = {}) => {
    const found = new URL(`${root}/wp-json${route}`, address);
    for (const [name, value] of Object.entries(query)) found.searchParams.set(name, value);
    return found.href;
  };
}

/**
 * Returns the addresses with plain permalinks for a URL with pretty ones; undefined for a URL that is already
 * plain.
 */
export function plainAddressOf(url: string): RestAddress | undefined {
  const address = new URL(url);
  const at = address.pathname.indexOf("/wp-json/");
  if (at === -1 || address.searchParams.has("rest_route")) return undefined;
  address.pathname = `${address.pathname.slice(0, at)}/`;
  return plainAddress(address);
}

function plainAddress(address: URL): RestAddress {
  return (route, query = {}) => {
    const found = new URL(address.pathname, address);
    found.searchParams.set("rest_route", route);
    for (const [name, value] of Object.entries(query)) found.searchParams.set(name, value);
    return found.href.replaceAll("%2F", "/");
  };
}
