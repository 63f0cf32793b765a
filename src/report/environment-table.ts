import { canonicalJson, byCodeUnit } from "../core/json.js";
import { groupBy } from "../core/collections.js";
import { type Change, type ChangeClass, PHP_ENVIRONMENT } from "../core/change.js";
import { successorsOf } from "../core/rename.js";
import { printable } from "../core/printable.js";
import type { CheckReport } from "../pipeline/check/check-report.js";
import { CLASSES_WORST_FIRST } from "./fold-changes.js";
import { COLOUR_OF_CLASS, firstOf, type Paint } from "./layout.js";

/**
 * The state of a tool in an environment: the locked definition, missing, not locked, different (given as the worst
 * class among its changes), or unverified.
 */
type EnvironmentState = "as-locked" | "missing" | "not-locked" | ChangeClass | "unverified";

/** A server's environments side by side. */
export interface EnvironmentTable {
  readonly server: string;
  /** Null for the server's own settings, which come first. */
  readonly environments: readonly (string | null)[];
  /** The tools that differ from the lock in some environment, by name; the server itself first. */
  readonly rows: readonly EnvironmentRow[];
}

interface EnvironmentRow {
  /** Null for the server itself. */
  readonly tool: string | null;
  /** One for each environment, in the same order. */
  readonly states: readonly EnvironmentState[];
  /**
   * Where PHP was read as well: the places that differ from PHP. `lock`, or the names of environments; null is the
   * server's own settings.
   */
  readonly behind?: readonly (string | null)[];
}

/** The name of the lock among the places that are behind. */
const LOCK = "lock";

/** One table for each server with several checked environments. */
export function environmentTables({
  changes,
  unverified,
  checked,
}: CheckReport): readonly EnvironmentTable[] {
  return [...groupBy(checked.environments ?? [], ({ server }) => server)].flatMap(([server, places]) => {
    const environments = places.map(({ environment }) => environment);
    if (environments.length < 2) return [];
    const theirs = changes.filter((change) => change.server === server);
    const tools = new Set(theirs.flatMap((change) => [change.tool ?? null, ...successorsOf(change)]));
    const isVerified = (environment: string | undefined): boolean =>
      !unverified.some((failed) => failed.server === server && failed.environment === environment);
    const verified = environments.filter(isVerified);
    const rows = [...tools].sort(serverFirst).map((tool): EnvironmentRow => {
      const behind = environments.includes(PHP_ENVIRONMENT) && { behind: findBehind(tool, theirs, verified) };
      const states = environments.map((environment) => {
        const ofEnvironment = theirs.filter((change) => change.environment === environment);
        return isVerified(environment) ? stateOf(tool, ofEnvironment) : "unverified";
      });
      return { tool, ...behind, states };
    });
    return [{ server, environments: environments.map((environment) => environment ?? null), rows }];
  });
}

function stateOf(name: string | null, all: readonly Change[]): EnvironmentState {
  const changes = all.filter(({ tool }) => (tool ?? null) === name);
  if (changes.some(({ rule }) => rule === "tool-removed" || rule === "tool-renamed")) return "missing";
  const isNew = changes.some(({ rule }) => rule === "tool-added");
  if (isNew || all.some((change) => successorsOf(change).some((other) => other === name)))
    return "not-locked";
  return CLASSES_WORST_FIRST.find((each) => changes.some((change) => change.class === each)) ?? "as-locked";
}

/** The places whose definition of a tool differs from PHP; empty where PHP could not be read. */
function findBehind(
  name: string | null,
  changes: readonly Change[],
  environments: readonly (string | undefined)[],
): readonly (string | null)[] {
  if (!environments.includes(PHP_ENVIRONMENT)) return [];
  // Two places are equal if the same changes lead from the lock to both.
  const wayTo = (environment: string | undefined): string =>
    changes
      .filter((change) => change.environment === environment && (change.tool ?? null) === name)
      .map(({ rule, path, before = null, after = null }) => canonicalJson([rule, path, before, after]))
      .sort()
      .join("\n");
  const source = wayTo(PHP_ENVIRONMENT);
  const behind = environments.filter((environment) => wayTo(environment) !== source);
  return [...(source === "" ? [] : [LOCK]), ...behind.map((environment) => environment ?? null)];
}

function serverFirst(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return byCodeUnit(a, b);
}

const SHOWN = 50;

const COLOUR_OF = {
  "as-locked": "green",
  missing: "red",
  "not-locked": "yellow",
  ...COLOUR_OF_CLASS,
} as const satisfies Record<EnvironmentState, keyof Paint>;

/** Prints a line for each tool that differs in some environment, with a column for each environment. */
export function printEnvironments(tables: readonly EnvironmentTable[], paint: Paint): readonly string[] {
  return tables.filter(({ rows }) => rows.length > 0).flatMap((table) => printTable(table, paint));
}

function printTable({ server, environments, rows }: EnvironmentTable, paint: Paint): readonly string[] {
  const heads = environments.map(nameEnvironment);
  const hasPhp = environments.includes(PHP_ENVIRONMENT);
  const names = rows.slice(0, SHOWN).map(({ tool }) => printable(tool ?? "(server)", 60));
  const pad = (cell: string, at: number): string => cell.padEnd(Math.max(heads[at]?.length ?? 0, 10));
  const first = Math.max(...names.map((name) => name.length));
  const line = (name: string, cells: readonly string[]): string =>
    `  ${[name.padEnd(first), ...cells].join("  ")}`.trimEnd();
  const printed = rows.map(({ states, behind = [] }, index) => {
    const painted = states.map((state, at) => paint[COLOUR_OF[state]](pad(wordsOf(state), at)));
    return line(names[index] ?? "", [...painted, ...(hasPhp ? [printBehind(behind)] : [])]);
  });
  return [
    `${paint.bold(printable(server))} by environment:`,
    paint.dim(line("", [...heads.map(pad), ...(hasPhp ? ["behind PHP"] : [])])),
    ...firstOf(printed, SHOWN, (rest) => paint.dim(`  … and ${rest} more: "--json" lists them all`)),
  ];
}

/** The name of an environment in a table. */
export function nameEnvironment(environment: string | null): string {
  if (environment === PHP_ENVIRONMENT) return "PHP";
  return printable(environment ?? "(own settings)", 40);
}

/** The places whose definition differs from PHP. */
export function printBehind(behind: readonly (string | null)[]): string {
  return behind.length === 0 ? "none" : behind.map(nameEnvironment).join(", ");
}

export function wordsOf(state: EnvironmentState): string {
  return state.replace("-", " ");
}
