/** The first lines of reports: what changed, how bad it is, whether it hits the user's code, and what can be done. */
import type { CallSite, Change, ImpactSummary } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { printable } from "../core/printable.js";
import { describeCallSite } from "./describe-findings.js";
import { countClasses, foldChanges, nameOwner, levelOf } from "./fold-changes.js";
import { count, present, quoteForShell } from "./layout.js";
import { type ReportContent, pullOf, type Repair } from "./report-content.js";
import type { LoadedConfig } from "../config/load-config.js";
import { nameKey } from "../config/locate-keys.js";
import { findStartedPackage, findUnpinned } from "../config/package-pins.js";
import { getOwn } from "../core/json.js";
import { withOtherNames } from "../core/rename.js";

/** What a head is about. */
export type HeadContent = Pick<ReportContent, "changes" | "impact" | "note" | "repairs" | "ways">;

/** Returns the parts of a head, of which any may be empty. */
export function describeHead({ changes, impact, note, repairs, ways }: HeadContent) {
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
    version: (findVersions(ofOwner) ?? []).map((each) => printable(each, 40)).join(" → "),
    classes: countClasses(foldChanges(ofOwner)),
    code: impact === undefined ? "" : describeCode(ofOwner, impact),
  }));
}

/** Returns the search for the user's code, unless it failed: of that, the head of a check says more. */
export function unlessFailed(impact: ImpactSummary | undefined): ImpactSummary | undefined {
  return impact?.problem === undefined ? impact : undefined;
}

/** The words about one server on a line. */
export function joinHead({ owner, version, classes, code }: HeadWords, name = owner): string {
  return present(present(name, version).join(" "), classes, code).join(" · ");
}

/** The locked and the new version of a server, by its own words; undefined if it does not say that they differ. */
function findVersions(changes: readonly Change[]): readonly [before: string, after: string] | undefined {
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
  if (first === undefined) return `${whose}: ${files === 0 ? "does not use it" : "no line breaks"}`;
  const where = others.length === 0 ? printable(first) : count(others.length + 1, "file");
  return `${whose}: ${count(places.size, "line")} in ${where}${open.length > 0 ? "" : ", waived"}`;
}

/** How many affected places a report shows; `--json` has all of them. */
export const MOST_HITS = 15;

/**
 * Returns the affected places of the user's code by file and line, each once: the place, what the line does, and the tools whose
 * changes hit it. All texts are printable.
 */
export function listHits(changes: readonly Change[], isListed: (site: CallSite) => boolean = () => true) {
  return [...groupHits(changes)]
    .filter(([{ site }]) => isListed(site))
    .sort(([{ site: a }], [{ site: b }]) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map((group) => {
      const { quote, text } = describeCallSite(group[0].site);
      return {
        quote,
        text: group.every(({ change }) => change.waiver !== undefined) ? `${text} (waived)` : text,
        tools: [...new Set(group.map(({ change: { tool = "" } }) => printable(tool, 80)))],
      };
    });
}

/** Whether a line breaks and the compiler does not report it. */
export function isSilent({ effect }: CallSite): boolean {
  return effect !== "stops-compiling" && effect !== "names-it";
}

/** Groups the call sites of changes by place and words: an affected place, with each change that hits it. */
export function groupHits(changes: readonly Change[]) {
  const hits = changes.flatMap((change) => (change.callSites ?? []).map((site) => ({ site, change })));
  return groupBy(hits, ({ site: { file, line, says } }) => JSON.stringify([file, line, says])).values();
}

export interface WaysOptions {
  /** The command that was run, without options of its report. */
  readonly check: string;
  /** The last day of a proposed waiver. */
  readonly until: string;
  readonly isPullable: boolean;
  /** The servers whose tools were read from PHP. */
  readonly php?: readonly string[];
  readonly npxCache?: string | undefined;
}

/**
 * Returns what can be done about changes besides taking all of them: take those of one tool, stay with the version that is
 * locked, or let the worst one pass.
 */
export async function waysOut(
  changes: readonly Change[],
  { config, dir, path }: LoadedConfig,
  { check, until, isPullable, php = [], npxCache }: WaysOptions,
): Promise<readonly Repair[]> {
  const sitesOf = ({ callSites = [] }: Change): number => callSites.length;
  const failing = changes
    .filter(({ fails, waiver }) => fails === true && waiver === undefined)
    .sort((a, b) => levelOf(a) - levelOf(b) || sitesOf(b) - sitesOf(a));
  const [worst] = failing;
  if (worst === undefined) return [];
  // To take the removal of a tool removes its code: a tool that is there, and that the code uses, comes first.
  const [kept] = failing
    .filter(({ tool, rule }) => tool !== undefined && rule !== "tool-removed")
    .sort((a, b) => sitesOf(b) - sitesOf(a));
  const isAll = failing.every(
    ({ server, rule, tool }) => server === worst.server && rule === worst.rule && tool === worst.tool,
  );
  const pass = {
    // With others left, the check fails as before.
    does: isAll ? "let it pass" : "let one pass",
    command: `${check} --waive ${worst.rule}${nameOf(worst)} --until ${until} --reason "…"`,
  };
  const pins = await Promise.all(
    [...groupBy(changes, ({ server }) => server)].map(async ([server, those]) => ({
      server,
      pin: await findPin(those, server, { config, dir, path }, npxCache),
    })),
  );
  return [
    ...(isPullable && kept !== undefined ? takeTool(kept, changes, php.includes(kept.server)) : []),
    ...pins.flatMap(({ server, pin }) =>
      pin === undefined
        ? []
        : [{ does: "stay", command: `write "${pin.package}" into servers.${server} of ${pin.place}` }],
    ),
    pass,
  ];
}

/** Returns how to take the changes of one tool, which `pull` takes under both names if it was renamed; nothing without others. */
function takeTool(kept: Change, changes: readonly Change[], isFromPhp: boolean): readonly Repair[] {
  const ofServer = changes.filter(({ server, tool }) => server === kept.server && tool !== undefined);
  const names = withOtherNames([kept.tool ?? ""], ofServer);
  const ofTool = ofServer.filter(({ tool = "" }) => names.has(tool));
  if (ofTool.length === ofServer.length) return [];
  const command = pullOf(ofTool, isFromPhp ? ["--php"] : [], [`--tools${nameOf(kept)}`]);
  return [{ does: "one tool of it", command: `npx mcp-codegen ${command}` }];
}

function nameOf({ tool }: Change): string {
  return tool === undefined ? "" : ` ${quoteForShell(printable(tool, 80))}`;
}

/**
 * The package of a server with the version that is locked, and the line of the configuration to write it in. Undefined where it is not known that the server reports the version of
 * its package: the one that was started now is either written in the command or in the cache of npx.
 */
async function findPin(
  changes: readonly Change[],
  server: string,
  { config, dir, path }: LoadedConfig,
  npxCache: string | undefined,
) {
  const settings = getOwn(config.servers, server) ?? {};
  const versions = findVersions(changes);
  const started = findStartedPackage(settings);
  if (started === undefined || versions === undefined) return undefined;
  const [before, after] = versions;
  const [unpinned] = await findUnpinned({ [server]: settings }, dir, npxCache);
  if ((started.version ?? unpinned?.installed) !== after) return undefined;
  const at = (settings.args ?? []).findIndex((text) => text.startsWith(started.name));
  const place = await nameKey(path, ["servers", server, "args", at]);
  return { package: `${started.name}@${before}`, place };
}
