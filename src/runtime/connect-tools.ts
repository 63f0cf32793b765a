/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions } from "../core/check-options.js";
import { mergeDefined } from "../core/json.js";
import { bindTool } from "./define-tool.js";
import { CONNECT_OPTIONS, type CallOptions, type ConnectOptions } from "./call-options.js";
import { ExternalClient } from "./client/external-client.js";
import { findSharedCaller, hasConnectionOptions, PooledClient } from "./client/pooled-client.js";
import { bindModule, type FindCaller } from "./request.js";
import type { ServerDefinition, ServerTool } from "./tool.js";

/** The parts of a connection, for other requests to its server. */
export interface ConnectionOrigin {
  readonly server: ServerDefinition;
  readonly options: CallOptions;
  readonly client: PooledClient | ExternalClient;
}

const origins = /* @__PURE__ */ new WeakMap<object, ConnectionOrigin>();

/** The origin of what {@link connectTools} returned; undefined for anything else. */
export function originOf(connection: object): ConnectionOrigin | undefined {
  return origins.get(connection);
}

/** A connection, which can be closed or used with `await using`. */
export interface Connection {
  /** Closes the connection. Running calls fail. Does not close a client that was passed in. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The members of several modules as one type, which editors show by its alias. Go to definition and hover text lead to the
 * module of each tool, which requires `Name` to be a parameter.
 */
export type ToolsOf<Modules, Name extends keyof Modules = keyof Modules> = {
  readonly [name in Name]: Modules[name];
};

/**
 * Returns the tools on a connection of their own, which the first call opens. It need not be closed: an idle connection does
 * not keep the process alive.
 *
 * @param modules modules of prompts and resources, which become members of the connection
 * @throws McpCodegenError `USAGE` for an unknown option
 */
export function connectTools<T extends { readonly [name: string]: ServerTool }>(
  server: ServerDefinition,
  tools: T,
  options?: ConnectOptions,
): T & Connection;
export function connectTools<
  T extends { readonly [name: string]: ServerTool },
  M extends { readonly [name: string]: object },
>(server: ServerDefinition, tools: T, options: ConnectOptions | undefined, modules: M): T & Connection & M;
export function connectTools<T extends { readonly [name: string]: ServerTool }>(
  server: ServerDefinition,
  tools: T,
  given: ConnectOptions = {},
  modules: { readonly [name: string]: object } = {},
): T & Connection {
  checkOptions("connect", given, CONNECT_OPTIONS);
  // A copy, since the object identifies the connection in a cassette.
  const options = { ...given };
  const client =
    options.client === undefined ? new PooledClient(server, options) : new ExternalClient(options.client);
  const findCaller: FindCaller = (own) =>
    hasConnectionOptions(own) ? findSharedCaller(server, mergeDefined(options, own)) : client;
  const entries = Object.entries(tools).map(
    ([name, { definition }]) => [name, bindTool(definition, options, findCaller)] as const,
  );
  const close = (): Promise<void> => client.close();
  const connection: { readonly [name: string]: ServerTool } = Object.fromEntries(entries);
  // Not enumerable, so that iterating over the object yields tools only.
  for (const [name, module] of Object.entries(modules))
    Object.defineProperty(connection, name, { value: bindModule(module, options, findCaller) });
  Object.defineProperty(connection, "close", { value: close });
  Object.defineProperty(connection, Symbol.asyncDispose, { value: close });
  origins.set(connection, { server, options, client });
  return connection as T & Connection;
}
