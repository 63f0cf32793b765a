import type { AuthProvider, AuthSettings, SettingText, OutputMode } from "../contract/connection.js";
import { FLAG, FUNCTION, HOLDER, NUMBER, OBJECT, TEXT, type OptionRules } from "../contract/check-options.js";
import type { Logins } from "../contract/login.js";
import type { ContentBlock } from "./result.js";
import type { CallRecorder } from "./call-recorder.js";
import type { Logger } from "./events.js";
import type { OnInput } from "./input-question.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { Progress } from "../transport/progress.js";

/** A connected MCP client of the program: `Client` of version 1 or 2 of the SDK. */
export interface ToolCaller {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
}

/** Selects the server of a call. */
export interface ConnectionOptions<Environment extends string = string> {
  /** One of the server's configured environments; generated code has a type for their names. */
  readonly environment?: Environment;
  /** One of the server's configured variants: another account, other flags. Generated code has a type for their names. */
  readonly variant?: string;
  /** Another URL of the same server. With another origin, it inherits no credentials. */
  readonly url?: string;
  /**
   * `${VAR}` is resolved when connecting; `{ value, public: true }` is used literally. A function returns the access token of
   * each request, and is called once more when the server refuses that token.
   */
  readonly auth?: AuthSettings | AuthProvider;
  /** Added to the configured ones. */
  readonly headers?: { readonly [name: string]: SettingText };
  /** Used instead of a new connection, and never closed. */
  readonly client?: ToolCaller;
}

/**
 * How calls use a cassette.
 *
 * - `once`: calls are recorded if the cassette has none yet; otherwise they are replayed, and other calls fail.
 * - `new`: recorded calls are replayed, and other calls are made and recorded.
 * - `all`: every call is made, and its recording replaced.
 */
export type CassetteMode = "once" | "new" | "all";

/** Selects the cassette of calls. */
export interface CassetteOptions {
  /**
   * A folder in which each call is recorded, with its answer and without secrets; see docs/testing.md. Default: the
   * environment variable `MCP_CODEGEN_RECORD`.
   */
  readonly record?: string;
  /**
   * A folder of recorded calls that are answered from there. By default nothing is sent: another call is `CALL_NOT_RECORDED`.
   * Default: the environment variable `MCP_CODEGEN_REPLAY`.
   */
  readonly replay?: string;
  /** Which calls are made and recorded. Default: `all` with `record`; with `replay`, none. */
  readonly mode?: CassetteMode;
}

/** Options of a new connection. */
export interface ConnectOptions<Environment extends string = string> extends CallOptions<Environment> {
  /** Looks up `${VAR}` in the settings. Default: the environment of the process. */
  readonly variables?: (name: string) => string | undefined;
  /** The logins of the user at the command line. Programs pass `auth`. */
  readonly logins?: Logins | undefined;
  /**
   * Receives each line that a started server writes to stderr, without control characters and without the secrets that it was
   * given.
   */
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** The options of {@link CallOptions}, for programs that TypeScript does not check. */
export const CALL_OPTIONS: OptionRules<CallOptions> = {
  environment: TEXT,
  variant: TEXT,
  url: TEXT,
  auth: [OBJECT, FUNCTION],
  headers: OBJECT,
  client: OBJECT,
  record: TEXT,
  replay: TEXT,
  mode: ["once", "new", "all"],
  output: ["strict", "tolerant", "warn", "off"],
  onContent: FUNCTION,
  onWarning: FUNCTION,
  signal: OBJECT,
  logger: FUNCTION,
  traceId: [TEXT, FUNCTION],
  logArguments: FLAG,
  logResults: FLAG,
  changes: HOLDER,
  learn: [FLAG, TEXT],
  timeout: NUMBER,
  retry: [false, NUMBER],
  onProgress: FUNCTION,
  onInput: FUNCTION,
};

export const CONNECT_OPTIONS: OptionRules<ConnectOptions> = {
  ...CALL_OPTIONS,
  variables: FUNCTION,
  logins: OBJECT,
  onStderr: FUNCTION,
};

/** Options of a call. */
export interface CallOptions<Environment extends string = string>
  extends ConnectionOptions<Environment>, CassetteOptions {
  /**
   * What happens to an answer that does not fit the output schema: `strict` fails the call, `tolerant` fails it unless the
   * only misfits are unknown keys in closed objects, `warn` reports it and hands the answer over, `off` does not look.
   * Default: the server's `validateOutput`, or `tolerant`.
   */
  readonly output?: OutputMode;
  /**
   * Receives the blocks of an answer whose value is its structured content or has an observed type: texts that repeat it, and
   * images, audio and links beside it. Without an output schema they are the value, see `ToolContent`.
   */
  readonly onContent?: (content: readonly ContentBlock[]) => void;
  /** Receives the warnings of `warn`. Default: `process.emitWarning` if it exists. */
  readonly onWarning?: (message: string) => void;
  /** Aborts the call and notifies the server. */
  readonly signal?: AbortSignalLike;
  /** Receives events, see `RuntimeEvent`. They contain arguments and results only with the next two options. */
  readonly logger?: Logger;
  /**
   * The `traceId` of the events, such as that of the request that the program serves; a function is asked for each call.
   * Default: that of the OpenTelemetry span, else a new one.
   */
  readonly traceId?: string | (() => string);
  /** Passes arguments to the logger and to spans. They may contain personal data and secrets. */
  readonly logArguments?: boolean;
  /** Passes results to the logger and to spans, with messages of failures, which may quote the server. */
  readonly logResults?: boolean;
  /** Records the call if the tool is not read-only, such as a tracker; see `createChangeTracker`. */
  readonly changes?: CallRecorder;
  /**
   * Adds the shape of each answer to `mcp-codegen.observed.json` of the project, for tools that declare no output schema: its
   * keys and kinds, never its values. `true` for the project in the working directory, or the path of its folder.
   */
  readonly learn?: boolean | string;
  /** Milliseconds for the call and its retries, without connecting. Default: the server's `timeouts.call`, or 60,000. */
  readonly timeout?: number;
  /**
   * How often a call is tried again after a failure of the server's or the network's, at most ten times; default: 2. A
   * tool that is neither read-only nor idempotent by its annotations is called again only if nothing was sent.
   */
  readonly retry?: number | false;
  /** Receives the progress of the call if the server reports it. Errors that it throws are ignored. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Answers questions that the server asks while a tool runs, at most eight times in a call. The `timeout` does not run
   * meanwhile, and starts again afterwards. Servers learn of it when connecting, so give it to `connect()`: the first call
   * with a handler of its own opens a new session otherwise. Without it, a call that needs an answer is `INPUT_REQUIRED`.
   */
  readonly onInput?: OnInput;
}
