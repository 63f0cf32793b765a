import type { Diagnostic } from "../contract/diagnostic.js";
import { formatNumber } from "./count.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";

/** How many diagnostics of each code are shown; `--json` has all of them. */
const SHOWN = 20;

/** Prints the diagnostics, grouped by code and limited, so that other sections stay visible. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], paint: Paint): readonly string[] {
  const codes = [...new Set(diagnostics.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const those = diagnostics.filter((diagnostic) => diagnostic.code === code);
    const rest = those.length - SHOWN;
    return [
      ...those.slice(0, SHOWN).map((diagnostic) => printDiagnostic(diagnostic, paint)),
      ...(rest > 0 ? [paint.dim(`  … and ${formatNumber(rest)} more ${code}: "--json" lists them all`)] : []),
    ];
  });
}

function printDiagnostic(diagnostic: Diagnostic, paint: Paint): string {
  const tool = diagnostic.tool === "" ? "(a tool without a name)" : printable(diagnostic.tool, 80);
  const at = diagnostic.path === "" ? "" : ` at ${printable(diagnostic.path, 160)}`;
  const place = diagnostic.code === "SERVER_DEPRECATED" ? "" : ` ${tool}${at}`;
  const head = paint.yellow(`note: ${diagnostic.server}${place}:`);
  return `${head} ${printable(diagnostic.message, 400)} ${paint.dim(`[${diagnostic.code}]`)}`;
}
