import type { Location as SarifLocation, Log, Notification, Result } from "sarif";
import { digestOf } from "../contract/digest.js";
import { count } from "./layout.js";
import { describeChanges, joinNote, joinWords } from "./describe-change.js";
import { describeFileFinding, describeExcess, describeNotice, isWaived } from "./print-sections.js";
import type { Findings, ReportedChange } from "./findings.js";
import { foldChanges, type FoldedChange } from "./fold-changes.js";
import { levelOfNote, subjectOfNote } from "./notes.js";
import { nameTools, placeOf, toolsOf, worstFirst } from "./group-changes.js";
import { describeEdit } from "./describe-edit.js";
import { subjectOf } from "./describe-place.js";
import {
  locateCallSite,
  locateCassette,
  locateChanges,
  locateFile,
  locateNotes,
  locateServer,
  locateUnverified,
  type Location,
  type Places,
} from "./locate-findings.js";
import { describeSarifRule, LEVEL_OF, OWN_RULES, type Level } from "./sarif-rules.js";
import { printable, printJson } from "../contract/printable.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** A result before its rule has an index. */
type Found = Omit<Result, "ruleIndex"> & { readonly ruleId: string };

/**
 * A report as SARIF 2.1.0 (OASIS), for code scanning: a result for each finding, at its line in the lock, with call
 * sites and other places as related locations. `partialFingerprints` do not depend on lines, so unrelated edits do
 * not change them.
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
          driver: {
            name: "mcp-codegen",
            version,
            semanticVersion: version,
            rules: ids.map(describeSarifRule),
          },
        },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            // A server that could not be reached was not checked.
            executionSuccessful: findings.unverified.length === 0,
            toolExecutionNotifications: notificationsOf(findings, places),
          },
        ],
        results: results.map((result) => ({ ...result, ruleIndex: ids.indexOf(result.ruleId) })),
      },
    ],
  };
  return printJson(log);
}

function findResults(findings: Findings, places: Places): readonly Found[] {
  const folded = foldByRule(findings.changes);
  const changes = folded.flatMap((finding) => finding.changes);
  const locations = new Map(
    locateChanges(changes, places).map((location, index) => [changes[index], location]),
  );
  const fileLevel = findings.doFilesFail ? "error" : "warning";
  return [
    ...folded.map((finding) => resultOf(finding, (change) => locations.get(change), places)),
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
    ...[...(findings.cassettes ?? []), ...(findings.mentions ?? [])].map((finding) =>
      ownResult(finding.rule, {
        level: isWaived(finding) ? "note" : fileLevel,
        detail: describeFileFinding(finding),
        location: locateCassette(finding, places),
        identity: { path: finding.path, message: finding.message },
      }),
    ),
    ...findings.unverified.map(({ server, environment, reason, file }) =>
      ownResult("not-verified", {
        level: "error",
        detail: `${placeOf({ server, environment })}: ${reason}`,
        location: locateUnverified({ server, file }, places),
        // A server may have several consumers that were not judged.
        identity: {
          server,
          ...(environment !== undefined && { environment }),
          ...(file !== undefined && { file }),
        },
      }),
    ),
  ];
}

/** A result has one rule, so a finding with two rules becomes two results. */
function foldByRule(changes: readonly ReportedChange[]): readonly FoldedChange<ReportedChange>[] {
  return foldChanges(worstFirst(changes)).flatMap((finding) => {
    const rules = [...new Set(finding.changes.map(({ rule }) => rule))];
    return rules.flatMap((rule) => {
      const [first, ...others] = finding.changes.filter((change) => change.rule === rule);
      return first === undefined ? [] : [{ ...finding, changes: [first, ...others] as const }];
    });
  });
}

/** GitHub's limit for related locations of a result. */
const MOST_RELATED = 100;

