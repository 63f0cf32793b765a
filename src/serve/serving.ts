import type { DirectOptions } from "./offer.js";

/** The identity that clients see. */
export interface ServeIdentity {
  readonly name: string;
  readonly version: string;
}

export interface ServeOptions extends DirectOptions {
  /** Default: `mcp-codegen`, without a version. */
  readonly identity?: ServeIdentity;
  /** Instructions about all tools for the client's model. Default: none. */
  readonly instructions?: string;
  /** Called with errors between clients and this server, except failed calls. */
  readonly onError?: (error: Error) => void;
}

/** A toolset that is being served. */
export interface Serving {
  /** Resolves when the last client has disconnected. Never rejects. */
  readonly closed: Promise<void>;
  /** Stops serving and aborts running calls. */
  close(): Promise<void>;
}
