import type { EntryList } from "./entries.js";
import type { JsonObject } from "./json.js";
import type { ServerIdentity, ToolSnapshot } from "./snapshot.js";

/** Definitions and results that are sent unchanged, such as those of a mock. No policy applies. */
export interface RawSource {
  /** Clients see all of it except the protocol version. */
  readonly identity: ServerIdentity;
  /** Returns the list beside the tools, for capabilities that declare one. */
  entries(list: EntryList): readonly JsonObject[];
  tools(): readonly ToolSnapshot[];
  /** Returns the raw result of a call. An error with a code of JSON-RPC is sent as such. */
  call(name: string, args: JsonObject): Promise<JsonObject>;
  /** Returns the raw result of another request. Errors are sent as those of a call. */
  read(request: RawRequest): Promise<JsonObject>;
  /** Subscribes to changes of the list. Returns a function that unsubscribes. */
  onChange?(listener: () => void): () => void;
}

/** A request for the contents of a prompt or a resource. */
export type RawRequest =
  | { readonly method: "prompts/get"; readonly name: string; readonly arguments: JsonObject }
  | { readonly method: "resources/read"; readonly uri: string };
