import type { Change } from "./change.js";
import type { Diagnostic } from "./diagnostic.js";
import type { FileState, Finding, PhpNotes } from "./finding.js";

/**
 * The lists of a check: changes; what could not be verified; servers over their token budget; recorded calls that the lock
 * contradicts; lines of scripts that do not fit the tools; names of tools in files that agents read, which the lock does
 * not have; what hosts refuse or change; generated files and the lock itself; waivers without effect; notes about tools;
 * what was read from PHP.
 */
export type Section =
  | "changes"
  | "unverified"
  | "budget"
  | "records"
  | "scripts"
  | "names"
  | "hosts"
  | "files"
  | "waivers"
  | "notes"
  | "php";

/** What a check or a comparison found, by section. */
export type Findings = { readonly [S in Section]: readonly (S extends "changes" ? Change : Finding)[] };

export const NO_FINDINGS: Findings = {
  changes: [],
  unverified: [],
  budget: [],
  records: [],
  scripts: [],
  names: [],
  hosts: [],
  files: [],
  waivers: [],
  notes: [],
  php: [],
};

/** The sections, in the order of the rows. */
export const SECTIONS = Object.keys(NO_FINDINGS) as readonly Section[];

/** The rule of what could not be checked, unless a rule says why a list that was read proves nothing. It never counts as "nothing found". */
export const NOT_VERIFIED = "not-verified";

export const SCRIPT_RULE = "script-type-error";

/** The rule of a name in a file that agents read. It finds no change, so it has no class. */
export const MENTION_RULE = "mention-unknown";

/**
 * Whether a finding fails a check, or proves that something was not checked. The findings of most sections have no class, so
 * they fail unless `failOn` is `never`.
 */
export function doesFail(section: Section, finding: Change | Finding, doFilesFail: boolean): boolean {
  switch (section) {
    case "changes":
      return "fails" in finding && finding.fails;
    case "unverified":
    case "budget":
      return true;
    case "records":
    case "scripts":
    case "names":
    case "hosts":
    case "files":
      return doFilesFail && isUnaccepted(finding);
    case "waivers":
    case "notes":
    case "php":
      return false;
    default:
      return section satisfies never;
  }
}

/** Whether a finding is not accepted, and a host does more than alter a tool. */
export function isUnaccepted({ waiver, facts }: Finding): boolean {
  return waiver === undefined && facts?.effect !== "altered";
}

/** A generated file, or the lock, that is out of date. */
export interface StaleFile {
  /** Posix, relative to the output folder; the name of the lockfile when it is out of date. */
  readonly path: string;
  readonly state: FileState;
  readonly reason?: string | undefined;
  /** How to fix it, if no command does. */
  readonly hint?: string | undefined;
}

/** A glob or a folder of the configuration without a file: what it was to verify is not verified. */
export function findingOfUnmatched(key: "scripts" | "cassettes" | "references", text: string): Finding {
  return {
    rule: NOT_VERIFIED,
    server: key,
    message: `No file matches ${JSON.stringify(text)}.`,
    hint: `Correct "${key}" in the configuration, or remove it.`,
  };
}

export function findingOfFile({ path, state, reason, hint }: StaleFile): Finding {
  return { rule: "generated-file-stale", file: path, message: reason, hint, facts: { state } };
}

export function findingOfEdited(file: string): Finding {
  return { rule: "generated-file-edited", file, facts: { state: "edited" } };
}

export function findingOfNote({ code, ...note }: Diagnostic): Finding {
  return { rule: code, ...note };
}

export function findingOfPhp(php: PhpNotes): Finding {
  return { rule: "php", server: php.server, facts: { php } };
}
