import type { ErrorObject } from "ajv";
import type { Change } from "../../src/core/change.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { judgeBy } from "./judge.js";
import { isMentioned, sampleInstances } from "./sample-instances.js";
import { aimOf, withNewNames, type ReportedChange } from "./undo.js";

const SIDES = ["inputSchema", "outputSchema"] as const;
type SchemaKey = (typeof SIDES)[number];

/** The oracle's verdict on the changes that the engine reports for one tool. */
export interface PairVerdict {
  /** How many schemas break: an instance that one accepts and the other rejects was sampled. */
  readonly breaks: number;
  /** Places that break without a finding that is `breaking` or `unknown`, each with an instance. */
  readonly missed: readonly string[];
  readonly witnesses: number;
  readonly refuted: readonly string[];
  /** Witnesses that other changes reject too; the change alone rejects them. */
  readonly alone: number;
  readonly misdirected: readonly string[];
  /** Changes of class `unknown` in a schema that breaks, and all others. */
  readonly unknown: { readonly broken: number; readonly quiet: number };
  /** `breaking` on the wire without a witness. */
  readonly unwitnessed: readonly string[];
}

export function judgePair(
  before: ToolSnapshot,
  after: ToolSnapshot,
  changes: readonly Change[],
): PairVerdict {
  const verdicts = SIDES.map((key) => judgeSide(key, before[key], after[key], changes));
  const others = changes.filter(({ path }) => !SIDES.some((key) => path.startsWith(`/${key}`)));
  type Listed = "missed" | "refuted" | "misdirected" | "unwitnessed";
  const list = (key: Listed): readonly string[] => verdicts.flatMap((verdict) => verdict[key]);
  const sum = (count: (verdict: PairVerdict) => number): number =>
    verdicts.reduce((all, verdict) => all + count(verdict), 0);
  return {
    breaks: sum(({ breaks }) => breaks),
    missed: list("missed"),
    witnesses: sum(({ witnesses }) => witnesses),
    refuted: list("refuted"),
    alone: sum(({ alone }) => alone),
    misdirected: list("misdirected"),
    unknown: {
      broken: sum(({ unknown }) => unknown.broken),
      quiet:
        sum(({ unknown }) => unknown.quiet) + others.filter((change) => change.class === "unknown").length,
    },
    unwitnessed: list("unwitnessed"),
  };
}

const QUIET: PairVerdict = {
  breaks: 0, missed: [], witnesses: 0, refuted: [], alone: 0, misdirected: [], unknown: { broken: 0, quiet: 0 }, unwitnessed: [],
}; // prettier-ignore

function judgeSide(
  key: SchemaKey,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  all: readonly Change[],
): PairVerdict {
  if (before === undefined || after === undefined || JSON.stringify(before) === JSON.stringify(after))
    return QUIET;
  const changes = all.filter(({ path }) => path === `/${key}` || path.startsWith(`/${key}/`));
  const [accepts, rejects] = key === "inputSchema" ? [before, after] : [after, before];
  const renames = changes
    .filter(({ rule }) => rule.endsWith("-property-renamed"))
    .map((change) => reportedOf(key, change));
  const renamed = withNewNames(before, renames);
  const aimed = key === "inputSchema" ? ([renamed, after] as const) : ([after, renamed] as const);
  const breaks = findBreaks(key, accepts, rejects);
  const open = changes.filter((change) => change.class === "breaking" || change.class === "unknown");
  const found = [...breaks].filter(([place]) => !isCovered(place, open));
  const shown = changes.filter((change) => change.witness !== undefined);
  const aims = shown.map((change) => {
    const [yes, no] = [judgeBy(accepts), judgeBy(rejects)];
    const witness = change.witness ?? null;
    if (yes?.(witness).length !== 0 || no?.(witness).length === 0) return { change, aim: "refuted" as const };
    return { change, aim: aimOf(witness, ...aimed, reportedOf(key, change)) };
  });
  const by = (aim: string): readonly string[] =>
    aims.filter((each) => each.aim === aim).map(({ change }) => describe(change));
  const unknown = changes.filter((change) => change.class === "unknown").length;
  return {
    breaks: breaks.size > 0 ? 1 : 0,
    missed: found.map(([place, instance]) => `${key} ${place}: ${JSON.stringify(instance).slice(0, 300)}`),
    witnesses: shown.length,
    refuted: by("refuted"),
    alone: by("alone").length,
    misdirected: by("misdirected"),
    unknown: breaks.size > 0 ? { broken: unknown, quiet: 0 } : { broken: 0, quiet: unknown },
    unwitnessed: changes
      .filter(
        (change) =>
          change.class === "breaking" && change.impacts.includes("wire") && change.witness === undefined,
      )
      .map(describe),
  };
}

