import type { Change } from "../contract/change.js";
import { count, formatNumber } from "./count.js";
import type { Note } from "./describe-change.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";
import type { PhpNotes } from "../pipeline/reports.js";

/** How many names of each kind are shown; `--json` has all of them. */
const SHOWN = 10;

/** The place in the user's PHP that defines the changed value. */
export function describePhp({ php, rule }: Change): readonly Note[] {
  if (php === undefined) return [];
  const place = `${printable(php.file)}${php.line === undefined ? "" : `:${php.line}`}`;
  const text = rule === "tool-removed" ? "registered it" : php.isRegistration ? "registers it" : "defines it";
  return [{ quote: place, text }];
}

/**
 * Prints notes about reading PHP: abilities that were not compared or that WordPress would refuse, and placeholders.
 */
export function printPhp(notes: readonly PhpNotes[], paint: Paint): readonly string[] {
  return notes.flatMap(({ server, by, abilities, hidden, others, stub, refused, madeUp }) => [
    `${paint.bold(printable(server))}: ${abilities === 1 ? "1 ability" : `${formatNumber(abilities)} abilities`} read with ${printable(by)}.`,
    ...(hidden === undefined
      ? []
      : [`  not listed as tools, since ${hidden.key} is not true: ${listOf(hidden.abilities)}`]),
    ...(others.length === 0
      ? []
      : [
          `  ${count(others.length, "tool")} not registered by this PHP, and not compared: ${listOf(others)}`,
        ]),
    ...(stub === undefined
      ? []
      : [
          stub.differences.length === 0
            ? `  compared with ${printable(stub.by)}: no differences`
            : paint.yellow(
                `  compared with ${printable(stub.by)}: ${count(stub.differences.length, "difference")}`,
              ),
        ]),
    ...refused.map(({ kind, name, reason, file, line }) =>
      paint.yellow(
        `  WordPress would not register the ${kind} ${printable(JSON.stringify(name), 120)} (${printable(file)}:${line}): ${printable(reason, 300)}`,
      ),
    ),
    ...(madeUp.length === 0
      ? []
      : [paint.dim(`  not defined in this PHP, replaced by placeholders: ${listOf(madeUp)}`)]),
  ]);
}

function listOf(names: readonly string[]): string {
  const rest = names.length - SHOWN;
  const shown = names.slice(0, SHOWN).map((name) => printable(name, 80));
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
