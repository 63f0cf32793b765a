import { groupBy } from "../contract/collections.js";
import type { Diagnostic, DiagnosticCode } from "../contract/diagnostic.js";
import { printable } from "../contract/printable.js";
import { formatNumber } from "./layout.js";

/** `warning`: something does not work. `notice`: all works, with less than the definition says. */
const LEVELS = {
  TOOL_UNUSABLE: "warning",
  TOOL_DUPLICATE: "warning",
  KEYWORD_LOOSENED: "notice",
  SCHEMA_FALLBACK: "notice",
  DEFAULT_NOT_SENT: "notice",
  ENTRY_UNUSABLE: "warning",
  OBSERVATION_STALE: "notice",
  OUTPUT_UNUSED: "notice",
  CONSUMER_BROKEN: "warning",
  SERVER_DEPRECATED: "warning",
} as const satisfies Record<DiagnosticCode, "warning" | "notice">;

export function levelOfNote({ code }: Pick<Diagnostic, "code">): "warning" | "notice" {
  return LEVELS[code];
}

type Notes = readonly [Diagnostic, ...Diagnostic[]];

/** Groups notes of one kind by server, or by the file of a consumer: a large lock has hundreds of one kind. */
export function groupNotes(diagnostics: readonly Diagnostic[]): readonly Notes[] {
  return [...groupBy(diagnostics, ({ code, server, file }) => JSON.stringify([server, code, file])).values()];
}

/** How many notes of a group are shown; `--json` has all of them. */
const SHOWN = 20;

/** Returns a line for each note of a group, without the server. */
export function describeNotes(notes: Notes): readonly string[] {
  const rest = notes.length - SHOWN;
  return [
    ...notes.slice(0, SHOWN).map((note) => {
      const subject = subjectOfNote(note);
      return `${subject === "" ? "" : `${subject}: `}${printable(note.message, 400)}`;
    }),
    ...(rest > 0 ? [`… and ${formatNumber(rest)} more`] : []),
  ];
}

/** The tool of a note and the place in its definition, `get-post at /inputSchema`; empty for the server itself. */
export function subjectOfNote({ code, tool, path }: Diagnostic): string {
  if (code === "SERVER_DEPRECATED" || code === "ENTRY_UNUSABLE") return "";
  const name = tool === "" ? "(a tool without a name)" : printable(tool, 80);
  return `${name}${path === "" ? "" : ` at ${printable(path, 160)}`}`;
}
