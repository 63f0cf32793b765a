/** What every format has to show, so that nothing that was not verified looks fine in one of them. */
import { describe, expect, it } from "vitest";
import { REPORT_FLAGS } from "../../src/cli/options.js";
import { printPage } from "../../src/cli/deliver-reports.js";
import type { Findings, ReportList } from "../../src/report/findings.js";
import { type RenderContext, renderReport, type ReportFormat } from "../../src/report/render-report.js";
import { textOfPage } from "./page/run-page.js";
import {
  brokenScript,
  excess,
  findings,
  HOSTILE,
  hostileFindings,
  judgedChange,
  nothingFound,
  notice,
  plain,
  reading,
  refusal,
  staleCall,
  unknownName,
} from "./fixtures.js";

const unusable = {
  code: "TOOL_UNUSABLE",
  server: "site",
  tool: "get",
  path: "",
  message: "has no input schema",
} as const;

/** An entry of each list of a report, and a part of its text. */
const ENTRIES = {
  changes: [{ changes: [{ ...judgedChange, reason: "title is a headline now" }] }, "title is a headline now"],
  stale: [{ stale: [{ path: "site/a.ts", state: "stale", reason: "its tool changed" }] }, "its tool changed"],
  edited: [{ edited: ["site/edited.ts"] }, "site/edited.ts"],
  diagnostics: [{ diagnostics: [unusable] }, "has no input schema"],
  unverified: [
    { unverified: [{ server: "away", reason: "refused the connection" }] },
    "refused the connection",
  ],
  overBudget: [{ overBudget: [excess] }, "cost 1,234 tokens"],
  cassettes: [{ cassettes: [staleCall] }, "The locked output schema refuses it"],
  scripts: [{ scripts: [brokenScript] }, "there is no property `sum`"],
  mentions: [{ mentions: [unknownName] }, "allows `mcp__shop__refnd`"],
  hosts: [{ hosts: [refusal] }, "refuses the whole request"],
  waivers: [{ waivers: [notice("expired", "get")] }, "expired"],
  php: [{ php: [reading] }, "2 tools not registered by this PHP"],
} as const satisfies Readonly<Record<ReportList, readonly [found: Partial<Findings>, text: string]>>;

const contextOf = (all: Findings): RenderContext => ({
  layout: { paint: plain, width: 80 },
  version: "1.0.0",
  findPlaces: () => Promise.resolve({}),
  printPage: () => printPage({ title: "check", findings: all }, undefined),
});

const NAMES = [
  ...HOSTILE,
  "\ud800",
  "a\udc00b",
  "%uD800",
  "__proto__",
  "constructor",
  "",
  "x".repeat(100_000),
];

describe.each(REPORT_FLAGS.format.choices)("a report as %s", (format: ReportFormat) => {
  it.each(NAMES)("shows the breaking change of another tool beside %j", async (name) => {
    const hostile = hostileFindings(name);
    const other = {
      ...judgedChange,
      tool: "create-post",
      path: "/inputSchema/properties/headline/maxLength",
    };
    const all = { ...hostile, changes: [...hostile.changes, other] };
    const { changes } = all;
    const document = { ...nothingFound, report: "check", exitCode: 1, repairs: [], changes } as const;
    const printed = await renderReport(format, { findings: all, document }, contextOf(all));
    // UTF-8 cannot encode half of a pair.
    expect(printed).not.toMatch(/\p{Cs}/u);
    const shown = format === "html" ? textOfPage(printed, "#/changes") : printed;
    expect(shown).toContain("create-post");
    expect(shown).toContain("headline");
  });

  it.each(Object.entries(ENTRIES))("shows an entry of %s", async (list, [found, text]) => {
    const all = findings(found);
    const document = { report: "check", exitCode: 0, ...nothingFound, changes: [], repairs: [] } as const;
    const report = { findings: all, document: { ...document, ...found } };
    const printed = await renderReport(format, report, contextOf(all));
    // Data has the numbers, not the words.
    const isData = format === "json" && (list === "overBudget" || list === "php");
    expect(printed).toContain(isData ? `"${list}"` : text);
  });

  it("shows the server, the environment, stderr and the hint of what was not verified", async () => {
    const all = findings({
      unverified: [
        { server: "away", environment: "staging", reason: "ended", hint: "Start it.", stderr: ["no port"] },
      ],
    });
    const { unverified } = all;
    const document = { report: "check", exitCode: 3, ...nothingFound, changes: [], repairs: [] } as const;
    const report = { findings: all, document: { ...document, unverified } };
    const printed = await renderReport(format, report, contextOf(all));
    for (const part of ["away", "staging", "ended", "Start it.", "no port"]) expect(printed).toContain(part);
  });
});
