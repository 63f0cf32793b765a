import type { Location as SarifLocation, Log, Notification, ReportingDescriptor, Result } from "sarif";
import type { ChangeClass } from "../core/change.js";
import { digestOf } from "../core/digest.js";
import { findHostRule } from "../core/hosts/host-rules.js";
import { omitUndefined } from "../core/collections.js";
import { getOwn, type JsonObject, type JsonValue } from "../core/json.js";
import { printable, printJson } from "../core/printable.js";
import { findRule } from "../drift/rules.js";
import { describeEdit, nameSubject } from "./describe-edit.js";
import { joinNote } from "./describe-findings.js";
import { isEdited, type ReportContent } from "./report-content.js";
import { count, present } from "./layout.js";
import type { Location, ReportPlaces } from "./locate-findings.js";
import { showExample } from "./print-rules.js";
import { type ChangeRow, joinRow, OWN_RULES, type Row, rowsOf } from "./rows.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** A result before its rule has an index. */
type RuleResult = Result & { readonly ruleId: string };

/**
 * A report as SARIF 2.1.0 (OASIS), for code scanning: a result for each finding, at its line in the lock, with call
 * sites and other places as related locations. `partialFingerprints` do not depend on lines, so unrelated edits do
 * not change them.
 */
export function printSarif(content: ReportContent, places: ReportPlaces, version: string): string {
  const rows = rowsOf(content, { value: 200, line: 400, named: 20, places, isByRule: true });
  const { changes, waivers, notes, php, ...others } = rows;
  const results = [...changes.map(resultOfChange), ...Object.values(others).flat().map(resultOf)];
  const notified = [...others.unverified, ...waivers, ...notes, ...php];
  const ids = [...new Set(results.map(({ ruleId }) => ruleId))].sort();
  const rules = ids.map(describeSarifRule);
  const log: Log = {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "mcp-codegen", version, semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            // A server that could not be reached was not checked.
            executionSuccessful: content.unverified.length === 0,
            toolExecutionNotifications: notified.map(notificationOf),
          },
        ],
        results: results.map((result) => ({ ...result, ruleIndex: ids.indexOf(result.ruleId) })),
      },
    ],
  };
  return printJson(log);
}

type SarifLevel = "error" | "warning" | "note";

const LEVEL_OF: Readonly<Record<ChangeClass, SarifLevel>> = {
  breaking: "error",
  dangerous: "warning",
  unknown: "warning",
  safe: "note",
};

function describeSarifRule(id: string): ReportingDescriptor {
  const rule = findRule(id);
  if (rule === undefined) {
    const says: string =
      getOwn<string>(OWN_RULES, id) ?? findHostRule(id)?.says ?? `A change of the kind "${id}".`;
    return { id, shortDescription: { text: says } };
  }
  const { says, why, class: judged, impacts, security } = rule;
  const isSecurity = security === true;
  const hasExample = showExample(id).example !== undefined;
  const example = hasExample ? ` "npx mcp-codegen explain ${id}" shows an example.` : "";
  return {
    id,
    shortDescription: { text: `${says}.` },
    fullDescription: { text: `${says}: ${why}.` },
    help: { text: `${says}: ${why}.${example}` },
    defaultConfiguration: { level: LEVEL_OF[judged] },
    properties: {
      tags: [...present(...impacts, isSecurity && "security")],
      // GitHub sorts security alerts by this string with a number from 0 to 10.
      "security-severity": isSecurity ? (judged === "breaking" ? "8.0" : "6.0") : undefined,
    },
  };
}

/** GitHub's limit for related locations of a result. */
const MOST_RELATED = 100;

