import { STATIC_TOOLS } from "./connection.js";
import { getOwn } from "./json.js";
import { McpCodegenError } from "./errors.js";

export interface ToolAddress {
  /** The registered name: `server__tool`, or a static tool's own name. */
  readonly name: string;
  readonly server?: string | undefined;
}

/** A name that every provider accepts: Gemini refuses a digit or a dash at the start, and Anthropic more characters if deferred. */
const MODEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;
/** The most characters of a name for models. */
export const LONGEST_MODEL_NAME = 64;

/** Whether models can be given a name as it is. */
export function isModelName(name: string): boolean {
  return name.length <= LONGEST_MODEL_NAME && MODEL_NAME.test(name);
}

/** Printable ASCII without spaces, as the specification requires ("Tool Names"). */
const TOOL_NAME = /^[\x21-\x7e]{1,128}$/;

/** Whether a tool of a server may have this name. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name);
}

/** Does not contain `__` or end with `_`, so that `server__tool` is unambiguous. */
const SERVER_NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** A name of a server as files of editors have it, with hyphens. */
export const SERVER_KEY = /^[a-z][a-z0-9_-]*$/;

/** Returns the name of a server for its key, with underscores for hyphens. Other texts are returned as they are. */
export function toServerName(key: string): string {
  return SERVER_KEY.test(key) ? key.replaceAll("-", "_") : key;
}

/** Returns a table by the names of servers for one by their keys. Of two keys for one server, the later one counts. */
export function nameServers<T>(table: { readonly [key: string]: T }): { readonly [name: string]: T } {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [toServerName(key), value] as const));
}

/** Returns the value for a server from a table by keys that a program may change. */
export function ofServer<T>(table: { readonly [key: string]: T }, server: string): T | undefined {
  return getOwn(nameServers(table), server);
}

/**
 * Returns the name of a server's tool for models: `server__tool`.
 *
 * @throws McpCodegenError `CONFIG_INVALID` if the server's name is not `snake_case`, or the tool's name is empty.
 */
export function joinToolName(server: string, tool: string): string {
  assertServerName(server);
  if (tool === "") {
    throw new McpCodegenError("CONFIG_INVALID", `A tool of server "${server}" has no name.`);
  }
  return `${server}__${tool}`;
}

/** Returns `server__tool` with the name of its server for its key. Other names, also patterns, are returned as they are. */
export function toWholeName(name: string): string {
  const at = Math.max(name.indexOf("__"), 0);
  return toServerName(name.slice(0, at)) + name.slice(at);
}

/** Splits `server__tool` at the first `__`, with the name of the server for its key. Returns undefined for other names. */
export function splitToolName(name: string): { readonly server: string; readonly tool: string } | undefined {
  const at = name.indexOf("__");
  const server = toServerName(name.slice(0, Math.max(at, 0)));
  const tool = name.slice(at + 2);
  return SERVER_NAME.test(server) && tool !== "" ? { server, tool } : undefined;
}

/** Returns a tool's name on its server; for a static tool, its name. */
export function ownNameOf({ name, server }: ToolAddress): string {
  // Tools of a single server may be shown under their own names.
  return server !== undefined && name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
}

/** Returns `server__tool`, also for a tool that is shown under its own name; for a static tool, with `static`. */
export function wholeNameOf(tool: ToolAddress): string {
  return `${serverNameOf(tool)}__${ownNameOf(tool)}`;
}

/** Returns the name of a tool's server; `static` for a static tool. */
export function serverNameOf({ server = STATIC_TOOLS }: { readonly server?: string | undefined }): string {
  return server;
}

/** Whether a server may have this name: `snake_case`, with single underscores. */
export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/** @throws McpCodegenError `CONFIG_INVALID` for a name that is not `snake_case`, and for `static` */
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
    { hint: "Use words of lower-case letters and digits, joined by single underscores or hyphens." },
  );
}

const UNCATEGORIZED = "uncategorized";

export function categoryNameOf({ category }: { readonly category?: string | undefined }): string {
  return category ?? UNCATEGORIZED;
}

/** Returns the command that compares a server with the lock, in the environment of a call. */
export function commandToCheck(server: string, environment: string | undefined): string {
  return `npx mcp-codegen check ${server}${environment === undefined ? "" : ` --env ${environment}`}`;
}
