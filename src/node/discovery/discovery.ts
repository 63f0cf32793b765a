import type { AnyTool } from "../../runtime/tool.js";

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
