import type { Change } from "./change.js";

/** The file of waivers: committed, next to the configuration. */
export const WAIVERS_NAME = "mcp-codegen.waivers.json";

/** An accepted change: its rule, its place, and its values before and after. */
export interface Waiver {
  readonly rule: string;
  readonly server: string;
  /** Absent for a change of the server. */
  readonly tool?: string;
  /**
   * JSON Pointer; of a name in a file, the file as one step. `*` matches a part of one step, `**` any steps. A waiver with these never covers a security
   * finding.
   */
  readonly path: string;
  /**
   * The digests of `before` and `after` of the change, as `digestOf` returns them; absent if the change does
   * not have the value.
   */
  readonly digests: { readonly before?: string; readonly after?: string };
  readonly reason: string;
  /** The last valid day, such as `2026-12-31`. */
  readonly expires?: string;
}

/** A finding as waivers identify it: a change, or a name in a file. */
export type Waivable = Pick<Change, "rule" | "server" | "tool" | "path" | "security" | "before" | "after">;

/** The reason of the waiver that covers a finding, and its last day. */
export type AppliedWaiver = Pick<Waiver, "reason" | "expires">;

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

function isSamePlace(a: Waiver, b: Waiver): boolean {
  return a.rule === b.rule && a.server === b.server && a.tool === b.tool && a.path === b.path;
}
