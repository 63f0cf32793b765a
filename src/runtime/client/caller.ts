import type { JsonObject } from "../../contract/json.js";
import type { AbortSignalLike } from "../../transport/abort-signal.js";

/** Somebody who can send a `tools/call` and hands back the raw result. */
export interface Caller {
  call(request: ToolRequest, options: CallerOptions): Promise<unknown>;
}

export interface ToolRequest {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly isTask: boolean;
}

export interface CallerOptions {
  readonly signal?: AbortSignalLike;
  readonly timeout?: number;
}
