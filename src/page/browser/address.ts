/** The address of a server or a tool in this page. */
export function addressInPage(server: string, tool?: string): string {
  const parts = tool === undefined ? [server] : [server, tool];
  return `#${parts.map(encodePart).join("/")}`;
}

/** An address has no form for a lone surrogate, so it is written as in `%uD800`, which no other name gives. */
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
/** The address of the overview. A page opens on the changes, if it has some. */
export const OVERVIEW = "#/overview";
