/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions } from "../contract/check-options.js";
import { mergeDefined } from "../contract/json.js";
import { bindTool } from "./define-tool.js";
import { CONNECT_OPTIONS, type CallOptions, type ConnectOptions } from "./call-options.js";
import { ExternalClient } from "./client/external-client.js";
import { findSharedCaller, hasConnectionOptions, PooledClient } from "./client/pooled-client.js";
import { bindModule, type FindCaller } from "./request.js";
import type { ServerDefinition, ServerTool } from "./tool.js";

/** What a connection is made of, for those who ask its server for more than its tools do. */
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

/** Tools on one connection, as an object that can be closed and used with `await using`. */
export interface Connection {
  /** Closes the connection; running calls fail. A client that was passed in is not closed. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * What several types hold, as one type that is shown by its alias. Properties keep where they are declared, so that an
 * editor shows a tool's documentation and leads to its module. That needs `Name` to be a parameter.
 */
export type ToolsOf<Modules, Name extends keyof Modules = keyof Modules> = {
  readonly [name in Name]: Modules[name];
};

/**
 * The same tools on one connection of their own, which the first call opens. It need not be closed: an idle connection
 * does not keep a process alive.
 *
 * @param modules modules of prompts and of resources, which the connection has under their names
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
  // Each connection has answers of its own in a cassette, also if several share one object of options.
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
