import { canonicalJson, isJsonObject, type JsonValue } from "../core/json.js";
import { type Change, type ChangeClass, currentTool, NAME_TAKEN } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { sha256 } from "../core/digest.js";
import { printable } from "../core/printable.js";
import { describeSubject } from "./describe-edit.js";
import { lengthOfSameStart } from "./show-witness.js";

/** A change that may have a verdict. */
export interface AnyChange extends Change {
  readonly fails?: boolean;
  readonly foundClass?: ChangeClass;
}

/** Changes with the same cause and the same verdict, shown as one finding. */
export interface FoldedChange<C extends Change> {
  /** Identifies the cause. Changes with the same cause but another verdict have it too. */
  readonly cause: string;
  readonly changes: readonly [C, ...C[]];
}

/**
 * Groups changes into findings, in the order of each finding's first change. One edit of a shared type, an enum or a
 * union is one finding, wherever its changes are.
 */
export function foldChanges<C extends AnyChange>(changes: readonly C[]): readonly FoldedChange<C>[] {
  const causes = findCauses(changes);
  const causeOf = (change: C): string => causes.get(change) ?? "";
  const folded = groupByJson(changes, (change) => {
    const { class: judged, security, fails = null, foundClass = null, waiver } = change;
    const verdict = [judged, security, fails, foundClass, waiver?.reason ?? null, waiver?.expires ?? null];
    return [causeOf(change), ...verdict];
  });
  return folded.map((those) => ({ cause: causeOf(those[0]), changes: those }));
}

/** The rules of a finding, as in `input-null-removed, output-null-removed`. */
export function rulesOf({ changes }: FoldedChange<Change>): string {
  return [...new Set(changes.map(({ rule }) => rule))].join(", ");
}

/** The changes, each with its cause: twelve hexadecimal digits that changes of the same cause share. */
export function withCauses<C extends Change>(
  changes: readonly C[],
): readonly (C & { readonly cause: string })[] {
  const causes = findCauses(changes);
  return changes.map((change) => ({ ...change, cause: causes.get(change) ?? "" }));
}

function findCauses<C extends Change>(changes: readonly C[]): ReadonlyMap<C, string> {
  const sites = groupByJson(changes, (change) => {
    const { server, environment = null, tool = null, class: judged } = change;
    return [server, environment, tool, kindOf(change), siteOf(change), judged];
  });
  return new Map(
    groupByJson(sites, signatureOf).flatMap((alike) => {
      const isOfOneTool = alike.every(([{ tool }]) => tool === alike[0][0].tool);
      return alike.flatMap((site) => {
        const signature = isOfOneTool ? signatureInTool(site) : signatureOf(site);
        const cause = sha256(canonicalJson(signature)).slice(0, LENGTH);
        return site.map((change) => [change, cause] as const);
      });
    }),
  );
}

const LENGTH = 12;

type Group<T> = readonly [T, ...T[]];

function groupByJson<T>(items: readonly T[], keyOf: (item: T) => JsonValue): readonly Group<T>[] {
  return [...groupBy(items, (item) => canonicalJson(keyOf(item))).values()];
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

/** The key that sites with the same cause share. */
function signatureOf(site: Group<Change>): JsonValue {
  const [first] = site;
  const { rule, path, tool } = first;
  const scope = [first.server, first.environment ?? null];
  if (tool === undefined) return [...scope, rule, path, site.map(contentOf)];
  const kind = kindOf(first);
  if (OF_ONE_EFFORT.has(kind)) return [...scope, kind];
  const contents = site.map((change) => canonicalJson([limitOf(change), contentOf(change)])).sort();
  const isOfValidator = kind.startsWith("limit-") && contents.join().length >= LEAST_LIMITS;
  const subject = isOfValidator || OF_CONTENT.test(kind) ? null : innermostProperty(siteOf(first));
  return [...scope, kind, subject, contents];
}

/**
 * As {@link signatureOf}, but where only one tool changed like this: all edits of a tool's descriptions are one
 * cause.
 */
function signatureInTool(site: Group<Change>): JsonValue {
  const [first] = site;
  const kind = kindOf(first);
  if (kind !== "description-changed") return signatureOf(site);
  return [first.server, first.environment ?? null, first.tool ?? null, kind];
}

/** Kinds that a server usually changes in many tools at once: texts and schemas differ, the cause does not. */
const OF_ONE_EFFORT: ReadonlySet<string> = new Set([
  ...["tool-added", "tool-removed", NAME_TAKEN, "schema-added", "schema-removed", "description-added"],
  ...["description-removed", "tool-title-changed", "tool-title-removed", "title-changed"],
]);

/** Kinds that depend on how a server writes its schemas, not on the property. */
const OF_CONTENT = /^additional-properties-/;

/** From this length of JSON, equal limits come from one validator, whatever the names of the properties. */
const LEAST_LIMITS = 50;

function limitOf(change: Change): string {
  const { path } = change;
  return kindOf(change).startsWith("limit-") ? path.slice(path.lastIndexOf("/") + 1) : "";
}

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
  const known = CONTENTS.get(change);
  if (known !== undefined) return known;
  const values = [change.before, change.after].map((value) =>
    value === undefined ? [] : [withoutNotes(value)],
  );
  const content = canonicalJson(textEditOf(change) ?? values);
  CONTENTS.set(change, content);
  return content;
}

