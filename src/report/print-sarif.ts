import type { Log, Notification, ReportingDescriptor, Result } from "sarif";
import type { ChangeClass } from "../contract/change.js";
import { digestOf } from "../contract/digest.js";
import type { Rule } from "../drift/rules.js";
import { findRule } from "../drift/rules.js";
import { describeChange } from "./describe-change.js";
import { describeExcess } from "./describe-excess.js";
import type { Findings, ReportedChange } from "./findings.js";
import { placeOf, worstFirst } from "./group-changes.js";
import { locateChanges, locateFile, locateServer, type Location, type Places } from "./locate-findings.js";
import { describeNotice } from "./print-waivers.js";
import { printable, printJson } from "./printable.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** Findings that no rule of drift has, by the name that they have here. */
const OWN_RULES = {
  "generated-file-stale": "A generated file is not what the lock gives.",
  "generated-file-edited": "A generated file was edited by hand, and the edits would be lost.",
  "over-token-budget": "A server's tools cost more tokens than the configuration allows.",
  "not-verified": "A server could not be checked, so nothing is known of it.",
} as const;

type Level = "error" | "warning" | "note";

const LEVEL_OF: Readonly<Record<ChangeClass, Level>> = {
  breaking: "error",
  dangerous: "warning",
  unknown: "warning",
  safe: "note",
};

/** A result before its rule has a number. */
type Found = Omit<Result, "ruleIndex"> & { readonly ruleId: string };

/**
 * A report as SARIF 2.1.0 (OASIS), for code scanning. Changes are at their lines of the lock; what tells one finding
 * from another (`partialFingerprints`) does not depend on lines, so it is the same after unrelated edits.
 */
export function printSarif(findings: Findings, places: Places, version: string): string {
  const results = findResults(findings, places);
  const ids = [...new Set(results.map(({ ruleId }) => ruleId))].sort();
  const log: Log = {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "mcp-codegen", version, semanticVersion: version, rules: ids.map(describeRule) },
        },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            // A server that was not reached is a check that was not done.
            executionSuccessful: findings.unverified.length === 0,
            toolExecutionNotifications: notificationsOf(findings),
          },
        ],
        results: results.map((result) => ({ ...result, ruleIndex: ids.indexOf(result.ruleId) })),
      },
    ],
  };
  return printJson(log);
}

function findResults(findings: Findings, places: Places): readonly Found[] {
  const changes = worstFirst(findings.changes);
  const locations = locateChanges(changes, places);
  const fileLevel = findings.doFilesFail ? "error" : "warning";
  return [
    ...changes.map((change, index) => resultOf(change, locations[index])),
    ...findings.stale.map(({ path, state, reason }) =>
      ownResult("generated-file-stale", {
        level: fileLevel,
        detail: reason ?? `It is ${state}.`,
        location: locateFile(path, places),
        identity: { path, state, ...(reason !== undefined && { reason }) },
      }),
    ),
    ...findings.edited.map((path) =>
      ownResult("generated-file-edited", {
        level: fileLevel,
        location: locateFile(path, places),
        identity: { path },
      }),
    ),
    ...(findings.overBudget ?? []).map((excess) =>
      ownResult("over-token-budget", {
        level: "error",
        detail: `${placeOf(excess)}: ${describeExcess(excess)}`,
        location: locateServer(excess.server, places),
        identity: {
          server: excess.server,
          of: excess.of,
          ...(excess.environment !== undefined && { environment: excess.environment }),
        },
      }),
    ),
    ...findings.unverified.map(({ server, environment, reason }) =>
      ownResult("not-verified", {
        level: "error",
        detail: `${placeOf({ server, environment })}: ${reason}`,
        location: locateServer(server, places),
        identity: { server, ...(environment !== undefined && { environment }) },
      }),
    ),
  ];
}

function resultOf(change: ReportedChange, location: Location | undefined): Found {
  const { server, environment, tool, rule, path, before, after } = change;
  const words = describeChange(change, 200);
  const values = [words.before, words.after].filter((value) => value !== undefined).join(" → ");
  const subject = [
    printable(placeOf(change), 160),
    ...(tool === undefined ? [] : [printable(tool, 80)]),
  ].join(" ");
  const what = [words.place, values].filter((part) => part !== "").join(": ");
  const notes = words.notes.map(({ quote, text }) => (quote === undefined ? text : `${quote} ${text}`));
  return {
    ruleId: rule,
    level: LEVEL_OF[change.class],
    message: textOf(
      [`${subject}${what === "" ? "" : ` at ${what}`}.`, change.explanation, ...notes].join(" "),
    ),
    ...locationsOf(location, [server, ...(tool === undefined ? [] : [tool])].join("/") + path),
    partialFingerprints: {
      "change/v1": fingerprint({
        rule,
        server,
        path,
        ...(environment !== undefined && { environment }),
        ...(tool !== undefined && { tool }),
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      }),
    },
    properties: {
      class: change.class,
      security: change.security,
      impacts: [...change.impacts],
      fails: change.fails,
      ...(change.foundClass !== undefined && { foundClass: change.foundClass }),
    },
  };
}

