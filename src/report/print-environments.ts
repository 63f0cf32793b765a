import { PHP_ENVIRONMENT } from "../contract/change.js";
import type { EnvironmentState, EnvironmentTable } from "./environment-table.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";

const SHOWN = 50;

const COLOUR_OF = {
  "as-locked": "green",
  missing: "red",
  "not-locked": "yellow",
  breaking: "red",
  dangerous: "yellow",
  unknown: "yellow",
  safe: "green",
  unverified: "yellow",
} as const satisfies Record<EnvironmentState, keyof Paint>;

/** Prints a line for each tool that differs in some environment, with a column for each environment. */
export function printEnvironments(tables: readonly EnvironmentTable[], paint: Paint): readonly string[] {
  return tables.filter(({ rows }) => rows.length > 0).flatMap((table) => printTable(table, paint));
}

function printTable({ server, environments, rows }: EnvironmentTable, paint: Paint): readonly string[] {
  const heads = environments.map(nameOf);
  const hasPhp = environments.includes(PHP_ENVIRONMENT);
  const names = rows.slice(0, SHOWN).map(({ tool }) => printable(tool ?? "(server)", 60));
  const widths = heads.map((head) => Math.max(head.length, 10));
  const first = Math.max(...names.map((name) => name.length));
  const line = (name: string, cells: readonly string[]): string =>
    `  ${[name.padEnd(first), ...cells].join("  ")}`.trimEnd();
  const rest = rows.length - SHOWN;
  return [
    `${paint.bold(printable(server))} by environment:`,
    paint.dim(line("", [...pad(heads, widths), ...(hasPhp ? ["behind PHP"] : [])])),
    ...rows.slice(0, SHOWN).map(({ states, behind = [] }, index) => {
      const cells = pad(states.map(wordsOf), widths);
      const painted = states.map((state, column) => paint[COLOUR_OF[state]](cells[column] ?? ""));
      return line(names[index] ?? "", [...painted, ...(hasPhp ? [printBehind(behind)] : [])]);
    }),
    ...(rest > 0 ? [paint.dim(`  … and ${rest} more: "--json" lists them all`)] : []),
  ];
}

/** The name of an environment in a table. */
export function nameOf(environment: string | null): string {
  if (environment === PHP_ENVIRONMENT) return "PHP";
  return printable(environment ?? "(own settings)", 40);
}

/** The places whose definition differs from PHP. */
export function printBehind(behind: readonly (string | null)[]): string {
  return behind.length === 0 ? "none" : behind.map(nameOf).join(", ");
}

function pad(cells: readonly string[], widths: readonly number[]): readonly string[] {
  return cells.map((cell, index) => cell.padEnd(widths[index] ?? 0));
}

export function wordsOf(state: EnvironmentState): string {
  return state.replace("-", " ");
}
