import type { Waiver } from "../contract/waivers.js";

/**
 * What waivers accept of a tool that a scan of the lock objects to; undefined where that is nothing. A file is written
 * from such a tool only while it is accepted, so what is no longer makes the file stale.
 */
export function acceptedOf(waivers: readonly Waiver[]): (server: string, tool: string) => string | undefined {
  const accepted = waivers.filter(({ rule }) => rule.startsWith("poison-") || rule === "tool-added");
  return (server, tool) => {
    const own = accepted.filter((waiver) => waiver.server === server && waiver.tool === tool);
    if (own.length === 0) return undefined;
    return JSON.stringify(own.map(({ rule, path, digests }) => [rule, path, digests.after]).sort());
  };
}
