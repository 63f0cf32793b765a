import type { AuthSettings, SettingText, OutputMode } from "../contract/connection.js";
import type { ContentBlock } from "./content.js";
import type { CallRecorder } from "./call-recorder.js";
import type { Logger } from "./events.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { Progress } from "../transport/progress.js";

/** A connected MCP client of the user's own: `Client` of the SDK's version 1 and of version 2 both fit. */
export interface ToolCaller {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
}

/** Which server answers. */
export interface ConnectionOptions<Environment extends string = string> {
  /** One of the environments that the server is configured with; generated code knows their names. */
  readonly environment?: Environment;
  /** Another address of the same server. One of another origin inherits no credentials. */
  readonly url?: string;
  /** `${VAR}` in it is resolved when the connection is made; `{ value, public: true }` is taken literally. */
  readonly auth?: AuthSettings;
  /** Added to the configured ones. */
  readonly headers?: { readonly [name: string]: SettingText };
  /** Used instead of a connection of ours; never closed by us. */
  readonly client?: ToolCaller;
}

/** How a connection of one's own is made. */
export interface ConnectOptions<Environment extends string = string> extends CallOptions<Environment> {
  /** Where `${VAR}` in the settings is looked up. Default: the environment of the process. */
  readonly variables?: (name: string) => string | undefined;
  /**
   * Receives each line that a started server writes to stderr, without control characters and without the secrets that it was
   * given.
   */
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** How a call is made. */
export interface CallOptions<Environment extends string = string> extends ConnectionOptions<Environment> {
  /**
   * What happens to an answer that does not fit the output schema: `strict` fails the call, `tolerant` fails it unless the
   * only misfits are unknown keys in closed objects, `warn` reports it and hands the answer over, `off` does not look.
   * Default: the server's `validateOutput`, or `tolerant`.
   */
  readonly output?: OutputMode;
  /**
   * Receives the blocks of an answer whose value is its structured content: texts that repeat it, and images, audio and links
   * beside it. Without an output schema they are the value, see `ToolContent`.
   */
  readonly onContent?: (content: readonly ContentBlock[]) => void;
  /** Receives what `warn` has to say; default: `process.emitWarning` where there is one. */
  readonly onWarning?: (message: string) => void;
  /** Aborts the call and notifies the server. */
  readonly signal?: AbortSignalLike;
  /** Receives what happens: see `RuntimeEvent`. Arguments and results are not among it unless the next two ask for them. */
  readonly logger?: Logger;
  /**
   * The `traceId` of the events, such as that of the request that the program serves; a function is asked for each call.
   * Default: that of the OpenTelemetry span, else a new one.
   */
  readonly traceId?: string | (() => string);
  /** Passes arguments to the logger and to spans. They may hold personal data and secrets. */
  readonly logArguments?: boolean;
  /** So are results, and the words of failures, which may be the server's. */
  readonly logResults?: boolean;
  /** Records the call if the tool is not read-only, such as a tracker; see `createChangeTracker`. */
  readonly changes?: CallRecorder;
  /** Milliseconds for the call and its retries, connecting aside. Default: the server's `timeouts.call`, or 60,000. */
  readonly timeout?: number;
  /**
   * How often a call is tried again after a failure of the server's or the network's, at most ten times; default: 2. A
   * tool that is neither read-only nor idempotent by its annotations is called again only if nothing was sent.
   */
  readonly retry?: number | false;
  /** Receives how far the call has come, where the server tells it. What it throws is ignored. */
  readonly onProgress?: (progress: Progress) => void;
}
