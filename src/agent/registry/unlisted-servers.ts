import type { ToolError } from "../../runtime/result.js";
import type { ServerState, ToolProvider } from "./registry.js";
import { splitToolName } from "./tool-names.js";

/** Longer names of a model are cut in messages. */
const LONGEST_NAME = 100;

/**
 * Asks the servers again that a name may belong to, which is not among the known tools: a plugin may have been activated a
 * moment ago. A registry asks each of them at most every five seconds.
 */
export async function lookUpAgain(
  source: Pick<ToolProvider, "servers"> & Partial<Pick<ToolProvider, "getTool">>,
  name: string,
): Promise<void> {
  const names = candidatesOf(name, source.servers).map((server) =>
    isNameOf(name, server) ? name : `${server.name}__${name}`,
  );
  await Promise.all(names.map(async (one) => source.getTool?.(one)));
}

/**
 * The error about a name that is not among the known tools while a server that may have it could not be listed. Undefined if
 * those servers answered. The tool was not called.
 */
export function findListingError(
  name: string,
  servers: readonly ServerState[] | undefined,
): ToolError | undefined {
  const error = candidatesOf(name, servers).find((server) => server.error !== undefined)?.error;
  if (error === undefined) return undefined;
  const shown = JSON.stringify(name.slice(0, LONGEST_NAME));
  const tool = splitToolName(name)?.server === error.server ? splitToolName(name)?.tool : name;
  return { ...error, tool: tool ?? name, message: `Tool ${shown} is not known. ${error.message}` };
}

/** The servers that may have a tool of this name: the one in the name, or else all. */
function candidatesOf(name: string, servers: readonly ServerState[] = []): readonly ServerState[] {
  const enabled = servers.filter(({ isEnabled }) => isEnabled);
  const named = enabled.filter((server) => isNameOf(name, server));
  return named.length > 0 || servers.some((server) => isNameOf(name, server)) ? named : enabled;
}

function isNameOf(name: string, server: ServerState): boolean {
  return splitToolName(name)?.server === server.name;
}
