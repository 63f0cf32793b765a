import { McpCodegenError } from "../core/errors.js";
import type { RecordSettings } from "../core/connection.js";
import type { JsonObject } from "../core/json.js";
import type { CallOptions, CassetteMode, CassetteOptions } from "./call-options.js";
import { type Clock, type ReportEvent, REQUESTS, systemClock, warn } from "./events.js";
import { lookUpVariable } from "./client/session-pool.js";
import { nounOf, type Subject } from "./fail-call.js";

/** The cassette of a call. In the mode `replay`, nothing is sent. */
export interface CassetteUse {
  readonly folder: string;
  readonly mode: CassetteMode | "replay";
}

/** A call of a tool, or a request for a prompt or a resource. */
export interface CassetteRequest {
  readonly server: string;
  /** The kind of `tool`. Absent for a tool. */
  readonly kind?: "prompt" | "resource" | undefined;
  readonly tool: string;
  readonly method: string;
  readonly contract?: string | undefined;
  readonly arguments: JsonObject;
  /** Identifies the connection: answers to equal calls of one connection are in order. */
  readonly scope: object;
  readonly settings: RecordSettings;
  /** Removes the secrets that the server was given from a text. */
  readonly scrub: (text: string) => string;
  /** Reports that the call was replayed or recorded. */
  readonly report: (what: "replayed" | "recorded", fields?: { readonly answer: number }) => void;
  /** Reports why a call is not recorded, although it was made. */
  readonly refuse: (reason: string) => void;
  /** Reports a problem of a recording. */
  readonly warn: (message: string) => void;
  readonly clock: Clock;
}

/** Names the folder in which every call of a program is recorded. */
const RECORD_VARIABLE = "MCP_CODEGEN_RECORD";
/** Names the folder from which every call of a program is replayed. The variable for recording takes precedence. */
const REPLAY_VARIABLE = "MCP_CODEGEN_REPLAY";

/**
 * Returns the cassette of a call, from its options or else from the variables.
 *
 * @throws McpCodegenError `USAGE` for options that contradict each other
 */
export function cassetteOf({ record, replay, mode }: CassetteOptions): CassetteUse | undefined {
  if (record !== undefined && replay !== undefined)
    throw new McpCodegenError("USAGE", '"record" and "replay" are both set.', {
      hint: 'Set "replay", with mode: "new" to record what is missing.',
    });
  // An empty name switches the variables off.
  if (replay === "" || record === "") return undefined;
  if (replay !== undefined) return { folder: replay, mode: mode ?? "replay" };
  if (record !== undefined) return { folder: record, mode: mode ?? "all" };
  const [recorded, replayed] = [lookUpVariable(RECORD_VARIABLE), lookUpVariable(REPLAY_VARIABLE)];
  if (recorded !== undefined && recorded !== "") return { folder: recorded, mode: "all" };
  return replayed === undefined || replayed === "" ? undefined : { folder: replayed, mode: "replay" };
}

/** Whether no server is contacted. */
export function isReplayed(options: CassetteOptions): boolean {
  return cassetteOf(options)?.mode === "replay";
}

/** Makes a call through its cassette. Loads `callWithCassette` only now. */
export async function useCassette(
  use: CassetteUse,
  call: {
    readonly definition: Subject;
    readonly arguments: JsonObject;
    readonly scope: object;
    readonly options: CallOptions;
    readonly scrub: (text: string) => string;
    readonly report: ReportEvent;
  },
  send: () => Promise<unknown>,
): Promise<unknown> {
  const { callWithCassette } = await import("#cassette");
  const { definition, options, report, scrub } = call;
  const { signal } = options;
  if (signal?.aborted === true) throw new Error("The call was aborted.", { cause: signal.reason });
  const { kind, name, server } = definition;
  const { event, method } = REQUESTS[kind ?? "tool"];
  const request: CassetteRequest = {
    ...{ server: server.name, kind, tool: name, method, contract: server.contract },
    arguments: call.arguments,
    scope: call.scope,
    settings: server.record ?? {},
    scrub,
    report: (what, fields) => {
      report(`${event}.${what}`, { ...fields });
    },
    refuse: (reason) => {
      report(`${event}.not_recorded`, { reason });
      warn(`A call of ${nounOf(definition)} is not recorded: ${reason}.`, options.onWarning);
    },
    warn: (message) => {
      warn(`${message} (${nounOf(definition)})`, options.onWarning);
    },
    clock: systemClock,
  };
  return callWithCassette(use, request, send);
}
