/** The first lines of reports: what changed, how bad it is, whether it hits the user's code, and what can be done. */
import type { Change, ImpactSummary } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { printable } from "../core/printable.js";
import { describeCallSite } from "./describe-findings.js";
import { countClasses, foldChanges, nameOwner } from "./fold-changes.js";
import { count, present } from "./layout.js";
import type { ReportContent } from "./report-content.js";

/** Returns the parts of a head, of which any may be empty. */
export function describeHead({ changes, impact, note, repairs, ways }: ReportContent) {
  const problem = changes.length === 0 ? undefined : impact?.problem;
  return {
    heads: describeHeads(changes, impact),
    ways: [...repairs, ...ways],
    notes: present(note, problem && `Call sites were not searched: ${printable(problem, 400)}`),
    hits: listHits(changes),
  };
}

/** The words about one server. All are printable. */
export interface HeadWords {
  readonly owner: string;
  /** `2.0.34 → 2.1.64`; empty if the server does not say so. */
  readonly version: string;
  /** `2 breaking, 1 safe` */
  readonly classes: string;
  /** `your code: 2 lines in src/triage.ts`; empty if it was not looked for. */
  readonly code: string;
}

/** Returns the words about each server that changed, in the order of the changes. */
export function describeHeads(changes: readonly Change[], impact?: ImpactSummary): readonly HeadWords[] {
  return [...groupBy(changes, nameOwner)].map(([owner, ofOwner]) => ({
    owner: printable(owner, 160),
    version: describeVersions(ofOwner),
    classes: countClasses(foldChanges(ofOwner)),
    code: impact === undefined ? "" : describeCode(ofOwner, impact),
  }));
}

/** The words about one server on a line. */
export function joinHead({ owner, version, classes, code }: HeadWords, name = owner): string {
  return present(present(name, version).join(" "), classes, code).join(" · ");
}

function describeVersions(changes: readonly Change[]): string {
  return (findVersions(changes) ?? []).map((version) => printable(version, 40)).join(" → ");
}

/** The locked and the new version of a server, by its own words; undefined if it does not say that they differ. */
export function findVersions(
  changes: readonly Change[],
): readonly [before: string, after: string] | undefined {
  const { before, after } = changes.find(({ path }) => path === "/serverInfo/version") ?? {};
  if (typeof before !== "string" || typeof after !== "string" || before === after) return undefined;
  return [before, after];
}

function describeCode(changes: readonly Change[], { projects, files, problem }: ImpactSummary): string {
  const whose = projects.length === 0 && problem === undefined ? "your scripts" : "your code";
  if (problem !== undefined) return `${whose}: not searched`;
  const hitting = changes.filter(({ callSites = [] }) =>
    callSites.some(({ effect }) => effect !== "names-it"),
  );
  const open = hitting.filter(({ waiver }) => waiver === undefined);
  const hit = (open.length > 0 ? open : hitting)
    .flatMap(({ callSites = [] }) => callSites)
    .filter(({ effect }) => effect !== "names-it");
  const places = new Set(hit.map(({ file, line }) => `${file}:${line}`));
  const [first, ...others] = new Set(hit.map(({ file }) => file));
  if (first === undefined) return `${whose}: ${files === 0 ? "does not use it" : "not affected"}`;
  const where = others.length === 0 ? printable(first) : count(others.length + 1, "file");
  return `${whose}: ${count(places.size, "line")} in ${where}${open.length > 0 ? "" : ", waived"}`;
}

/** A place in the user's code, what it does, and the tools whose changes hit it. All texts are printable. */
interface HitPlace {
  /** `src/app.ts:3` */
  readonly quote: string;
  readonly text: string;
  readonly tools: readonly string[];
}

/** How many affected places a report shows; `--json` has all of them. */
export const MOST_HITS = 15;

/** Returns the affected places by file and line, each once. */
function listHits(changes: readonly Change[]): readonly HitPlace[] {
  const hits = changes.flatMap(({ tool = "", waiver, callSites = [] }) =>
    callSites.map((site) => ({ site, tool, isWaived: waiver !== undefined })),
  );
  const places = groupBy(hits, ({ site: { file, line, says } }) => JSON.stringify([file, line, says]));
  return [...places.values()]
    .sort(([{ site: a }], [{ site: b }]) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map((group) => {
      const { quote, text } = describeCallSite(group[0].site);
      return {
        quote,
        text: group.every(({ isWaived }) => isWaived) ? `${text} (waived)` : text,
        tools: [...new Set(group.map(({ tool }) => printable(tool, 80)))],
      };
    });
}
