import type { DirectOptions } from "./offer.js";

/** The identity that clients see. */
export interface ServeIdentity {
  readonly name: string;
  readonly version: string;
}

export interface ServeOptions extends DirectOptions {
  /** Default: `mcp-codegen`, without a version of its own. */
  readonly identity?: ServeIdentity;
  /** What a client may put into its model's context about all tools. Default: nothing. */
  readonly instructions?: string;
  /** Called for errors between clients and this server that are not failures of a call. */
  readonly onError?: (error: Error) => void;
}

/** A toolset that is being served. */
export interface Serving {
  /** Resolves when the last client has gone. Never rejects. */
  readonly closed: Promise<void>;
  /** Ends it; calls in flight are aborted. */
  close(): Promise<void>;
}
