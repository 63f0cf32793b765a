import { canonicalJson, findOwn, type JsonValue } from "./json.js";
import { digestOf, sha256 } from "./digest.js";

/**
 * How bad a change is: a right caller is now wrong (`breaking`), the same call may behave or be routed otherwise
 * (`dangerous`), neither (`safe`), or not provable (`unknown`, never treated as safe).
 */
export type ChangeClass = "breaking" | "dangerous" | "safe" | "unknown";

export type Impact = "wire" | "types" | "behaviour" | "model" | "trust";

/** A part of a text: code units, the end left out. */
export type Span = readonly [from: number, to: number];

/** One difference between what was locked and what a source says now. */
export interface Change {
  /** The rule that found it, such as `tool-removed`. */
  readonly rule: string;
  readonly class: ChangeClass;
  readonly security: boolean;
  readonly server: string;
  /** Which environment of the server says so; absent for its own settings. */
  readonly environment?: string;
  /** Absent when the change is about the server itself. */
  readonly tool?: string;
  /** JSON Pointer (RFC 6901) into the raw definition; empty for the tool or server itself. */
  readonly path: string;
  /** The name of the list item that the path leads to: an argument of a prompt, or a file of a skill. */
  readonly item?: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** Where in `after`, a text, the rule matched. */
  readonly marks?: readonly Span[];
  /** How sure a rule is that guesses, such as `tool-renamed`: from 0 to 1. Absent where the server declared the rename. */
  readonly confidence?: number;
  /** A JSON instance that one side accepts and the other rejects. */
  readonly witness?: JsonValue;
  /** JSON Pointer into the witness: to the value that is rejected, or to the property that is missing or not allowed. */
  readonly witnessAt?: string;
  readonly impacts: readonly Impact[];
  /** Why the class is what it is, where the rule alone does not say: for `unknown`, what could not be proved. */
  readonly reason?: string;
  /** Why somebody took responsibility for it, and until when; such a change fails no check. */
  readonly waiver?: { readonly reason: string; readonly expires?: string };
  /** Where the user's PHP says so; absent for what a server says. */
  readonly php?: PhpSpot;
  /** Twelve hexadecimal digits that the changes of one cause share: people read them as one finding. In reports. */
  readonly cause?: string;
  /** Where the user's own code is hit, by file and line; absent unless it was looked for. */
  readonly callSites?: readonly CallSite[];
}

/** The environment of changes that PHP leads to, where it is compared beside servers. */
export const PHP_ENVIRONMENT = "php";

/** A place in the user's PHP. */
export interface PhpSpot {
  /** Posix, relative to the configuration's folder. */
  readonly file: string;
  /** From 1; absent where only the file is known. */
  readonly line?: number;
  /** The line is that of the registration: which line makes the change is not certain. */
  readonly isRegistration?: true;
}

/** A place in the user's own code that a change hits. */
export interface CallSite {
  /** Posix, relative to the configuration's folder. */
  readonly file: string;
  /** From 1, as is `column`. */
  readonly line: number;
  readonly column: number;
  /** The code there and why it is wrong now: "passes `limit`, removed". May hold text that a server sent. */
  readonly says: string;
  /**
   * `stops-compiling`: against the code that the new definition gives. `unchecked`: it would, and is JavaScript that no
   * compiler looks at. `rejected`: it compiles, and the server no longer takes what is written there.
   * `may-be-rejected`: what is passed there is not known, or the server may ignore it. `names-it`: a file that agents read
   * names it, and no compiler looks at that.
   */
  readonly effect: "stops-compiling" | "unchecked" | "rejected" | "may-be-rejected" | "names-it";
}

export type FailOn = "any" | "dangerous" | "breaking" | "never";

/** The impacts that count for a team: on calls, on code that compiles, on the choices of models, or all of them. */
export type Preset = "wire" | "types" | "model" | "strict";

/** A class that a team may give to a rule. `unknown` cannot be chosen. */
export type RuleClass = Exclude<ChangeClass, "unknown">;

/** What makes a change fail a check. */
export interface CheckPolicy {
  /** The mildest class that fails. */
  readonly failOn: FailOn;
  /** Which impacts count. */
  readonly preset: Preset;
  /** Classes by rule, in place of the rule's own. */
  readonly rules: { readonly [rule: string]: RuleClass };
}

/** A change as a policy judges it. */
export interface JudgedChange extends Change {
  /** Whether the change fails the check, by the threshold of its server. */
  readonly fails: boolean;
  /** Of `before` and `after`: what a waiver of this change is bound to. */
  readonly digests?: { readonly before?: string; readonly after?: string };
  /** Of a security finding: its name, for `pull --accept`. */
  readonly finding?: string;
  /** The class that was found, where the policy gave the rule another. */
  readonly foundClass?: ChangeClass;
}

interface FoundRule {
  readonly rule: string;
  readonly tool?: string | undefined;
  readonly after?: JsonValue | undefined;
}

/** The tools that replaced a tool: its new name, or the parts that it was split into; none for another change. */
export function successorsOf({ rule, after }: FoundRule): readonly string[] {
  if (rule !== "tool-renamed") return [];
  const names: readonly JsonValue[] = Array.isArray(after) ? after : [after ?? null];
  return names.flatMap((name) => (typeof name === "string" ? [name] : []));
}

