import type { Change, ChangeClass } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import type { Paint } from "./paint.js";
import { printCallSites } from "./print-impact.js";
import { printable } from "./printable.js";

const COLOUR_OF = {
  breaking: "red",
  dangerous: "yellow",
  unknown: "yellow",
  safe: "green",
} as const satisfies Record<ChangeClass, keyof Paint>;

/** One line for each change: what happened, to which tool, where, from what to what, and how bad it is. */
export function printChanges(
  changes: readonly (Change & { readonly explanation?: string })[],
  { paint }: { readonly paint: Paint },
): readonly string[] {
  return changes.flatMap((change) => [
    `  ${printChange(change, paint)}`,
    ...(change.explanation === undefined ? [] : [`    ${paint.dim(change.explanation)}`]),
    ...printCallSites(change, paint).map((line) => `    ${line}`),
  ]);
}

function printChange(change: Change, paint: Paint): string {
  const sign = signOf(change);
  const subject = [
    change.tool === undefined ? "(server)" : printable(change.tool, 80),
    ...(change.path === "" ? [] : [`at ${printable(change.path, 160)}`]),
  ].join(" ");
  const values = printValues(change);
  const classes = [change.class, ...(change.security ? ["security"] : [])].join(", ");
  const text = `${sign} ${subject}${values === "" ? "" : `: ${values}`}`;
  return `${paint[COLOUR_OF[change.class]](text)} ${paint.dim(`[${change.rule}: ${classes}]`)}`;
}

function signOf(change: Change): "+" | "-" | "~" {
  if (change.rule === "tool-added") return "+";
  if (change.rule === "tool-removed") return "-";
  if (change.before === undefined && change.after !== undefined) return "+";
  if (change.before !== undefined && change.after === undefined) return "-";
  return "~";
}

function printValues({ rule, before, after }: Change): string {
  // The whole definition of a tool that came or went says less than its name.
  if (rule === "tool-added" || rule === "tool-removed") return "";
  if (before !== undefined && after !== undefined) return `${printValue(before)} → ${printValue(after)}`;
  const value = before ?? after;
  return value === undefined ? "" : printValue(value);
}

function printValue(value: JsonValue): string {
  return printable(JSON.stringify(value), 120);
}
