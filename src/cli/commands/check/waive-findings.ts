import type { LoadedConfig } from "../../../config/load-config.js";
import type { Change } from "../../../core/change.js";
import type { McpCodegenError } from "../../../core/errors.js";
import {
  type HostFinding,
  MENTION_RULE,
  type MentionFinding,
  placeOfMention,
  type Waivable,
  type Waiver,
  WAIVERS_NAME,
} from "../../../core/findings.js";
import { printable } from "../../../core/printable.js";
import { count } from "../../../report/layout.js";
import { usageError } from "../../command-spec.js";
import { type Context, today } from "../../context.js";
import type { OptionValues } from "../../options.js";
import { hasWords } from "../../print-text.js";
import type { CHECK_FLAGS } from "./spec.js";

type WaiveOptions = OptionValues<typeof CHECK_FLAGS>;

/** The findings to waive: those of a rule, or of a rule in one tool. */
export interface WaiveRequest {
  readonly rule: string;
  readonly tool?: string | undefined;
  readonly reason: string;
  readonly expires: string;
}

/**
 * Reads `--waive`, `--until` and `--reason`. Returns undefined without them.
 *
 * @throws McpCodegenError `USAGE` with every missing or invalid option
 */
export async function readWaiveRequest(options: WaiveOptions): Promise<WaiveRequest | undefined> {
  const { waive = [], until, reason } = options;
  const [rule, tool, ...others] = waive;
  if (rule === undefined) {
    if (until === undefined && reason === undefined) return undefined;
    throw usageError("--until and --reason require --waive.", "Add --waive <rule> [tool].");
  }
  const problems = await findProblems(options, rule, others);
  if (problems.length > 0 || until === undefined || reason === undefined) throw usageOf(problems);
  return { rule, tool, reason, expires: until };
}

function usageOf(problems: readonly Problem[]): McpCodegenError {
  const [first, ...others] = problems;
  const example = `For example: npx mcp-codegen check ${EXAMPLE}.`;
  const hint = first !== undefined && others.length === 0 ? first.hint : example;
  return usageError(problems.map(({ message }) => message).join("\n"), hint);
}

const EXAMPLE =
  '--waive tool-removed get-post --until 2027-06-30 --reason "No client calls get-post any more"';

interface Problem {
  readonly message: string;
  readonly hint: string;
}

async function findProblems(
  { until, reason }: WaiveOptions,
  rule: string,
  others: readonly string[],
): Promise<readonly Problem[]> {
  const [{ ALL_RULES }, { HOST_RULES }, { nearestName }] = await Promise.all([
    import("../../../drift/rules.js"),
    import("../../../core/hosts/host-rules.js"),
    import("../../../core/words/words.js"),
  ]);
  const known = [...ALL_RULES.keys(), ...Object.keys(HOST_RULES), MENTION_RULE];
  const nearest = known.includes(rule) ? undefined : nearestName(rule, known);
  const problems: readonly (Problem | false)[] = [
    !known.includes(rule) && {
      message: `--waive: unknown rule ${JSON.stringify(rule)}.${nearest === undefined ? "" : ` Did you mean "${nearest}"?`}`,
      hint: 'Run "npx mcp-codegen rules" to list the rules.',
    },
    others.length > 0 && {
      message: "--waive takes one rule and at most one tool.",
      hint: "Write the names of servers before --waive.",
    },
    (until === undefined || !isDay(until)) && {
      message:
        until === undefined
          ? "--waive requires --until."
          : `--until takes a date, not ${JSON.stringify(until)}.`,
      hint: "For example: --until 2027-06-30.",
    },
    until !== undefined &&
      isDay(until) &&
      until < today() && { message: `--until ${until} is in the past.`, hint: `Today is ${today()}.` },
    (reason === undefined || !hasWords(reason)) && {
      message: "--waive requires --reason.",
      hint: `The reason is saved in ${WAIVERS_NAME}.`,
    },
  ];
  return problems.filter((problem) => problem !== false);
}

interface Found {
  readonly changes: readonly Change[];
  readonly mentions: readonly MentionFinding[];
  readonly hosts: readonly HostFinding[];
}

/**
 * Writes a waiver for each finding of the request, and returns the findings with these marked as waived.
 *
 * @throws McpCodegenError `USAGE` if there is no such finding
 */
export async function waiveRequested(
  context: Context,
  loaded: LoadedConfig,
  { changes, mentions, hosts }: Found,
  { rule, tool, reason, expires }: WaiveRequest,
): Promise<Found> {
  const { placeOfHostFinding } = await import("../../../core/hosts/find-host-findings.js");
  const isRequested = (finding: Change | MentionFinding | HostFinding): boolean =>
    finding.rule === rule && finding.waiver === undefined && (tool === undefined || finding.tool === tool);
  const found: readonly Waivable[] = [
    ...changes.filter(isRequested),
    ...mentions.filter(isRequested).map(placeOfMention),
    ...hosts.filter(isRequested).map(placeOfHostFinding),
  ];
  if (found.length === 0) {
    const where = tool === undefined ? "" : ` in tool "${tool}"`;
    const hint =
      rule === MENTION_RULE && mentions.length > 0
        ? `Unknown names of this check: ${[...new Set(mentions.map((one) => printable(one.tool, 80)))].join(", ")}.`
        : `Findings of this check: ${listRules([...changes, ...mentions, ...hosts])}. To waive the changes of a branch, add --against <git-ref>.`;
    throw usageError(`--waive: no open finding of rule "${rule}"${where}.`, hint);
  }
  const [
    { placesOf },
    { readWaivers, writeWaivers },
    { waiverFor },
    { replaceWaivers },
    { withoutKeptVersions },
    { readLockfile },
  ] = await Promise.all([
    import("../../../pipeline/places.js"),
    import("../../../files/project-records.js"),
    import("../../../drift/apply-policy.js"),
    import("../../../core/findings.js"),
    import("../../../pipeline/check/waive-findings.js"),
    import("../../../files/lockfile-on-disk.js"),
  ]);
  const places = placesOf(loaded);
  const path = places.waivers;
  const waivers = found.map((finding): Waiver => ({ ...waiverFor(finding, reason), expires }));
  // A file may have a name several times.
  const added = [...new Map(waivers.map((waiver) => [JSON.stringify(waiver), waiver])).values()];
  await writeWaivers(path, replaceWaivers(await readWaivers(path), added));
  context.print([
    `${WAIVERS_NAME}: ${count(added.length, "waiver")} written, until ${expires}.`,
    ...added.map(
      (waiver) => `  ${waiver.rule} ${printable([waiver.server, waiver.tool, waiver.path].join(" "), 200)}`,
    ),
  ]);
  const mark = <T extends Change | MentionFinding | HostFinding>(finding: T): T =>
    isRequested(finding) ? { ...finding, waiver: { reason, expires } } : finding;
  const lock = await readLockfile(places.lock);
  return {
    changes: withoutKeptVersions(lock, changes.map(mark)),
    mentions: mentions.map(mark),
    hosts: hosts.map(mark),
  };
}

function listRules(findings: readonly (Change | MentionFinding | HostFinding)[]): string {
  const rules = new Set(findings.filter(({ waiver }) => waiver === undefined).map(({ rule }) => rule));
  return rules.size === 0 ? "none" : [...rules].join(", ");
}

/**
 * Whether a text is a date. JavaScript parses February 30 as a day in March, so the parsed date is compared with the
 * text.
 */
function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}
