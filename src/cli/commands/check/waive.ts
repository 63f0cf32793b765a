/** `check --waive` and `--unwaive`: write and remove waivers for findings of the check. */
import type { Finding } from "../../../core/finding.js";
import { MENTION_RULE } from "../../../core/findings.js";
import { HOST_RULES } from "../../../core/hosts/host-rules.js";
import { printable } from "../../../core/printable.js";
import { isForSame, replaceWaivers, type Waiver, waiverFor, WAIVERS_NAME } from "../../../core/waivers.js";
import { nearestName } from "../../../core/nearest-name.js";
import { adviseOnRule, ALL_RULES } from "../../../drift/rules.js";
import type { CheckReport } from "../../../pipeline/check/check-report.js";
import { withoutKeptVersions } from "../../../pipeline/check/waive-findings.js";
import type { Project } from "../../../project/project.js";
import { count, present } from "../../../report/layout.js";
import { usageError } from "../../command-spec.js";
import { type Context, today } from "../../context.js";
import type { OptionValues } from "../../options.js";
import { hasWords } from "../../print-text.js";
import type { CHECK_FLAGS } from "./spec.js";

type WaiveCommandOptions = Pick<OptionValues<typeof CHECK_FLAGS>, "waive" | "until" | "reason">;

type Waivable = Pick<CheckReport, "changes" | "names" | "hosts" | "waivers">;

/** Writes waivers for findings of a check, and returns its findings with these marked as waived. Throws `USAGE` without any. */
export type Waive = (project: Project, findings: Waivable) => Promise<Waivable>;

/**
 * Reads `--waive`, `--until` and `--reason`. Returns undefined without them.
 *
 * @param check the options of the check that say what is compared
 * @throws McpCodegenError `USAGE` with every missing or invalid option
 */
export function readWaive(context: Context, options: WaiveCommandOptions, check: string): Waive | undefined {
  const request = readWaiveRequest(options);
  return (
    request && ((project, findings) => waiveRequested(context, project, findings, { ...request, check }))
  );
}

/** The findings to waive: those of a rule, or of a rule in one tool. */
interface WaiveRequest {
  readonly rule: string;
  readonly tool?: string | undefined;
  readonly reason: string;
  readonly expires: string;
}

function readWaiveRequest({
  waive: [rule, tool, ...others] = [],
  until = "",
  reason = "",
}: WaiveCommandOptions): WaiveRequest | undefined {
  if (rule === undefined) {
    if (until === "" && reason === "") return undefined;
    throw usageError("--until and --reason require --waive.", "Add --waive <rule> [tool].");
  }
  const ids = [...ALL_RULES.keys(), ...Object.keys(HOST_RULES), MENTION_RULE];
  const nearest = ids.includes(rule) ? undefined : nearestName(rule, ids);
  const meant = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const date =
    until === "" ? "--waive requires --until." : `--until takes a date, not ${JSON.stringify(until)}.`;
  const checks: readonly (readonly [isWrong: boolean, message: string, hint: string])[] = [
    [
      !ids.includes(rule),
      `--waive: unknown rule ${JSON.stringify(rule)}${adviseOnRule(rule)}.${meant}`,
      'Run "npx mcp-codegen explain" to list the rules.',
    ],
    [
      others.length > 0,
      "--waive takes one rule and at most one tool.",
      "Write the names of servers before --waive.",
    ],
    [!isDay(until), date, "For example: --until 2027-06-30."],
    [isDay(until) && until < today(), `--until ${until} is in the past.`, `Today is ${today()}.`],
    [
      !hasWords(reason),
      reason === "" ? "--waive requires --reason." : `--reason contains no words: ${JSON.stringify(reason)}.`,
      `The reason is saved in ${WAIVERS_NAME}.`,
    ],
  ];
  const problems = checks.filter(([isWrong]) => isWrong);
  const [first, ...more] = problems;
  if (first === undefined) return { rule, tool, reason, expires: until };
  const messages = problems.map(([, message]) => message).join("\n");
  throw usageError(messages, more.length === 0 ? first[2] : EXAMPLE);
}

const EXAMPLE =
  'For example: npx mcp-codegen check --waive tool-removed get-post --until 2027-06-30 --reason "No client calls get-post any more".';