function resultOf(
  finding: FoldedChange<ReportedChange>,
  locate: (change: ReportedChange) => Location | undefined,
  places: Places,
): Found {
  const { cause, changes } = finding;
  const [first, ...others] = changes;
  const { server, tool, rule, path } = first;
  const words = describeChanges(changes, { value: 200, line: 400 });
  const subject = [
    printable(placeOf(first), 160),
    ...(subjectOf(first) === undefined ? [] : [nameTools(toolsOf(finding), 20)]),
  ].join(" ");
  const what = joinWords(words);
  const lead =
    words.says === undefined ? `${subject}${what === "" ? "" : ` at ${what}`}` : `${subject}: ${what}`;
  const related = [...relatedSites(changes, places), ...relatedChanges(others, locate)];
  const rest = related.length - MOST_RELATED;
  return {
    ruleId: rule,
    level: first.waiver === undefined ? LEVEL_OF[first.class] : "note",
    message: textOf(
      [
        `${lead}.`,
        ...new Set(changes.map(({ explanation }) => explanation)),
        ...words.notes.map(joinNote),
        ...(rest > 0 ? [`${count(rest, "more place")} in the report of "--json".`] : []),
      ].join(" "),
    ),
    ...locationsOf(locate(first), [server, ...(tool === undefined ? [] : [tool])].join("/") + path),
    ...(related.length > 0 && { relatedLocations: related.slice(0, MOST_RELATED) }),
    partialFingerprints: { "cause/v1": fingerprint({ rule, cause }) },
    ...(first.waiver !== undefined && {
      suppressions: [{ kind: "external", justification: printable(first.waiver.reason, 400) }],
    }),
    properties: {
      class: first.class,
      security: first.security,
      impacts: [...new Set(changes.flatMap(({ impacts }) => impacts))],
      fails: first.fails,
      cause,
      changes: changes.length,
      ...(first.foundClass !== undefined && { foundClass: first.foundClass }),
    },
  };
}

/** The affected places in the user's code. */
function relatedSites(
  changes: readonly ReportedChange[],
  places: Places,
): NonNullable<Result["relatedLocations"]> {
  const sites = changes.flatMap(({ callSites = [] }) => callSites);
  const distinct = [...new Map(sites.map((site) => [JSON.stringify(site), site])).values()];
  return distinct.flatMap((site) => {
    const location = locateCallSite(site, places);
    if (location === undefined) return [];
    return [{ ...physicalOf(location), message: textOf(printable(site.says, 300)) }];
  });
}

/** Other places in the lock with the same cause. */
function relatedChanges(
  changes: readonly ReportedChange[],
  locate: (change: ReportedChange) => Location | undefined,
): NonNullable<Result["relatedLocations"]> {
  return changes.flatMap((change) => {
    const location = locate(change);
    if (location === undefined) return [];
    const subject = printable(subjectOf(change) ?? "the server itself", 80);
    return [{ ...physicalOf(location), message: textOf(`${subject} ${describeEdit(change).place}`.trim()) }];
  });
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
  return { locations: [{ ...physicalOf(location), ...logicalLocations }] };
}

function physicalOf({ path, region }: Location): Pick<SarifLocation, "physicalLocation"> {
  const { startLine, startColumn, endLine, endColumn } = region;
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(path), uriBaseId: "%SRCROOT%" },
      // For a value of several lines, the line with its name is enough.
      region: {
        startLine,
        startColumn,
        ...(endLine === startLine && endColumn > startColumn && { endColumn }),
      },
    },
  };
}

/** A path as a relative URI. Lone surrogates, which URIs cannot hold, are escaped. */
function uriOf(path: string): string {
  return printable(path, 2_000).split("/").map(encodeURIComponent).join("/");
}

/**
 * The text of a message, with `[text](target)` escaped: it would be a link (section 3.11.6), and parts of the text
 * come from servers.
 */
function textOf(text: string): { text: string } {
  return { text: text.replaceAll("](", "] (") };
}

function notificationsOf(
  { unverified, diagnostics, waivers = [] }: Findings,
  places: Places,
): Notification[] {
  const locations = locateNotes(diagnostics, places);
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
    ...waivers.map((notice): Notification => ({ level: "warning", message: textOf(describeNotice(notice)) })),
    ...diagnostics.map((note, index): Notification => {
      const subject = `${printable(note.server, 80)} ${subjectOfNote(note)}`.trim();
      return {
        level: levelOfNote(note) === "notice" ? "note" : "warning",
        message: textOf(`${subject}: ${printable(note.message, 400)} [${note.code}]`),
        ...locationsOf(locations[index]),
      };
    }),
  ];
}
