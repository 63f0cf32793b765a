import { canonicalJson, isJsonObject, type JsonValue } from "../core/json.js";
import { type Change, type ChangeClass, NAME_TAKEN } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { formatNumber } from "../core/printable.js";
import { sha256 } from "../core/digest.js";
import { describeSubject, nameSubject } from "./describe-edit.js";
import { count, joinFirst, present } from "./layout.js";
import { commonEnds } from "./show-witness.js";

/** Changes with the same cause and the same verdict, which people read as one finding. */
export type Fold = readonly [Change, ...Change[]];

/**
 * Groups changes into findings, in the order of each finding's first change. One edit of a shared type, an enum or a
 * union is one finding, wherever its changes are. Each change gets its cause.
 *
 * @param isByRule whether a finding with two rules becomes two findings
 */
export function foldChanges(changes: readonly Change[], isByRule = false): readonly Fold[] {
  const folded = groupBy(withCauses(changes), (change) => {
    const { cause, class: judged, security, fails = null, foundClass = null, waiver } = change;
    const verdict = [judged, security, fails, foundClass, waiver?.reason ?? null, waiver?.expires ?? null];
    return JSON.stringify([cause, ...verdict]);
  });
  return [...folded.values()].flatMap((group) =>
    isByRule ? [...groupBy(group, ({ rule }) => rule).values()] : [group],
  );
}

/** The rules of a finding, as in `input-null-removed, output-null-removed`. */
export function rulesOf(fold: Fold): string {
  return [...new Set(fold.map(({ rule }) => rule))].join(", ");
}

/** The changes, each with its cause: twelve hexadecimal digits that changes of the same cause share. */
export function withCauses(changes: readonly Change[]): readonly Change[] {
  const sites = groupBy(changes.map(evidenceOf), ({ change, kind, site }) => {
    const { server, environment, tool, class: judged } = change;
    return JSON.stringify([server, environment, tool, kind, site, judged]);
  });
  const alike = groupBy(sites.values(), (site) => canonicalJson(signatureOf(site)));
  const causes = new Map(
    [...alike.values()].flatMap((group) => {
      const isOfOneTool = group.every(([{ change }]) => change.tool === group[0][0].change.tool);
      return group.flatMap((site) => {
        const cause = sha256(canonicalJson(signatureOf(site, isOfOneTool))).slice(0, LENGTH);
        return site.map(({ change }) => [change, cause] as const);
      });
    }),
  );
  // The contents of equal objects are computed once.
  return changes.map((change) => {
    const cause = causes.get(change) ?? "";
    return change.cause === cause ? change : { ...change, cause };
  });
}

const LENGTH = 12;

/** The parts of a change that its cause depends on. */
interface CauseEvidence {
  readonly change: Change;
  readonly kind: string;
  /** Changes of one site have a common cause. */
  readonly site: string;
  /** Empty where the contents may differ. */
  readonly content: string;
}

function evidenceOf(change: Change): CauseEvidence {
  const { path, tool } = change;
  const kind = kindOf(change);
  const site = siteOf(change);
  if (OF_ONE_EFFORT.has(kind) && tool !== undefined) return { change, kind, site, content: "" };
  const content = contentOf(change);
  const limit = kind.startsWith("limit-") ? path.slice(site.length + 1) : "";
  return { change, kind, site, content: tool === undefined ? content : canonicalJson([limit, content]) };
}

/** The kind of change without its side. A validator adds several limits at once, so all limits have one kind. */
function kindOf({ rule, path, after }: Change): string {
  const kind = rule.replace(/^(?:input|output)-/, "");
  if (kind === "tool-title-changed" && after === undefined) return "tool-title-removed";
  if (kind === "annotation-changed" && path.endsWith("/title")) return "title-changed";
  if (/^(?:bound-tightened|(?:pattern|format|multiple-of)-added)$/.test(kind)) return "limit-added";
  if (/^(?:bound-loosened|(?:pattern|format|multiple-of)-removed)$/.test(kind)) return "limit-removed";
  return kind;
}

/** Whether all changes are about limits of a value, such as its length or its pattern. */
export function areLimits(changes: readonly Change[]): boolean {
  return changes.every((change) => kindOf(change).startsWith("limit-"));
}

