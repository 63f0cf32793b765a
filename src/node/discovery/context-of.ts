import { McpCodegenError } from "../../contract/errors.js";
import { warn } from "../../runtime/events.js";
import type { DiscoveryContext } from "./discovery.js";

interface ContextOptions {
  readonly strict?: boolean;
  readonly onWarning?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** A context that warns, or throws when strict. */
export function createContext({ strict = false, onWarning, signal }: ContextOptions): DiscoveryContext {
  return {
    isStrict: strict,
    skip(message, more = {}) {
      if (strict) throw new McpCodegenError("TOOL_MODULE_FAILED", message, more);
      warn(more.hint === undefined ? message : `${message} ${more.hint}`, onWarning);
    },
    warn(message) {
      warn(message, onWarning);
    },
    ...(signal && { signal }),
  };
}

/** What happens to something that cannot be used: a strict search refuses it, and ends. */
export function describeSkip({ isStrict = false }: DiscoveryContext): string {
  return isStrict ? "was refused" : "was skipped";
}

/** Returns the given context, or a new one for a strategy that is called alone. */
export function contextOf(context: DiscoveryContext | undefined): DiscoveryContext {
  return context ?? createContext({});
}
