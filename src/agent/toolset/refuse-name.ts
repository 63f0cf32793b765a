import type { RefusedTool, ServerState } from "../registry/registry.js";
import type { Resolution } from "./toolset-catalog.js";
import {
  ambiguous,
  notAllowed,
  notFound,
  notOffered,
  type MetaNames,
  type ToolsetError,
} from "./toolset-error.js";

/** The error of a name by which no tool can be called. */
export function refuseName(
  name: string,
  found: Exclude<Resolution, { readonly kind: "tool" }>,
  meta: MetaNames,
  servers: readonly ServerState[] = [],
): ToolsetError {
  switch (found.kind) {
    case "hidden":
      return notAllowed(name, found.reason);
    case "several":
      return ambiguous(name, found.names);
    case "none": {
      const refused = findRefused(name, servers);
      return refused === undefined ? notFound(name, found.nearest, meta) : notOffered(name, refused);
    }
    default:
      return found satisfies never;
  }
}

/** A tool that a server lists and that is not offered, by either of its names. */
function findRefused(name: string, servers: readonly ServerState[]): RefusedTool | undefined {
  const all = servers.flatMap(({ name: server, refused = [] }) =>
    refused.map((one) => [server, one] as const),
  );
  const exact = all.find(([server, { tool }]) => name === `${server}__${tool}`);
  return (exact ?? all.find(([, { tool }]) => name === tool))?.[1];
}
