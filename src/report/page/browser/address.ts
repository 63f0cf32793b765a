/** The address of a server or a tool in this page. */
export function addressInPage(server: string, tool?: string): string {
  const parts = tool === undefined ? [server] : [server, tool];
  return `#${parts.map(encodePart).join("/")}`;
}

/** An address cannot hold a lone surrogate: it is escaped as in `%uD800`, which no other name yields. */
export function encodePart(name: string): string {
  return name
    .split(/(\p{Cs})/u)
    .map((part, at) =>
      at % 2 === 1 ? `%u${part.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(part),
    )
    .join("");
}

/** The address of the findings; no server has an empty name. */
export const FINDINGS = "#/changes";
/** The address of the overview. A page with changes opens on them. */
export const OVERVIEW = "#/overview";