function ownResult(
  rule: keyof typeof OWN_RULES,
  found: {
    readonly level: Level;
    readonly detail?: string;
    readonly location: Location | undefined;
    readonly identity: { readonly [key: string]: string };
  },
): Found {
  const detail = found.detail === undefined ? "" : ` ${printable(found.detail, 400)}`;
  return {
    ruleId: rule,
    level: found.level,
    message: textOf(`${OWN_RULES[rule]}${detail}`),
    ...locationsOf(found.location),
    partialFingerprints: { "finding/v1": fingerprint({ rule, ...found.identity }) },
  };
}

function fingerprint(value: Parameters<typeof digestOf>[0]): string {
  return digestOf(value).replace(/^[^:]*:/, "");
}

function locationsOf(location: Location | undefined, logical?: string): Pick<Result, "locations"> {
  const logicalLocations =
    logical === undefined
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: printable(logical, 400), kind: "member" }] };
  if (location === undefined) return logical === undefined ? {} : { locations: [logicalLocations] };
  const { startLine, startColumn, endLine, endColumn } = location.region;
  return {
    locations: [
      {
        physicalLocation: {
          artifactLocation: {
            uri: uriOf(location.path),
            uriBaseId: "%SRCROOT%",
          },
          // Of a value of many lines, the one that names it is enough to see.
          region: { startLine, startColumn, ...(endLine === startLine && { endColumn }) },
        },
        ...logicalLocations,
      },
    ],
  };
}

/** A path as a relative URI. A lone surrogate, which none can hold, is written out. */
function uriOf(path: string): string {
  return printable(path, 2_000).split("/").map(encodeURIComponent).join("/");
}

/** A message's text, in which `[text](target)` would be a link (section 3.11.6), and the text is not all ours. */
function textOf(text: string): { text: string } {
  return { text: text.replaceAll("](", "] (") };
}

function describeRule(id: string): ReportingDescriptor {
  const own = Object.entries(OWN_RULES).find(([name]) => name === id)?.[1];
  const rule = findRule(id);
  if (rule === undefined) return { id, shortDescription: { text: own ?? `A change of the kind "${id}".` } };
  return {
    id,
    shortDescription: { text: `${rule.says}.` },
    fullDescription: { text: `${rule.says}: ${rule.why}.` },
    help: { text: `${rule.says}: ${rule.why}. "npx mcp-codegen explain ${id}" says more.` },
    defaultConfiguration: { level: LEVEL_OF[rule.class] },
    properties: propertiesOf(rule),
  };
}

/** GitHub sorts security alerts by `security-severity`, a number from 0 to 10 as a text. */
function propertiesOf(rule: Rule): NonNullable<ReportingDescriptor["properties"]> {
  const severity = rule.class === "breaking" ? "8.0" : "6.0";
  return {
    tags: [...rule.impacts, ...(rule.security === true ? ["security"] : [])],
    ...(rule.security === true && { "security-severity": severity }),
  };
}

function notificationsOf({ unverified, diagnostics, waivers = [] }: Findings): Notification[] {
  return [
    ...unverified.map(({ server, environment, reason, hint, stderr = [] }): Notification => ({
      level: "error",
      message: textOf(
        [
          `${printable(placeOf({ server, environment }), 160)}: ${printable(reason, 400)}`,
          ...stderr.map((line) => printable(line, 400)),
          ...(hint === undefined ? [] : [printable(hint, 400)]),
        ].join(" "),
      ),
    })),
    ...waivers.map((notice): Notification => ({
      level: "warning",
      message: textOf(describeNotice(notice)),
    })),
    ...diagnostics.map(({ code, server, tool, path, message }): Notification => ({
      level: "note",
      message: textOf(
        printable(`${server} ${tool}${path === "" ? "" : ` at ${path}`}: ${message} [${code}]`, 600),
      ),
    })),
  ];
}
