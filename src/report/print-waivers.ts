import type { Change } from "../contract/change.js";
import type { WaiverNotice } from "../contract/waivers.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";

const SAYS = {
  expired: "has expired, so its finding fails again",
  void: "waives nothing: its finding was changed again",
  unused: "matches nothing here; remove it if no other check needs it, such as check --against",
} as const satisfies Record<WaiverNotice["state"], string>;

/** Prints the waivers without effect, a line each. */
export function printWaivers(notices: readonly WaiverNotice[], paint: Paint): readonly string[] {
  if (notices.length === 0) return [];
  return [paint.bold("Waivers:"), ...notices.map((notice) => paint.yellow(`  ${describeNotice(notice)}`))];
}

/** Describes a waiver and its problem. */
export function describeNotice({ state, waiver }: WaiverNotice): string {
  const { rule, server, tool = "(the server itself)", path, expires } = waiver;
  const place = [server, tool, ...(path === "" ? [] : [path])].map((part) => printable(part)).join(" ");
  const until = expires === undefined ? "" : `, until ${expires},`;
  return `The waiver of ${printable(rule)} for ${place}${until} ${SAYS[state]}.`;
}

/** The reason of a waiver, and its expiry date. */
export function describeWaiver({ reason, expires }: NonNullable<Change["waiver"]>): string {
  return `waived${expires === undefined ? "" : ` until ${expires}`}: ${printable(reason, 120)}`;
}