function resultOfChange(row: ChangeRow): RuleResult {
  const { findings, rule, message, words, explanations, notes, location } = row;
  const [first] = findings;
  const { cause = "", server, tool, path, waiver } = first;
  const subject = present(row.place, row.subject).join(" ");
  const place = present(subject, message).join(" at ");
  const related = relatedTo(row);
  const rest = related.length - MOST_RELATED;
  return {
    ruleId: rule,
    level: waiver === undefined ? LEVEL_OF[first.class] : "note",
    message: textOf(
      `${words.says === undefined ? place : `${subject}: ${message}`}.`,
      ...explanations,
      ...notes.map(joinNote),
      rest > 0 && `${count(rest, "more place")} in the report of "--json".`,
    ),
    locations: locationsOf(location, (tool === undefined ? server : `${server}/${tool}`) + path),
    relatedLocations: related.length > 0 ? related.slice(0, MOST_RELATED) : undefined,
    partialFingerprints: { "cause/v1": fingerprint({ rule, cause }) },
    suppressions: waiver && [{ kind: "external", justification: printable(waiver.reason, 400) }],
    properties: {
      class: first.class,
      security: first.security,
      impacts: [...new Set(findings.flatMap(({ impacts }) => impacts))],
      fails: row.fails,
      cause,
      changes: findings.length,
      foundClass: first.foundClass,
    },
  };
}

/** The affected places in the user's code, and other places in the lock with the same cause. */
function relatedTo({ sites, findings, locations }: ChangeRow): readonly SarifLocation[] {
  const inCode = sites.map(({ site, location }) => [location, printable(site.says, 300)] as const);
  const inLock = findings.slice(1).map((change, index) => {
    return [
      locations[index + 1],
      present(nameSubject(change), describeEdit(change).place).join(" "),
    ] as const;
  });
  return [...inCode, ...inLock].flatMap(([location, text]) =>
    location === undefined ? [] : [{ ...physicalOf(location), message: textOf(text) }],
  );
}

function resultOf(row: Row): RuleResult {
  const { rule, level, explanations, location } = row;
  return {
    ruleId: rule,
    level: levelOf(level),
    message: textOf(...explanations, joinRow(row)),
    locations: locationsOf(location),
    partialFingerprints: { "finding/v1": fingerprint({ rule, ...identityOf(row) }) },
  };
}

/** Distinguishes a row from others of its rule, whatever its line. */
function identityOf({ section, findings: [finding, ...others] }: Row): JsonObject {
  const { server, environment, tool, file, message, facts } = finding;
  if (section === "unverified") return omitUndefined({ server, environment, file });
  if (section === "budget") return omitUndefined({ server, of: facts?.of, environment });
  if (section === "hosts") return omitUndefined({ server, tool: others.length === 0 ? tool : undefined });
  if (section !== "files") return omitUndefined({ path: file, message });
  return omitUndefined(
    isEdited(finding) ? { path: file } : { path: file, state: facts?.state, reason: message },
  );
}

function notificationOf(row: Row): Notification {
  return {
    level: levelOf(row.level),
    message: textOf(joinRow(row)),
    // Servers that were not verified are results, which have the place.
    locations: row.level === "error" ? undefined : locationsOf(row.location),
  };
}

function levelOf(level: Row["level"]): SarifLevel {
  return level === "notice" ? "note" : level;
}

function fingerprint(value: JsonValue): string {
  return digestOf(value).replace(/^[^:]*:/, "");
}

function locationsOf(location: Location | undefined, logical?: string): SarifLocation[] | undefined {
  if (location === undefined && logical === undefined) return undefined;
  return [
    {
      ...(location && physicalOf(location)),
      logicalLocations:
        logical === undefined ? undefined : [{ fullyQualifiedName: printable(logical, 400), kind: "member" }],
    },
  ];
}

function physicalOf({ path, region }: Location): SarifLocation {
  const { startLine, startColumn, endLine, endColumn } = region;
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(path), uriBaseId: "%SRCROOT%" },
      // For a value of several lines, the line with its name is enough.
      region: {
        startLine,
        startColumn,
        endColumn: endLine === startLine && endColumn > startColumn ? endColumn : undefined,
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
function textOf(...parts: readonly (string | false | undefined)[]): { text: string } {
  return {
    text: present(...parts)
      .join(" ")
      .replaceAll("](", "] ("),
  };
}
