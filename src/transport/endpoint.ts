/** Where a server is reached, every variable resolved. Never written anywhere: see `label` for that. */
export type Endpoint = StdioEndpoint | HttpEndpoint;

export interface StdioEndpoint extends EndpointWords {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to a safe default set, not to the whole environment. */
  readonly env: { readonly [name: string]: string };
  readonly cwd?: string;
}

export interface HttpEndpoint extends EndpointWords {
  readonly kind: "http";
  /** Without user information: `fetch` refuses it, so it has become a header. */
  readonly url: string;
  readonly transport: "auto" | "http" | "sse";
  readonly headers: { readonly [name: string]: string };
}

interface EndpointWords {
  /** The most bytes that are read of one answer; default: `READ_LIMIT`. */
  readonly readLimit?: number;
  /** What messages call this endpoint: the URL or command as it was configured, variables unresolved. */
  readonly label: string;
  /** Resolved values that no message may hold. */
  readonly secrets: readonly string[];
}
