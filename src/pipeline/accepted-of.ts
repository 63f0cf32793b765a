import type { Waiver } from "../contract/waivers.js";

/**
 * Returns, per tool, a text that identifies its accepted findings; undefined without any. It is an input of the tool's
 * file, so the file becomes stale when an acceptance ends.
 */
export function acceptedOf(waivers: readonly Waiver[]): (server: string, tool: string) => string | undefined {
  const accepted = waivers.filter(({ rule }) => rule.startsWith("poison-") || rule === "tool-added");
  return (server, tool) => {
    const own = accepted.filter((waiver) => waiver.server === server && waiver.tool === tool);
    if (own.length === 0) return undefined;
    return JSON.stringify(own.map(({ rule, path, digests }) => [rule, path, digests.after]).sort());
  };
}
