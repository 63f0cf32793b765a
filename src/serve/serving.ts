import type { DirectOptions } from "./offer.js";

/** What a client is told of who serves. */
export interface ServeIdentity {
  readonly name: string;
  readonly version: string;
}

export interface ServeOptions extends DirectOptions {
  /** Default: `mcp-codegen`, without a version of its own. */
  readonly identity?: ServeIdentity;
  /** What a client may put into its model's context about all tools. Default: nothing. */
  readonly instructions?: string;
  /** Hears what goes wrong between clients and us, and is no failure of a call. */
  readonly onError?: (error: Error) => void;
}

/** A toolset that is being served. */
export interface Serving {
  /** Resolves when nobody is served any more. Never rejects. */
  readonly closed: Promise<void>;
  /** Ends it; calls in flight are aborted. */
  close(): Promise<void>;
}
