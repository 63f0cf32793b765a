import type { AbortSignalLike } from "./abort-signal.js";
import type { AuthProvider, InputMode, OutputMode } from "./connection.js";
import type { AuthSettings, SettingText } from "./connection-settings.js";
import type { InputQuestion, OnInput } from "./input-question.js";
import type { JsonObject } from "./json.js";
import type { Logins } from "./login.js";
import type { Issue } from "./schema.js";
import type { ToolAnnotations } from "./snapshot.js";

/**
 * Why a call failed.
 *
 * The tool did not run:
 *
 * - `TOOL_INVALID_INPUT`: the input is invalid, according to this package or to the server.
 * - `TOOL_NOT_FOUND`: the server does not know the tool, or no longer does.
 * - `TOOL_NOT_ALLOWED`: a focus mode or a role forbids the tool.
 * - `WRITES_DISABLED`: the tool writes, and writes are switched off.
 * - `CONTRACT_DRIFT`: the tool of the server differs from the locked one.
 * - `TOOL_NOT_IMPLEMENTED`: the tool is known, but cannot be called from here.
 * - `CALL_NOT_RECORDED`: calls are replayed from a cassette, which does not contain this call.
 *
 * The tool ran:
 *
 * - `TOOL_EXECUTION_FAILED`: the tool reports a failure.
 * - `TOOL_INVALID_OUTPUT`: the answer does not fit the output schema.
 *
 * The tool may have run:
 *
 * - `TOOL_UNAVAILABLE`: the server could not be reached, refused the request, or did not answer.
 * - `INPUT_REQUIRED`: the server asked questions that were not answered. They are in `questions`.
 */
export type ToolErrorCode =
  | "TOOL_INVALID_INPUT"
  | "TOOL_NOT_FOUND"
  | "TOOL_UNAVAILABLE"
  | "TOOL_EXECUTION_FAILED"
  | "TOOL_INVALID_OUTPUT"
  | "TOOL_NOT_ALLOWED"
  | "WRITES_DISABLED"
  | "CONTRACT_DRIFT"
  | "TOOL_NOT_IMPLEMENTED"
  | "INPUT_REQUIRED"
  | "CALL_NOT_RECORDED";

/** Describes a failed call. */
export interface ToolError {
  readonly code: ToolErrorCode;
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly tool: string;
  readonly server: string;
  /** The issues of the input or of the answer. */
  readonly issues?: readonly Issue[];
  /** The questions of the server, with `INPUT_REQUIRED`. */
  readonly questions?: readonly InputQuestion[];
  /** The original error; the raw result of a tool that reports a failure; an answer that does not fit. */
  readonly cause?: unknown;
  /** The error to show to a model instead of code, message and issues. Set by a toolset. */
  readonly modelError?: JsonObject;
}

/** The result of `.safe`, which never throws. */
export type Result<T, E = ToolError> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** The result of a tool without an output schema. Text is never parsed automatically. */
export interface ToolContent {
  /** The text blocks, joined by line ends. */
  readonly text: string;
  /** Every block: texts, images, audio, links, embedded resources. */
  readonly content: readonly ContentBlock[];
  /** Structured content that the server sent, although the tool declares no output schema. */
  readonly structuredContent?: unknown;
  /** Returns the text parsed as JSON. Throws a `SyntaxError` if it is not JSON. */
  json(): unknown;
}

/** One content block. The specification lists the keys of each type. */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** The progress of a request, as the server reports it (specification, "Progress"). */
export interface Progress {
  /** Increases with every notification. The unit is the server's. */
  readonly progress: number;
  /** The value of `progress` at the end, if it is known. */
  readonly total?: number;
  readonly message?: string;
}

/** An MCP client that the program connected, such as `Client` of version 1 or 2 of the SDK. */
export interface ToolCaller {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
}

/** Selects the server of a call. */
export interface ConnectionOptions<Environment extends string = string> {
  /** A configured environment of the server. Generated code has a type for the names. */
  readonly environment?: Environment | undefined;
  /** A configured variant of the server, such as another account. Generated code has a type for the names. */
  readonly variant?: string | undefined;
  /** Another URL of the same server. A URL of another origin inherits no credentials. */
  readonly url?: string | undefined;
  /**
   * Credentials. `${VAR}` is resolved when connecting; `{ value, public: true }` is used literally. A function returns the
   * access token for each request, and is called again once if the server refuses that token.
   */
  readonly auth?: AuthSettings | AuthProvider | undefined;
  /** HTTP headers, added to the configured ones. */
  readonly headers?: { readonly [name: string]: SettingText } | undefined;
  /** Sends the calls instead of a new connection. Never closed. */
  readonly client?: ToolCaller | undefined;
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
   * The folder in which to record each call and its answer, without secrets; see docs/testing.md. Default: the environment
   * variable `MCP_CODEGEN_RECORD`.
   */
  readonly record?: string | undefined;
  /**
   * The folder of recorded calls that answers calls. Nothing is sent unless `mode` allows it: a call that is not recorded
   * fails with `CALL_NOT_RECORDED`. Default: the environment variable `MCP_CODEGEN_REPLAY`.
   */
  readonly replay?: string | undefined;
  /** Which calls are made and recorded. Default: `all` with `record`; with `replay`, none. */
  readonly mode?: CassetteMode | undefined;
}

