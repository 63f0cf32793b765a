import { STATIC_TOOLS } from "../../contract/connection.js";
import { McpCodegenError } from "../../contract/errors.js";
import type { RegisteredTool } from "./registered-tool.js";
import type { ToolError } from "../../runtime/result.js";
import type { ServerState, ToolProvider } from "./registry.js";

/** Printable ASCII without spaces: what the specification asks for ("Tool Names") and all that real servers use. */
const TOOL_NAME = /^[\x21-\x7e]{1,128}$/;

/** Whether a tool of a server may have this name. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}

/** Two servers cannot make one name of two tools: no server's name holds `__` or ends with `_`. */
const SERVER_NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/**
 * The name under which models know a server's tool: `server__tool`.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a server whose name is not `snake_case`, or a tool without a name.
 */
export function joinToolName(server: string, tool: string): string {
  assertServerName(server);
  if (tool === "") {
    throw new McpCodegenError("CONFIG_INVALID", `A tool of server "${server}" has no name.`);
  }
  return `${server}__${tool}`;
}

/** Whose tool a name stands for; the first `__` splits. Undefined for a name that is not `server__tool`. */
export function splitToolName(name: string): { readonly server: string; readonly tool: string } | undefined {
  const at = name.indexOf("__");
  const server = name.slice(0, Math.max(at, 0));
  const tool = name.slice(at + 2);
  return SERVER_NAME.test(server) && tool !== "" ? { server, tool } : undefined;
}

/** What a server itself calls a tool of its own; the name of a tool that no server has. */
export function ownNameOf({ name, server }: { readonly name: string; readonly server?: string }): string {
  // Tools of a single server may be shown under their own names.
  return server !== undefined && name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
}

/** The server that a tool is counted under: `static` for one that no server has. */
export function serverNameOf({ server = STATIC_TOOLS }: { readonly server?: string }): string {
  return server;
}

/** Whether a server may have this name: `snake_case`, with single underscores. */
export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/** @throws McpCodegenError `CONFIG_INVALID` for a name that is not `snake_case`, and for `static`. */
export function assertServerName(server: string): void {
  if (server === STATIC_TOOLS) {
    throw new McpCodegenError("CONFIG_INVALID", `A server must not be called "${STATIC_TOOLS}".`, {
      hint: "The name means the tools that no server has, in policies and filters. Use another name.",
    });
  }
  if (isServerName(server)) return;
  throw new McpCodegenError(
    "CONFIG_INVALID",
    `Invalid server name ${JSON.stringify(server)}: its tools are called "server__tool", split at the first "__".`,
    { hint: "Use snake_case: words of lower-case letters and digits, joined by single underscores." },
  );
}

/** By which names tools are shown and asked for. */
export interface ToolNames<T extends Pick<RegisteredTool, "name" | "server"> = RegisteredTool> {
  /** The name that a tool is shown by: its own where one server is served and no other tool could be meant, else `server__tool`. */
  nameOf(tool: T): string;
  /** The tools that a name may stand for: its own name or `server__tool`. One is meant where there is one. */
  find(name: string): readonly T[];
}

/** The names of some tools. Registered names are unique; where they are not, the first counts. */
export function createToolNames<T extends Pick<RegisteredTool, "name" | "server">>(
  tools: readonly T[],
): ToolNames<T> {
  const whole = new Map<string, T>();
  for (const tool of tools) if (!whole.has(tool.name)) whole.set(tool.name, tool);
  const bare = new Map<string, T[]>();
  for (const tool of whole.values()) {
    const own = ownNameOf(tool);
    const same = bare.get(own);
    if (same === undefined) bare.set(own, [tool]);
    else same.push(tool);
  }
  const find = (name: string): readonly T[] => {
    const exact = whole.get(name);
    return exact === undefined ? (bare.get(name) ?? []) : [exact];
  };
  const isOneServer = new Set(tools.flatMap(({ server }) => server ?? [])).size <= 1;
  return {
    nameOf: (tool) => {
      const own = ownNameOf(tool);
      const isMeant = isOneServer && bare.get(own)?.length === 1 && find(own)[0] === tool;
      return isMeant ? own : tool.name;
    },
    find,
  };
}

/** Longer names of a model are cut in messages. */
const LONGEST_SHOWN = 100;

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
  const shown = JSON.stringify(name.slice(0, LONGEST_SHOWN));
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
