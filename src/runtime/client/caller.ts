import type { JsonObject } from "../../contract/json.js";
import type { AbortSignalLike } from "../../transport/abort-signal.js";
import type { RequestContext } from "../../transport/session.js";
import type { Endpoint } from "../../transport/endpoint.js";
import type { Progress } from "../../transport/server-requests.js";
import type { OnInput } from "../input-question.js";

/** Sends requests to a server and returns their raw results. */
export interface Caller {
  call(request: ToolRequest, options: CallerOptions): Promise<unknown>;
  /** Requests a prompt or the contents of a resource. */
  read(request: ReadRequest, options: CallerOptions): Promise<JsonObject>;
  /** Work with the session itself that may be repeated, such as reading a list. */
  use<T>(
    work: (session: RequestContext, options: UseOptions) => Promise<T>,
    options: CallerOptions,
  ): Promise<T>;
  /**
   * Calls a function whenever the server says that its list of tools has changed. The function is held weakly; absent where
   * the notifications are not ours to hear.
   */
  listen?(listener: (session: RequestContext) => void): void;
  /** A text of the server's without the secrets that this caller sent it. */
  scrub(text: string): string;
}

export interface ToolRequest {
  readonly name: string;
  /** What people know the tool by: it may be called through another one. */
  readonly origin: { readonly server: string; readonly tool: string };
  readonly arguments: JsonObject;
  /** The tool's raw input schema, which may mark arguments to send in HTTP headers too; absent if it marks none. */
  readonly inputSchema?: () => unknown;
  readonly isTask: boolean;
  /** Whether two calls do no more than one. */
  readonly isRepeatable: boolean;
}

export interface ReadRequest {
  readonly method: "prompts/get" | "resources/read";
  readonly params: JsonObject;
  readonly origin: RequestOrigin;
}

/** What people know the requested thing by. */
export interface RequestOrigin {
  readonly server: string;
  readonly tool?: string;
  readonly prompt?: string;
  readonly resource?: string;
}

export interface CallerOptions {
  readonly signal?: AbortSignalLike;
  readonly timeout?: number;
  readonly retry?: number | false;
  readonly onProgress?: (progress: Progress) => void;
  readonly onInput?: OnInput;
}

export interface UseOptions extends CallerOptions {
  /** Where the session is connected; absent for a client that the program connected. */
  readonly endpoint?: Endpoint;
}
