import type { HostEffect, HostId } from "./hosts/host.js";
import { joinPointer } from "./json-pointer.js";
import type { JsonValue } from "./json.js";

/**
 * Why a test cannot use a recorded call.
 *
 * - `recorded-input-invalid`: the locked input schema refuses the arguments.
 * - `recorded-output-invalid`: the locked output schema refuses the answer.
 * - `recorded-tool-missing`: the lock does not have the tool.
 * - `recorded-entry-missing`: the lock does not have the prompt or resource.
 * - `cassette-invalid`: the file cannot be read as a cassette.
 */
export type CassetteRule =
  | "recorded-input-invalid"
  | "recorded-output-invalid"
  | "recorded-tool-missing"
  | "recorded-entry-missing"
  | "cassette-invalid";

/** A problem of a cassette, once for all calls of a file that have it. */
export interface CassetteFinding {
  readonly rule: CassetteRule;
  /** The file: posix, relative to the configuration. */
  readonly path: string;
  /** The place of the first call that has the problem, from 1. */
  readonly line: number;
  readonly column: number;
  /** Absent where the file cannot be read. */
  readonly server?: string;
  readonly tool?: string | undefined;
  /** How many calls have the problem; 0 where it is one of the file. */
  readonly calls: number;
  readonly message: string;
}

/** A line of a saved script that does not fit the tools. */
export interface ScriptFinding {
  readonly rule: typeof SCRIPT_RULE;
  /** The file: posix, relative to the configuration. */
  readonly path: string;
  /** From 1, as is `column`. */
  readonly line: number;
  readonly column: number;
  /** `lock`: it does not fit the locked tools. `server`: it does, and does not fit the current tools of the servers. */
  readonly of: "lock" | "server";
  /** The environment of these servers; absent for their own settings. */
  readonly environment?: string | undefined;
  readonly message: string;
}

export const SCRIPT_RULE = "script-type-error";

/** The rule of {@link MentionFinding}. It finds no change, so it has no class. */
export const MENTION_RULE = "mention-unknown";

/** A name of a tool in a file that agents read, such as a permission list, which the lock does not have. */
export interface MentionFinding {
  readonly rule: typeof MENTION_RULE;
  /** The file: posix, relative to the configuration. */
  readonly path: string;
  /** From 1, as is `column`. */
  readonly line: number;
  readonly column: number;
  readonly server: string;
  /** The name as the file has it, without the server. */
  readonly tool: string;
  readonly message: string;
  /** Present if a waiver covers it. Then it is reported and does not fail. */
  readonly waiver?: AppliedWaiver;
}

/** What a waiver of the name covers: all its places in the file. The path is the file, as a JSON Pointer of one step. */
export function placeOfMention({ rule, server, tool, path }: MentionFinding): Waivable {
  return { rule, server, tool, path: joinPointer("", path), security: false };
}

/** A tool, or a list of tools, that a host refuses or changes. */
export interface HostFinding {
  /** The rule about the host, such as `anthropic-property-key`. */
  readonly rule: string;
  readonly host: HostId;
  /**
   * `request`: the provider refuses the whole request. `list`: tools are lost. `tool`: the tool is not offered. `call`: its
   * calls fail. `altered`: it works, in another form; such findings never fail.
   */
  readonly effect: HostEffect;
  /** Absent for the tools of all servers together, as is `tool`. */
  readonly server?: string;
  readonly tool?: string;
  /** JSON Pointers into the raw definition, sorted. */
  readonly paths: readonly string[];
  readonly message: string;
  /** How to avoid it. */
  readonly fix: string;
  /** Present if a waiver covers it. Then it is reported and does not fail. */
  readonly waiver?: AppliedWaiver;
}

/** The file of waivers: committed, next to the configuration. */
export const WAIVERS_NAME = "mcp-codegen.waivers.json";

/** An accepted change: its rule, its place, and its values before and after. */
export interface Waiver extends AppliedWaiver {
  /** The rule that finds the change. */
  readonly rule: string;
  readonly server: string;
  /** Absent for a change of the server. */
  readonly tool?: string;
  /**
   * JSON Pointer; of a name in a file, the file as one step. Where no finding has this very path, `*`, `?` and `{a,b}` match
   * within one step, and `**` matches any steps. A waiver with these never covers a security finding.
   */
  readonly path: string;
  /** Set where `path` has such characters and is not a pattern. */
  readonly literal?: true;
  /**
   * The digests of `before` and `after` of the change, as `digestOf` returns them; absent if the change does
   * not have the value.
   */
  readonly digests: { readonly before?: string; readonly after?: string };
}

/** A finding as waivers identify it: a change, or a name in a file. */
export interface Waivable {
  readonly rule: string;
  readonly server: string;
  readonly tool?: string | undefined;
  readonly path: string;
  readonly security: boolean;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** The reason of the waiver that covers a finding, and its last day. */
export interface AppliedWaiver {
  /** The reason for accepting it. */
  readonly reason: string;
  /** The last valid day, such as `2026-12-31`. */
  readonly expires?: string;
}

/**
 * A waiver without effect. `expired`: its last day is over. `void`: its values have changed again. `unused`:
 * there is no such finding.
 */
export interface WaiverNotice {
  readonly state: "expired" | "void" | "unused";
  readonly waiver: Waiver;
}

/** Adds waivers. A new waiver replaces one with the same rule and place. */
export function replaceWaivers(waivers: readonly Waiver[], added: readonly Waiver[]): readonly Waiver[] {
  return [...waivers.filter((waiver) => !added.some((other) => isSamePlace(waiver, other))), ...added];
}

/** Whether a waiver names this very rule and place. */
export function isForSame(waiver: Waiver, { rule, server, tool, path }: Omit<Waivable, "security">): boolean {
  return waiver.rule === rule && waiver.server === server && waiver.tool === tool && waiver.path === path;
}

function isSamePlace(a: Waiver, b: Waiver): boolean {
  return isForSame(a, b) && a.literal === b.literal;
}
