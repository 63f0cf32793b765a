/// <reference lib="esnext.disposable" preserve="true" />
import { mergeDefined } from "../contract/json.js";
import { bindTool } from "./define-tool.js";
import type { CallOptions, ConnectOptions } from "./call-options.js";
import { findSharedCaller, hasConnectionOptions } from "./client/find-shared-caller.js";
import { LazyClient } from "./client/lazy-client.js";
import { ExternalClient } from "./client/external-client.js";
import type { ServerDefinition, ServerTool } from "./tool.js";

/** What a connection is made of, for those who ask its server for more than its tools do. */
export interface ConnectionOrigin {
  readonly server: ServerDefinition;
  readonly options: CallOptions;
  readonly client: LazyClient | ExternalClient;
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
 */
export function connectTools<T extends { readonly [name: string]: ServerTool }>(
  server: ServerDefinition,
  tools: T,
  options: ConnectOptions = {},
): T & Connection {
  const client =
    options.client === undefined ? new LazyClient(server, options) : new ExternalClient(options.client);
  const entries = Object.entries(tools).map(([name, { definition }]) => {
    const tool = bindTool(definition, options, (own) =>
      hasConnectionOptions(own) ? findSharedCaller(server, mergeDefined(options, own)) : client,
    );
    return [name, tool] as const;
  });
  const close = (): Promise<void> => client.close();
  const connection: { readonly [name: string]: ServerTool } = Object.fromEntries(entries);
  // Not enumerable, so that iterating over the object yields tools only.
  Object.defineProperty(connection, "close", { value: close });
  Object.defineProperty(connection, Symbol.asyncDispose, { value: close });
  origins.set(connection, { server, options, client });
  return connection as T & Connection;
}
