/** The words for a report's entries and for the notes of its changes. All of them are printable, and on one line. */
import type { CallSite, Change } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import type { AppliedWaiver, Finding, PhpNotes, WaiverState } from "../core/finding.js";
import { formatNumber, printable } from "../core/printable.js";
import { nameSubject } from "./describe-edit.js";
import { count, firstOf, joinFirst, type Paint, present, quoteForShell } from "./layout.js";

/** A line of text, optionally preceded by a quotation. */
export interface Note {
  readonly quote?: string | undefined;
  readonly text: string;
}

/** A note as plain text. */
export function joinNote({ quote, text }: Note): string {
  return present(quote, text).join(" ");
}

/** How many places are named for one finding; `--json` has all of them. */
const MOST_NAMED = 20;

/** The affected places in the user's code: "src/agent.ts:42 passes `limit`, removed". */
export function describeCallSites(callSites: readonly CallSite[]): readonly Note[] {
  return firstOf(callSites.map(describeCallSite), MOST_NAMED, (rest) => ({
    text: `and ${count(rest, "more place")} in your code`,
  }));
}

/** `src/app.ts:3`, and what the line does. Both are printable. */
export function describeCallSite({ file, line, says, effect }: CallSite): {
  readonly quote: string;
  readonly text: string;
} {
  const note = NOTES[effect];
  const text = `${printable(says, 300)}${note === "" ? "" : ` (${note})`}`;
  return { quote: `${printable(file)}:${line}`, text };
}

const NOTES = {
  "stops-compiling": "",
  unchecked: "nothing checks it",
  rejected: "it compiles",
  "may-be-rejected": "it compiles",
  "names-it": "",
} as const satisfies Record<CallSite["effect"], string>;

const SHOWN_NAMES = 10;

/** The place in the user's PHP that defines the changed value, or that removes it. */
export function describePhp({ php, rule }: Change): readonly Note[] {
  if (php === undefined) return [];
  const place = `${printable(php.file)}${php.line === undefined ? "" : `:${php.line}`}`;
  const removal = php.line === undefined ? "registered it" : "decides it";
  const text = php.isRegistration ? "registers it" : rule === "tool-removed" ? removal : "defines it";
  return [{ quote: place, text }];
}

/** Prints how much was read from PHP, and notes about it. */
export function printPhp(findings: readonly Finding[], paint: Paint): readonly string[] {
  const readings = findings.flatMap(({ facts }) => facts?.php ?? []);
  return readings.flatMap((reading) => [
    `${paint.bold(printable(reading.server))}: ${describeReading(reading)}`,
    ...listNotesOfReading(reading).map(({ text, colour }) => {
      const line = `  ${text}`;
      return colour === undefined ? line : paint[colour](line);
    }),
  ]);
}

export function describeReading({ abilities, by }: PhpNotes): string {
  const amount = abilities === 1 ? "1 ability" : `${formatNumber(abilities)} abilities`;
  return `${amount} read with ${printable(by)}.`;
}

/** Abilities that were not compared or that WordPress would refuse, and what is good to know. */
export function listNotesOfReading({
  hidden,
  others,
  refused,
  notes: facts,
}: PhpNotes): readonly { readonly text: string; readonly colour?: "yellow" | "dim" }[] {
  const notes = [
    hidden && { text: `not listed as tools, since ${hidden.key} is not true: ${listOf(hidden.abilities)}` },
    others.length > 0 && {
      text: `${count(others.length, "tool")} not registered by this PHP, and not compared: ${listOf(others)}`,
    },
    ...describeRefusals(refused).map((text) => ({ text, colour: "yellow" as const })),
    ...facts.map((note) => ({ text: printable(note, 300), colour: "dim" as const })),
  ];
  return notes.filter((note) => note !== undefined && note !== false);
}

