/** What every format has to show, so that nothing that was not verified looks fine in one of them. */
import { describe, expect, it } from "vitest";
import { SHARED } from "../../src/cli/options.js";
import { printPage } from "../../src/cli/deliver-reports.js";
import type { Findings } from "../../src/report/findings.js";
import { type RenderContext, renderReport, type ReportFormat } from "../../src/report/render-report.js";
import { textOfPage } from "../page/run-page.js";
import {
  broken,
  findings,
  HOSTILE,
  hostileFindings,
  judgedChange,
  nothingFound,
  notice,
  plain,
  unknownName,
} from "./fixtures.js";

/** One thing that a report may have besides changes and files, and a part of its text. */
const PARTS: Readonly<Record<string, readonly [found: Partial<Findings>, text: string]>> = {
  "a server that was not verified": [
    { unverified: [{ server: "away", reason: "refused the connection" }] },
    "refused the connection",
  ],
  "a note": [{ diagnostics: [broken] }, "already breaks acme-web since 2.0.0"],
  "a waiver without effect": [{ waivers: [notice("expired", "get")] }, "expired"],
  "an unknown name": [{ mentions: [unknownName] }, "allows `mcp__shop__refnd`"],
};

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

describe.each(SHARED.format.choices)("a report as %s", (format: ReportFormat) => {
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

  it.each(Object.entries(PARTS))("has %s", async (_, [found, text]) => {
    const all = findings(found);
    const { diagnostics, unverified, waivers = [], mentions = [] } = all;
    const document = { report: "check", exitCode: 0, ...nothingFound, changes: [], repairs: [] } as const;
    const report = { findings: all, document: { ...document, diagnostics, unverified, waivers, mentions } };
    const printed = await renderReport(format, report, contextOf(all));
    expect(printed).toContain(text);
  });
});