/** The site of a change: all values of one enum, branches of one union or limits of one value share a site. */
export function siteOf(change: Change): string {
  const { path } = change;
  const isInside = /^(?:limit|union-branch)-/.test(kindOf(change));
  return isInside ? path.slice(0, path.lastIndexOf("/")) : path;
}

/** The key that sites with the same cause share. `isOfOneTool`: no other tool changed like this. */
function signatureOf(evidence: readonly [CauseEvidence, ...CauseEvidence[]], isOfOneTool = false): JsonValue {
  const [{ change, kind, site }] = evidence;
  const { server, environment = null, tool, rule, path } = change;
  const contents = evidence.map(({ content }) => content);
  if (tool === undefined) return [server, environment, rule, path, contents];
  // All edits of a tool's descriptions are one cause.
  if (isOfOneTool && kind === "description-changed") return [server, environment, tool, kind];
  if (OF_ONE_EFFORT.has(kind)) return [server, environment, kind];
  const isOfValidator = kind.startsWith("limit-") && contents.join().length >= LEAST_LIMITS;
  const subject = isOfValidator || OF_CONTENT.test(kind) ? null : innermostProperty(site);
  return [server, environment, kind, subject, contents.sort()];
}

/** Kinds that a server usually changes in many tools at once: texts and schemas differ, the cause does not. */
const OF_ONE_EFFORT: ReadonlySet<string> = new Set([
  "tool-added",
  "tool-removed",
  NAME_TAKEN,
  "schema-added",
  "schema-removed",
  "description-added",
  "description-removed",
  "tool-title-changed",
  "tool-title-removed",
  "title-changed",
]);

/** Kinds that depend on how a server writes its schemas, not on the property. */
const OF_CONTENT = /^additional-properties-/;

/** From this length of JSON, equal limits come from one validator, whatever the names of the properties. */
const LEAST_LIMITS = 50;

/** The innermost property on the path and the rest after it: equal wherever a shared type is used. */
function innermostProperty(path: string): string {
  const steps = path.split("/").slice(1);
  const at = steps.findLastIndex((step, index) => step === "properties" && index + 1 < steps.length);
  if (at >= 0) return steps.slice(at + 1).join("/");
  return steps.slice(/^(?:input|output)Schema$/.test(steps[0] ?? "") ? 1 : 0).join("/");
}

/** The contents of changes, each computed once: texts may be megabytes. */
const CONTENTS = new WeakMap<Change, string>();

/** The changed content as JSON: the edit of a text, or both values. */
function contentOf(change: Change): string {
  const cached = CONTENTS.get(change);
  if (cached !== undefined) return cached;
  const { before, after } = change;
  const content = canonicalJson(
    textEditOf(before, after) ??
      [before, after].map((value) => (value === undefined ? [] : [withoutNotes(value)])),
  );
  CONTENTS.set(change, content);
  return content;
}

/** Shorter edits of texts are often equal by chance. */
const LEAST_EDIT = 12;

/** The parts of two texts without their common start and end; undefined for short ones, and for other values. */
function textEditOf(
  before?: JsonValue,
  after?: JsonValue,
): readonly [gone: string, come: string] | undefined {
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const { start, end } = commonEnds(before, after);
  const gone = before.slice(start, before.length - end);
  const come = after.slice(start, after.length - end);
  return gone.length + come.length >= LEAST_EDIT ? [gone, come] : undefined;
}

/** Whether all changes make the same edit in their texts, at any position. */
export function isSameEdit(changes: readonly Change[]): boolean {
  const areTexts = changes.every(
    ({ before, after }) => typeof before === "string" && typeof after === "string",
  );
  return areTexts && new Set(changes.map(contentOf)).size < 2;
}

const NOTES: ReadonlySet<string> = new Set(["title", "description", "examples", "$comment"]);

/** A schema without annotations for people, which may differ from tool to tool. */
function withoutNotes(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNotes);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      NOTES.has(key) && !isJsonObject(item) ? [] : [[key, withoutNotes(item)]],
    ),
  );
}

/** A server, or one of its environments. */
export interface Owner {
  readonly server: string;
  readonly environment?: string | undefined;
}

