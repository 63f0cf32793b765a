/** The first lines of every report: what changed, how bad it is, whether it hits the user's code, and what can be done. */
import type { CallSite, Change, ImpactSummary } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { printable } from "../core/printable.js";
import { countClasses, foldChanges, nameOwner } from "./fold-changes.js";
import { count, present } from "./layout.js";

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
  const { before, after } = changes.find(({ path }) => path === "/serverInfo/version") ?? {};
  if (typeof before !== "string" || typeof after !== "string" || before === after) return "";
  return [before, after].map((version) => printable(version, 40)).join(" → ");
}

function describeCode(changes: readonly Change[], { projects, files, problem }: ImpactSummary): string {
  const whose = projects.length === 0 && problem === undefined ? "your scripts" : "your code";
  if (problem !== undefined) return `${whose}: not searched`;
  const hit = changes
    .flatMap(({ callSites = [] }) => callSites)
    .filter(({ effect }) => effect !== "names-it");
  const places = new Set(hit.map(({ file, line }) => `${file}:${line}`));
  const [first, ...others] = new Set(hit.map(({ file }) => file));
  if (first === undefined) return `${whose}: ${files === 0 ? "does not use it" : "not affected"}`;
  const where = others.length === 0 ? printable(first) : count(others.length + 1, "file");
  return `${whose}: ${count(places.size, "line")} in ${where}`;
}

/** A place in the user's code, and the tools whose changes hit it. */
export interface HitPlace {
  readonly site: CallSite;
  readonly tools: readonly string[];
}

/** Returns the affected places by file and line, each once. */
export function listHits(changes: readonly Change[]): readonly HitPlace[] {
  const hits = changes.flatMap(({ tool = "", callSites = [] }) => callSites.map((site) => ({ site, tool })));
  const places = groupBy(hits, ({ site: { file, line, says } }) => JSON.stringify([file, line, says]));
  return [...places.values()]
    .map((group) => ({ site: group[0].site, tools: [...new Set(group.map(({ tool }) => tool))] }))
    .sort((a, b) =>
      a.site.file === b.site.file ? a.site.line - b.site.line : a.site.file < b.site.file ? -1 : 1,
    );
}
