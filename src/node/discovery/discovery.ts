import type { AnyTool } from "../../runtime/tool.js";
import { McpCodegenError } from "../../contract/errors.js";
import { warn } from "../../runtime/events.js";

/** Where to look: yields absolute paths of folders. */
export type RootDiscovery = () => AsyncGenerator<string>;

/** What is in a folder: yields tools, one after another. `(root) => …` without the context is as good. */
export type ToolDiscovery = (root: string, context?: DiscoveryContext) => AsyncGenerator<AnyTool>;

/** What discovery gives to a strategy. */
export interface DiscoveryContext {
  /** Whether something that cannot be used ends discovery with an error. */
  readonly isStrict?: boolean;
  /** Reports what is left out. Throws it when discovery is strict. */
  readonly skip: (message: string, more?: { readonly hint?: string; readonly cause?: unknown }) => void;
  /** Reports something that leaves nothing out. */
  readonly warn: (message: string) => void;
  /** Ends the search. */
  readonly signal?: AbortSignal;
  /** Present while tools are watched: then what a strategy remembers is to be looked up anew. */
  readonly watch?: DiscoveryWatch;
}

export interface DiscoveryWatch {
  /** Looks again when something in this folder or below changes; one that is not there yet may come. */
  readonly dependOn: (folder: string) => void;
  /** The state of modules when they were imported, by path. */
  readonly imported: Map<string, { readonly state: string; readonly url: string }>;
}

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