/** Returns rows by server and environment, in the order of the first row of each. */
export function byServer<R extends { readonly findings: Fold }>(rows: readonly R[]): readonly R[] {
  return [...groupBy(rows, ({ findings: [first] }) => nameOwner(first)).values()].flat();
}

/** The distinct subjects of a finding, by their printable names. */
export function subjectsOf(fold: Fold): readonly string[] {
  return [...new Map(fold.map((change) => [describeSubject(change), nameSubject(change)])).values()];
}

/** In how many places a finding is, its class before the policy, and why it does not fail. */
export function qualify(fold: Fold): readonly string[] {
  const [{ foundClass, fails, waiver }] = fold;
  return present(
    fold.length > subjectsOf(fold).length && `${formatNumber(fold.length)} places`,
    foundClass && `found ${foundClass}`,
    waiver === undefined ? fails === false && "does not fail" : "waived",
  );
}

/** Lists names, followed by how many are left out; `39 tools: a, b and 37 more` for several. */
export function joinSubjects(names: readonly string[], most: number): string {
  return names.length < 2 ? names.join("") : `${names.length} tools: ${joinFirst(names, most)}`;
}

/** The name of a server, with its environment if there is one. */
export function nameOwner({ server, environment }: Owner): string {
  return environment === undefined ? server : `${server} (${environment})`;
}

export const CLASSES_WORST_FIRST = [
  "breaking",
  "unknown",
  "dangerous",
  "safe",
] as const satisfies readonly ChangeClass[];

/** Sorts by level, and in each level by security. Equal changes keep their order. */
export function worstFirst(changes: readonly Change[]): readonly Change[] {
  return [...changes].sort((a, b) => levelOf(a) - levelOf(b) || Number(b.security) - Number(a.security));
}

/** `breaking`, or `breaking, security`. */
export function nameClass(change: { readonly class: string; readonly security: boolean }): string {
  return change.security ? `${change.class}, security` : change.class;
}

/** `3 changes`, or other things, with the number of places where one is in several. */
export function countFindings(folds: readonly Fold[], thing = "change"): string {
  const places = folds.reduce((sum, { length }) => sum + length, 0);
  const counted = count(folds.length, thing);
  return places === folds.length ? counted : `${counted} in ${formatNumber(places)} places`;
}

/** Whether a dangerous change is one of words that models read, and of nothing that a program notices. */
function isWording({ class: judged, rule, security }: Change): boolean {
  return judged === "dangerous" && !security && WORDING.test(rule);
}

const WORDING = /-(?:description|title|text|instructions)-(?:added|removed|changed)$/;

/** The order of verdicts: what fails comes first, then the worse class, in which wording follows what changes calls. */
export function levelOf(change: Change): number {
  const level = CLASSES_WORST_FIRST.indexOf(change.class) + (isWording(change) ? 0.5 : 0);
  return change.fails === false ? level + CLASSES_WORST_FIRST.length : level;
}

/** Whether a waiver covers a finding. */
export function isWaived([{ waiver }]: Fold): boolean {
  return waiver !== undefined;
}

/** `2 breaking, 3 dangerous (2 in wording, 1 security)`, worst first; waived ones are counted apart, so that each counts once. */
export function countClasses(folds: readonly Fold[]): string {
  const firsts = folds.flatMap((fold) => (isWaived(fold) ? [] : fold[0]));
  const waived = folds.length - firsts.length;
  const counts = (["breaking", "dangerous", "unknown", "safe"] as const).map((name) => {
    const ofClass = firsts.filter((change) => change.class === name);
    const share = (part: number): string => (part === ofClass.length ? "" : `${part} `);
    const worded = ofClass.filter(isWording).length;
    const security = ofClass.filter((change) => change.security).length;
    const notes = present(
      worded > 0 && `${share(worded)}in wording`,
      security > 0 && `${share(security)}security`,
    );
    const note = notes.length > 0 ? ` (${notes.join(", ")})` : "";
    return ofClass.length > 0 && `${ofClass.length} ${name}${note}`;
  });
  return present(...counts, waived > 0 && `${waived} waived`).join(", ");
}
