import type { Readable, Writable } from "node:stream";
import { FUNCTION, OBJECT, TEXT, type OptionRules } from "../core/check-options.js";
import { callSafely, McpCodegenError } from "../core/errors.js";
import type { ModelSchema } from "../core/model-schema.js";
import type { Policy } from "../core/policy.js";
import type { ToolSource, ToolView } from "../agent/registry/registry.js";
import type { Toolset } from "../agent/toolset/toolset.js";
import type { RawSource, ToolAnnotations } from "../core/snapshot.js";

/** How the tools of a registry are served. A toolset brings its own settings. */
export interface DirectOptions {
  /** The policy. Default: all tools are listed, and only those that read are called. */
  readonly policy?: Policy | undefined;
  /** A prefix for the names of the tools. Default: none. */
  readonly prefix?: string | undefined;
  /** As in the options of `createToolset`. */
  readonly writesHint?: ((server: string, hasNoHints: boolean) => string) | undefined;
  /** Receives problems that are not failures. Default: `process.emitWarning`, if it exists. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A toolset, served as its five tools; a registry or another source, served as its tools; or a list, served unchanged. */
export type Servable = Toolset | ToolView | ToolSource | RawSource;

export function isRawSource(source: Servable): source is RawSource {
  return "tools" in source && "identity" in source;
}

/** The tools that clients see and call. */
export interface Offer {
  /** Returns the tools that are also listed under these roles. */
  readonly list: (roles: readonly string[]) => Promise<readonly OfferedTool[]>;
  readonly answer: Toolset["answer"];
  readonly onChange?: ((listener: () => void) => () => void) | undefined;
}

/** A tool as in `tools/list`. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ModelSchema;
  readonly annotations: ToolAnnotations;
}

export interface ServeOptions extends DirectOptions {
  /** Default: `mcp-codegen`, without a version. */
  readonly identity?: { readonly name: string; readonly version: string } | undefined;
  /** Instructions about all tools for the client's model. Default: none. */
  readonly instructions?: string | undefined;
  /** Called with errors between clients and this server, except failed calls. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Returns the listener of errors for the SDK, whose work it cannot fail by throwing. */
export function reporterOf({ onError }: ServeOptions): (error: Error) => void {
  return (error) => {
    callSafely(onError, [error]);
  };
}

export const SERVE_OPTIONS: OptionRules<ServeOptions> = {
  policy: "any",
  prefix: TEXT,
  writesHint: FUNCTION,
  onWarning: FUNCTION,
  identity: OBJECT,
  instructions: TEXT,
  onError: FUNCTION,
};

export interface ServeStdioOptions extends ServeOptions {
  readonly stdin: Readable;
  /** Receives only the protocol. */
  readonly stdout: Writable;
}

export interface HttpAccess {
  /** Requests must carry it as `Authorization: Bearer …`. `false` disables the check, for programs that authenticate requests themselves. */
  readonly token: string | false;
  /**
   * The host names of this server. Requests with another `Host`, or from a browser with another `Origin`, are refused;
   * otherwise any web page could reach a server on its reader's machine (DNS rebinding). Default: the loopback names.
   */
  readonly hosts?: readonly string[] | undefined;
}

/** The minimum number of characters: a shorter token could be guessed. */
const SHORTEST_TOKEN = 16;

/**
 * Refuses a token that others could guess. `false` serves without one.
 *
 * @throws McpCodegenError `CONFIG_INVALID`
 */
export function assertToken(token: string | false | undefined): void {
  if (token === false || (token !== undefined && token.length >= SHORTEST_TOKEN)) return;
  const take = `Take at least ${SHORTEST_TOKEN} random characters, such as those of "openssl rand -hex 32"`;
  const isShort = token !== undefined && token !== "";
  const problem = isShort ? "is too short to be safe" : `is ${token === undefined ? "missing" : "empty"}`;
  throw new McpCodegenError("CONFIG_INVALID", `The bearer token ${problem}.`, {
    hint: isShort ? `${take}.` : `${take}, or pass token: false if another component authenticates requests.`,
  });
}

/** A toolset that is being served. */
export interface Serving {
  /** Resolves when the last client has disconnected. Never rejects. */
  readonly closed: Promise<void>;
  /** Stops serving and aborts running calls. */
  close(): Promise<void>;
}