/** Options of a new connection. */
export interface ConnectOptions<Environment extends string = string> extends CallOptions<Environment> {
  /** Returns the value of `${VAR}` in the settings. Default: the environment of the process. */
  readonly variables?: (name: string) => string | undefined;
  /** The stored logins of the command line. Programs pass `auth` instead. */
  readonly logins?: Logins | undefined;
  /** Receives each line that a started server writes to stderr, without control characters and known secrets. */
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** Options of a call, or of a request for a prompt or a resource. */
export interface RequestOptions<Environment extends string = string>
  extends ConnectionOptions<Environment>, CassetteOptions {
  /** Receives warnings, such as those of the output mode `warn`. Default: `process.emitWarning` if it exists. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Aborts the call and notifies the server. */
  readonly signal?: AbortSignalLike | undefined;
  /** Receives events, see `RuntimeEvent`. Arguments and results are in them only with `logArguments` and `logResults`. */
  readonly logger?: Logger | undefined;
  /**
   * The `traceId` of the events, such as the one of the request that the program serves. A function is called for each call.
   * Default: the id of the OpenTelemetry span, or a new one.
   */
  readonly traceId?: string | (() => string) | undefined;
  /** The line of a script that makes the call. Events have it as `line`. */
  readonly line?: number | undefined;
  /** Passes arguments to the logger and to spans. They may contain personal data and secrets. */
  readonly logArguments?: boolean | undefined;
  /** Passes results and error messages to the logger and to spans. Error messages may quote the server. */
  readonly logResults?: boolean | undefined;
  /**
   * Adds the shape of each answer, its keys and types but not its values, to `mcp-codegen.observed.json`. Applies to tools
   * without an output schema. `true` for the project in the working directory, or the folder of the project.
   */
  readonly learn?: boolean | string | undefined;
  /** Milliseconds for the call with its retries, connecting excluded. Default: the server's `timeouts.call`, or 60,000. */
  readonly timeout?: number | undefined;
  /**
   * How many times to repeat a call after a failure of the server or the network, at most ten. Default: 2. A tool that is
   * neither read-only nor idempotent by its annotations is called again only if nothing was sent.
   */
  readonly retry?: number | false | undefined;
  /** Receives the progress of the call if the server reports it. Its errors are ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Answers the server's questions during a call, at most eight times. The `timeout` pauses meanwhile. Without a handler, a
   * call that needs an answer fails with `INPUT_REQUIRED`. Pass it to `connect()` if possible: it is announced to the server
   * when connecting, so the first call with a handler of its own opens a new session.
   */
  readonly onInput?: OnInput | undefined;
}

/** Options of a call. */
export interface CallOptions<Environment extends string = string> extends RequestOptions<Environment> {
  /**
   * How to treat an answer that does not fit the output schema. `strict` fails the call. `tolerant` fails it unless its only
   * fault is unknown keys in closed objects. `warn` warns and returns the answer. `off` does not validate. Default: the
   * server's `validateOutput`, or `tolerant`.
   */
  readonly output?: OutputMode | undefined;
  /**
   * How to treat an input that does not fit the input schema. `strict` refuses the call. `warn` warns and sends it, for a server
   * that accepts more than it publishes. Default: the server's `validateInput`, or `strict`.
   */
  readonly validateInput?: InputMode | undefined;
  /**
   * Receives the content blocks of an answer that also has structured content or an observed type: images, audio, links, and
   * texts that repeat the value. Without an output schema, the blocks are the value itself, see `ToolContent`.
   */
  readonly onContent?: ((content: readonly ContentBlock[]) => void) | undefined;
  /** Records the call unless the tool is read-only, see `createChangeTracker`. */
  readonly changes?: CallRecorder | undefined;
}

/** The events that a {@link Logger} receives. The fields of each have a `traceId`. */
export type RuntimeEvent =
  | "tools.discovery.started"
  | "tools.discovery.server.success"
  | "tools.discovery.server.failed"
  | "tools.registry.updated"
  | "tools.registry.server.removed"
  | "tool.output.unknown_keys"
  | "tool.output.unobserved"
  | "tool.output.rounded_numbers"
  | "tool.schema.refused"
  | "tool.schema.reduced"
  | `${"tool.call" | "prompt.get" | "resource.read"}.${RequestOutcome}`;

type RequestOutcome = "started" | "succeeded" | "failed" | "replayed" | "recorded" | "not_recorded";

/** Receives structured events. Its results and errors are ignored, so that no call fails because its log does. */
export type Logger = (event: RuntimeEvent, fields: { readonly [name: string]: unknown }) => unknown;

/** Receives calls, and records those that change something. A tracker is a recorder. */
export interface CallRecorder {
  /** @throws if the call cannot be recorded */
  record(call: FinishedCall): void;
}

/** A call that has ended. */
export interface FinishedCall {
  readonly tool: {
    readonly name: string;
    readonly server: { readonly name: string; readonly contract?: string | undefined };
    readonly annotations?: ToolAnnotations | undefined;
  };
  readonly args: unknown;
  readonly result: Result<unknown>;
  readonly environment?: string | undefined;
}
