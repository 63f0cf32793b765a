/** Where waivers stand: beside the configuration, committed. */
export const WAIVERS_NAME = "mcp-codegen.waivers.json";

/** What somebody took responsibility for: a change by its rule, its place and what it leads from and to. */
export interface Waiver {
  readonly rule: string;
  readonly server: string;
  /** Absent for a change of the server itself. */
  readonly tool?: string;
  /**
   * JSON Pointer. `*` stands for any part of one step, `**` for any steps; such a waiver never covers a security
   * finding.
   */
  readonly path: string;
  /** Of the change's `before` and `after`, as `digestOf` gives them; absent where the change has no such side. */
  readonly digests: { readonly before?: string; readonly after?: string };
  readonly reason: string;
  /** The last day on which it holds, as `2026-12-31`. */
  readonly expires?: string;
}

/**
 * A waiver that waives nothing. `expired`: its day is over. `void`: what it was written for was changed again.
 * `unused`: there is no such finding any more.
 */
export interface WaiverNotice {
  readonly state: "expired" | "void" | "unused";
  readonly waiver: Waiver;
}

/** The waivers with others added; a new one replaces that of the same rule and place. */
export function replaceWaivers(waivers: readonly Waiver[], added: readonly Waiver[]): readonly Waiver[] {
  return [...waivers.filter((waiver) => !added.some((other) => isSamePlace(waiver, other))), ...added];
}

function isSamePlace(a: Waiver, b: Waiver): boolean {
  return a.rule === b.rule && a.server === b.server && a.tool === b.tool && a.path === b.path;
}
