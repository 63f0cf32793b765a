import type { CallOptions } from "./call-options.js";
import type { Caller } from "./client/caller.js";

/** Where a wrapper has the function that binds it, so that `connect()` need not load the code of prompts and resources. */
const BIND = /* @__PURE__ */ Symbol("bind");

/** Returns a wrapper on another connection. */
type Bind = (bound: CallOptions, findCaller: (options: CallOptions) => Caller) => unknown;

/** Returns the same wrapper, which `connect()` can bind to its connection. */
export function makeConnectable<T extends object>(wrapper: T, bind: Bind): T {
  return Object.defineProperty(wrapper, BIND, { value: bind });
}

/** Returns the wrappers among the exports of a module, bound by their own names. */
export function bindModule(module: object, ...binding: Parameters<Bind>): object {
  const bound = Object.entries(module).flatMap(([name, wrapper]: readonly [string, unknown]) => {
    const bind = isConnectable(wrapper) ? wrapper[BIND] : undefined;
    return bind === undefined ? [] : [[name, bind(...binding)] as const];
  });
  return Object.fromEntries(bound);
}

function isConnectable(value: unknown): value is { readonly [BIND]: Bind } {
  return typeof value === "function" && BIND in value;
}