async function waiveRequested(
  context: Context,
  project: Project,
  { changes, names, hosts, waivers: notices }: Waivable,
  { rule, tool, reason, expires, check }: WaiveRequest & { readonly check: string },
): Promise<Waivable> {
  const isOpen = (finding: Finding): boolean => finding.rule === rule && finding.waiver === undefined;
  const isRequested = (finding: Finding): boolean =>
    isOpen(finding) && (tool === undefined || finding.tool === tool);
  const all: readonly Finding[] = [...changes, ...names, ...hosts];
  const requested = all.filter(isRequested);
  if (requested.length === 0) {
    const tools = all.flatMap((finding) => (isOpen(finding) ? (finding.tool ?? []) : []));
    const near = tool === undefined ? undefined : nearestName(tool, tools);
    const meant = near === undefined ? "" : ` Did you mean ${JSON.stringify(printable(near, 80))}?`;
    const where = tool === undefined ? "" : ` in tool ${JSON.stringify(tool)}`;
    const hint =
      tools.length > 0
        ? `Tools with such a finding: ${[...new Set(tools.map((name) => printable(name, 80)))].join(", ")}.`
        : `Findings of this check: ${listRules(all)}. To waive the changes of a branch, add --against <git-ref>.`;
    throw usageError(`--waive: no open finding of rule "${rule}"${where}.${meant}`, hint);
  }
  const waivers = requested.map((finding): Waiver => ({
    ...waiverFor(finding, reason),
    // Names and hosts are the same in each check.
    ...(check !== "" && changes.some((change) => change === finding) && { check }),
    expires,
  }));
  // A file may have a name several times.
  const added = [...new Map(waivers.map((waiver) => [JSON.stringify(waiver), waiver])).values()];
  await project.writeWaivers(replaceWaivers(await project.waivers(), added));
  context.print([
    `${WAIVERS_NAME}: ${count(added.length, "waiver")} written, until ${expires}.`,
    ...added.map((waiver) => `  ${describe(waiver)}`),
  ]);
  const mark = <T extends Finding>(finding: T): T =>
    isRequested(finding) ? { ...finding, waiver: { reason, expires } } : finding;
  const lock = (await project.lock()).lock();
  return {
    changes: withoutKeptVersions(lock, changes.map(mark)),
    names: names.map(mark),
    hosts: hosts.map(mark),
    waivers: notices.filter((notice) => !added.some((waiver) => isForSame(waiver, notice))),
  };
}

function listRules(findings: readonly Finding[]): string {
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

/**
 * Removes the waivers of a rule, in all tools, in one or at one place, before the check that then judges their findings.
 *
 * @param servers removes only waivers of these servers; an empty list means all servers
 * @throws McpCodegenError `USAGE` if every waiver is used
 */
export async function removeWaivers(
  context: Context,
  project: Project,
  servers: readonly string[],
  [rule, tool, path, ...others]: readonly string[],
): Promise<void> {
  if (others.length > 0)
    throw usageError(
      "--unwaive takes one rule, at most one tool, and a path in it.",
      "Write the names of servers before it.",
    );
  const waivers = await project.waivers();
  const isRemoved = (waiver: Waiver): boolean =>
    waiver.rule === rule &&
    (tool === undefined || waiver.tool === tool) &&
    (path === undefined || waiver.path === path) &&
    (servers.length === 0 || servers.includes(waiver.server));
  const removed = waivers.filter(isRemoved);
  if (removed.length === 0) {
    const at = path === undefined ? "" : ` at ${JSON.stringify(path)}`;
    const where = tool === undefined ? "" : ` in tool ${JSON.stringify(tool)}${at}`;
    const names = [...new Set(waivers.map(describe))].join(", ");
    const listed = names === "" ? `${WAIVERS_NAME} has none.` : `${WAIVERS_NAME} has ${names}.`;
    const isServer = waivers.some(({ server }) => server === path);
    throw usageError(
      `--unwaive: no waiver of rule ${JSON.stringify(rule)}${where}.`,
      isServer
        ? `Write the server before it: check ${path ?? ""} --unwaive ${rule ?? ""} ${tool ?? ""}`
        : listed,
    );
  }
  await project.writeWaivers(waivers.filter((waiver) => !isRemoved(waiver)));
  context.print([
    `${WAIVERS_NAME}: ${count(removed.length, "waiver")} removed.`,
    ...removed.map((waiver) => `  ${describe(waiver)}`),
  ]);
}

function describe({ rule, server, tool, path }: Waiver): string {
  return printable(present(rule, server, tool, path).join(" "), 200);
}