/** The name that the tool of a change has now. */
export function currentTool(change: FoundRule): string | undefined {
  const [name, ...others] = successorsOf(change);
  return name === undefined || others.length > 0 ? change.tool : name;
}

/** What became of a renamed tool or property, to follow its name: a guess says "perhaps". `print` makes a name safe to show. */
export function describeRenamed(change: Change, print: (name: string) => string): string {
  const { after, confidence } = change;
  const perhaps = confidence === undefined ? "" : "perhaps ";
  if (typeof after === "string") return `${perhaps}renamed to \`${print(after)}\``;
  const names = successorsOf(change).map((name) => `\`${print(name)}\``);
  return names.length === 0 ? `${perhaps}renamed` : `${perhaps}split into ${names.join(", ")}`;
}

/** The rule about a tool whose name another server's tool has. */
export const NAME_TAKEN = "tool-name-taken";

/** The tool of another server whose name a tool has, or nearly has; undefined for a change of another rule. */
export function takenFrom({
  rule,
  after,
}: FoundRule): { readonly server: string; readonly tool: string } | undefined {
  const taken = rule === NAME_TAKEN ? findOwn(after, "shadows") : undefined;
  const [server, tool] = [findOwn(taken, "server"), findOwn(taken, "tool")];
  return typeof server === "string" && typeof tool === "string" ? { server, tool } : undefined;
}

/** The rule for an input schema that no longer accepts additional properties. */
export const CLOSED_INPUT = "input-additional-properties-closed";

/** Rules of drift about keys that a closed output gets. Clients that read outputs as they do by default keep such keys. */
const RULES: ReadonlySet<string> = new Set([
  "output-property-added-to-closed",
  "output-additional-properties-opened",
]);

/** Whether a change only adds keys to answers, and the clients of its server keep them. */
export function isTolerated(change: { readonly rule: string; readonly class: ChangeClass }): boolean {
  return RULES.has(change.rule) && change.class === "dangerous";
}

/** The contract of a server that is locked for the first time. */
export const FIRST_CONTRACT = "1.0.0";

/** Whether a text is a contract version: three numbers, nothing else. */
export function isContractVersion(text: string): boolean {
  return CONTRACT_VERSION.test(text);
}

/** Numbers with more digits could not be counted up. */
export const CONTRACT_VERSION = /^(?:(?:0|[1-9]\d{0,14})\.){2}(?:0|[1-9]\d{0,14})$/;

/**
 * The version of a contract after these changes: major when one is breaking or cannot be proved harmless, minor when
 * callers can do or rely on more than before (safe with an impact on the wire or on types, or keys that a closed output gets
 * and clients keep), patch for everything else that has an impact. Without an impact (a server's own version number) it stays.
 */
export function bumpContract(version: string, changes: readonly Change[]): string {
  const [major = 1, minor = 0, patch = 0] = version.split(".").map(Number);
  if (changes.some((change) => change.class === "breaking" || change.class === "unknown")) {
    return `${major + 1}.0.0`;
  }
  if (changes.some(isAdditive)) return `${major}.${minor + 1}.0`;
  return changes.some((change) => change.impacts.length > 0) ? `${major}.${minor}.${patch + 1}` : version;
}

function isAdditive(change: Change): boolean {
  if (isTolerated(change)) return true;
  return change.class === "safe" && (change.impacts.includes("wire") || change.impacts.includes("types"));
}

/** A text that identifies a tool among all servers. */
export function keyOfTool({ server, tool }: { readonly server: string; readonly tool?: string }): string {
  return JSON.stringify([server, tool]);
}

const LENGTH = 12;
const PATTERN = /^[0-9a-f]{12}$/;

/** Twelve hexadecimal digits that name one finding: its rule, its place and its values before and after. */
export function findingId({ rule, server, tool, path, before, after }: Change): string {
  const digest = (value: JsonValue | undefined): string => (value === undefined ? "" : digestOf(value));
  const identity = [rule, server, tool ?? "", path, digest(before), digest(after)];
  return sha256(canonicalJson(identity)).slice(0, LENGTH);
}

/** Whether a text can be the name of a finding. No rule has such a name. */
export function isFindingId(text: string): boolean {
  return PATTERN.test(text);
}

/** With more findings than this a command would be too long to read. */
const MOST_NAMED = 8;

/** The options of `pull` that accept these findings alone; of many, their rules. The reason is left open. */
export function acceptOptions(findings: readonly Change[]): readonly string[] {
  if (findings.length === 0) return [];
  const ids = [...new Set(findings.map(findingId))];
  const names = ids.length > MOST_NAMED ? [...new Set(findings.map(({ rule }) => rule))] : ids;
  return [...names.map((name) => `--accept ${name}`), '--reason "…"'];
}

/** The result of the search for call sites; the call sites themselves are in their changes. */
export interface ImpactSummary {
  /** The TypeScript projects that were searched: posix, relative to the configuration's folder. */
  readonly projects: readonly string[];
  /** The number of their files that import generated code, directly or indirectly. */
  readonly files: number;
  /** Changed tools that no file of these projects uses. */
  readonly unused: readonly { readonly server: string; readonly tool: string }[];
  /** The reason why call sites could not be found; then nothing is known about them. */
  readonly problem?: string;
}