type TextEdit = readonly [gone: string, come: string];

/** The edit of a text, unless it is so short that edits are often equal by chance. */
function textEditOf({ before, after }: Change): TextEdit | undefined {
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  const edit = editOf(before, after);
  return edit[0].length + edit[1].length >= LEAST_EDIT ? edit : undefined;
}

const LEAST_EDIT = 12;

/** Whether all changes make the same edit in their texts, at any position. */
export function isSameEdit(changes: readonly Change[]): boolean {
  const [first, ...others] = changes.map(contentOf);
  const areTexts = changes.every(
    ({ before, after }) => typeof before === "string" && typeof after === "string",
  );
  return areTexts && others.every((other) => other === first);
}

/** The parts of two texts without their common start and end. */
function editOf(before: string, after: string): TextEdit {
  const start = lengthOfSameStart(before, after);
  const most = Math.min(before.length, after.length) - start;
  let end = 0;
  while (end + BLOCK <= most && isSameBlock(before, after, end)) end += BLOCK;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
}

/** How many characters are compared at once. */
const BLOCK = 1_024;

function isSameBlock(before: string, after: string, end: number): boolean {
  const block = before.slice(before.length - end - BLOCK, before.length - end);
  return after.endsWith(block, after.length - end);
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

/** The findings of one tool or of several tools; without names, those of the server itself. */
export interface ToolGroup<F> {
  readonly tools: readonly (string | undefined)[];
  readonly findings: readonly F[];
}

export interface ServerGroup<F> {
  readonly owner: Owner;
  readonly findings: readonly F[];
  readonly groups: readonly ToolGroup<F>[];
}

/** A server, or one of its environments. */
export interface Owner {
  readonly server: string;
  readonly environment?: string | undefined;
}

/** Groups findings by server and environment, and those by tools, both in the order of their first finding. */
export function groupByServer<F extends FoldedChange<Change>>(
  findings: readonly F[],
): readonly ServerGroup<F>[] {
  const servers = groupBy(findings, ({ changes: [first] }) => nameOwner(first));
  return [...servers.values()].map((own) => {
    const groups = groupBy(own, (finding) => JSON.stringify(currentToolsOf(finding)));
    return {
      owner: own[0].changes[0],
      findings: own,
      groups: [...groups.values()].map((those) => ({ tools: currentToolsOf(those[0]), findings: those })),
    };
  });
}

/** The rename of a tool belongs to what else changed in it, under its new name. */
function currentToolsOf({ changes }: FoldedChange<Change>): readonly (string | undefined)[] {
  return [...new Set(changes.map((change) => currentTool(change) ?? describeSubject(change)))];
}

/** The distinct tools of a finding, or the entry of another list; undefined for the server itself. */
export function toolsOf({
  changes,
}: {
  readonly changes: readonly Change[];
}): readonly (string | undefined)[] {
  return [...new Set(changes.map(describeSubject))];
}

/** Lists the names of tools, followed by how many are left out; `39 tools: a, b and 37 more` for several. */
export function joinToolNames(
  tools: readonly (string | undefined)[],
  most: number,
  printName: (name: string) => string = (name) => name,
): string {
  const names = tools.map((tool) =>
    tool === undefined ? "(the server itself)" : printName(printable(tool, 80)),
  );
  if (names.length < 2) return names.join("");
  const rest = names.length - most;
  return `${names.length} tools: ${names.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The name of a server, with its environment if there is one. */
export function nameOwner({ server, environment }: Owner): string {
  return environment === undefined ? server : `${server} (${environment})`;
}

const RANK: Readonly<Record<ChangeClass, number>> = { breaking: 0, unknown: 1, dangerous: 2, safe: 3 };

/** Sorts by failing, then security, then class. Equal changes keep their order. */
export function worstFirst<C extends AnyChange>(changes: readonly C[]): readonly C[] {
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(change: AnyChange): number {
  return (change.fails === false ? 8 : 0) + (change.security ? 0 : 4) + RANK[change.class];
}

/** `breaking`, or `breaking, security`. */
export function nameClass(change: { readonly class: string; readonly security: boolean }): string {
  return change.security ? `${change.class}, security` : change.class;
}

/** `3 changes`, with how often they were found where one was found several times. */
export function countFindings(findings: readonly FoldedChange<Change>[]): string {
  const places = findings.reduce((sum, { changes }) => sum + changes.length, 0);
  const found = `${findings.length} change${findings.length === 1 ? "" : "s"}`;
  return places === findings.length ? found : `${found}, found ${places} times`;
}

/** `2 breaking, 1 dangerous`, worst first; security findings are counted separately. */
export function countClasses(findings: readonly FoldedChange<Change>[]): string {
  const firsts = findings.map(({ changes: [first] }) => first);
  const counts = (["breaking", "dangerous", "unknown", "safe"] as const).flatMap((name) => {
    const amount = firsts.filter((change) => change.class === name).length;
    return amount === 0 ? [] : [`${amount} ${name}`];
  });
  const security = firsts.filter((change) => change.security).length;
  return [...counts, ...(security === 0 ? [] : [`${security} security`])].join(", ");
}