function describe(change: Change): string {
  return `${change.rule} ${change.path} ${JSON.stringify(change.witness ?? null).slice(0, 200)}`;
}

function reportedOf(key: SchemaKey, { rule, path, before, after }: Change): ReportedChange {
  const names = rule.endsWith("-property-renamed") ? ([textOf(before), textOf(after)] as const) : undefined;
  const isValue = /enum-value-(added|removed)$/.test(rule);
  return {
    rule,
    at: path.slice(key.length + 1),
    value: isValue ? (rule.endsWith("added") ? after : before) : undefined,
    names,
  };
}

/** Sampled instances that one schema accepts and the other rejects, by the place that is rejected. */
function findBreaks(key: SchemaKey, accepts: JsonValue, rejects: JsonValue): ReadonlyMap<string, JsonValue> {
  const breaks = new Map<string, JsonValue>();
  const [yes, no] = [judgeBy(accepts), judgeBy(key === "outputSchema" ? asTolerant(rejects) : rejects)];
  if (yes === undefined || no === undefined || !isJsonObject(accepts)) return breaks;
  for (const instance of sampleInstances(accepts, rejects)) {
    if (!isPassed(key, instance, accepts) || yes(instance).length > 0) continue;
    const errors = no(instance);
    const place = placeOf(errors);
    if (errors.length > 0 && !breaks.has(place)) breaks.set(place, instance);
  }
  return breaks;
}

/** Arguments are an object, and callers pass only what a schema mentions (docs/drift.md). */
function isPassed(key: SchemaKey, instance: JsonValue, accepts: JsonObject): boolean {
  return key === "outputSchema" || (isJsonObject(instance) && isMentioned(instance, accepts));
}

/** The names of properties on the path to the first error. */
function placeOf(errors: readonly ErrorObject[]): string {
  const [first] = [...errors].sort((a, b) => a.instancePath.length - b.instancePath.length);
  const { missingProperty, additionalProperty } = (first?.params ?? {}) as {
    readonly [key: string]: unknown;
  };
  const name = missingProperty ?? additionalProperty;
  const steps = (first?.instancePath ?? "").split("/").filter((step) => step !== "" && !/^\d+$/.test(step));
  return [...steps, ...(typeof name === "string" ? [name] : [])].join(".");
}

/** Whether a finding is at the place of a break, around it or inside it. */
function isCovered(place: string, findings: readonly Change[]): boolean {
  return findings.some(({ path, before, after, rule }) => {
    if (path.includes("/$defs/") || path.includes("/definitions/")) return true;
    const at = [...path.matchAll(/\/properties\/([^/]+)/g)].map(([, name]) => name).join(".");
    const names = rule.endsWith("renamed") ? [textOf(before), textOf(after)] : [];
    const isNear = at === "" || place === at || place.startsWith(`${at}.`) || at.startsWith(`${place}.`);
    return isNear || names.some((name) => place.endsWith(name));
  });
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** Results as generated code reads them by default: undeclared keys of a closed object are kept (docs/drift.md). */
function asTolerant(schema: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    (key === "additionalProperties" || key === "unevaluatedProperties") && value === false
      ? undefined
      : value,
  ) as JsonValue;
}
