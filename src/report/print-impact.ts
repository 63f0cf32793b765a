import type { CallSite, Change } from "../contract/change.js";
import { count } from "./count.js";
import type { Note } from "./describe-change.js";
import type { Paint } from "./paint.js";
import { printable } from "../contract/printable.js";
import type { ImpactSummary } from "../pipeline/reports.js";

/** How many places are named for one change; `--json` has all of them. */
const SHOWN = 20;

/** The affected places in the user's code: "src/agent.ts:42 passes `limit`, removed". */
export function describeCallSites(callSites: readonly CallSite[]): readonly Note[] {
  const rest = callSites.length - SHOWN;
  return [
    ...callSites.slice(0, SHOWN).map(({ file, line, says, effect }): Note => {
      const note = NOTES[effect];
      return {
        quote: `${printable(file)}:${line}`,
        text: `${printable(says, 300)}${note === "" ? "" : ` (${note})`}`,
      };
    }),
    ...(rest > 0 ? [{ text: `and ${count(rest, "more place")} in your code` }] : []),
  ];
}

/** Added after the description of a place. */
const NOTES = {
  "stops-compiling": "",
  unchecked: "nothing checks it",
  rejected: "it compiles",
  "may-be-rejected": "it compiles",
} as const satisfies Record<CallSite["effect"], string>;

/** Prints a summary of the search: the number of places, unused tools, and what could not be searched. */
export function printImpact(
  impact: ImpactSummary | undefined,
  changes: readonly Change[],
  paint: Paint,
): readonly string[] {
  if (impact === undefined || changes.length === 0) return [];
  const where = impact.projects.map((path) => printable(path)).join(", ");
  if (impact.problem !== undefined)
    return [`${paint.yellow("Call sites were not searched:")} ${printable(impact.problem, 400)}`];
  const sites = changes.flatMap(({ callSites = [] }) => callSites);
  const found = new Set(sites.map(({ file, line }) => `${file}:${line}`)).size;
  const tools = impact.unused.map(({ server, tool }) => `${printable(server)} ${printable(tool, 80)}`);
  return [
    `Your code (${where}): ${count(found, "line")} affected, in ${count(impact.files, "file")} that use generated code.`,
    ...(tools.length === 0 ? [] : [`Changed, but not used in your code: ${tools.join(", ")}.`]),
  ];
}