/** Says what WordPress refuses to register, once for each reason. */
export function describeRefusals(refused: PhpNotes["refused"]): readonly string[] {
  const groups = groupBy(refused, ({ kind, reason }) => JSON.stringify([kind, reason]));
  return Array.from(groups.values(), ([first, ...others]) => {
    const { kind, reason } = first;
    const names = [first, ...others].map(
      ({ name, file, line }) => `${printable(JSON.stringify(name), 120)} (${printable(file)}:${line})`,
    );
    const what = others.length === 0 ? kind : PLURALS[kind];
    return `WordPress would not register the ${what} ${joinFirst(names, SHOWN_NAMES)}: ${printable(reason, 300)}`;
  });
}

const PLURALS = { ability: "abilities", category: "categories" } as const;

function listOf(names: readonly string[]): string {
  return joinFirst(
    names.map((name) => printable(name, 80)),
    SHOWN_NAMES,
  );
}

/** Returns one line with the tool and the problem of a recorded call, a name, or a line of a script. */
export function describeInFile(finding: Finding): string {
  const { server, tool, environment, message = "", waiver, facts: { calls, of } = {} } = finding;
  const says = `${printable(message, 700)}${waiver === undefined ? "" : ` (${describeWaiver(waiver)})`}`;
  const place = environment === undefined ? "" : ` in ${printable(environment, 80)}`;
  if (calls === undefined) return `${of === "server" ? `With the current tools${place}: ` : ""}${says}`;
  const subject = server !== undefined && tool !== undefined && printable(`${server} ${tool}`, 160);
  const lead = present(subject, calls > 1 && count(calls, "call")).join(", ");
  return present(lead, says).join(": ");
}

/** Returns one line with the cost of a server's tools, the budget, and the most expensive tools. */
export function describeExcess({ facts = {} }: Finding): string {
  const { of, tokens = 0, budget = 0, isEstimate = false, largest = [] } = facts;
  const whose = of === "lock" ? "The locked tools" : "The server's current tools";
  const most = largest.map((tool) => `${printable(tool.tool, 80)} ${formatNumber(tool.tokens)}`).join(", ");
  return (
    `${whose} cost ${isEstimate ? "about " : ""}${formatNumber(tokens)} tokens, and check.tokenBudget is ${formatNumber(budget)}. ` +
    `Largest: ${most}. Exclude tools with tools.exclude, or raise the budget.`
  );
}

const SAYS: Readonly<Record<string, string>> = {
  expired: "has expired, so its finding fails again",
  void: "waives nothing: its finding was changed again",
  unused: "is not used",
} satisfies Record<WaiverState, string>;

/** Describes a waiver and its problem. */
export function describeNotice({ rule, server, tool, path, waiver, facts }: Finding): string {
  const place = [
    printable(server ?? ""),
    nameSubject({ tool, path }),
    ...present(path).map((part) => printable(part)),
  ].join(" ");
  const until = waiver?.expires === undefined ? "" : `, until ${waiver.expires},`;
  return `The waiver of ${printable(rule)} for ${place}${until} ${SAYS[facts?.state ?? ""] ?? ""}.`;
}

/** Says with which command to remove the waiver of a notice. */
export function describeUnwaiving({ rule, server, tool, path }: Finding): string {
  const words = present(server, "--unwaive", rule, tool, tool !== undefined && path);
  return `To remove it: ${printable(["npx mcp-codegen check", ...words.map(quoteForShell)].join(" "), 1_000)}`;
}

/** The reason of a waiver, and its expiry date. */
export function describeWaiver({ reason, expires }: AppliedWaiver): string {
  return `waived${expires === undefined ? "" : ` until ${expires}`}: ${printable(reason, 120)}`;
}

/** The tool of a note and the place in its definition, `get-post at /inputSchema`; empty for a note about no tool. */
export function subjectOfNote({ rule, tool = "", path = "" }: Finding): string {
  if (/^(?:SERVER_|ENTRY_UNUSABLE$|POLICY_)/.test(rule)) return "";
  const name = tool === "" ? "(a tool without a name)" : printable(tool, 80);
  return `${name}${path === "" ? "" : ` at ${printable(path, 160)}`}`;
}
