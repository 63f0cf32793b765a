/** What every format has to show, so that nothing that was not verified looks fine in one of them. */
import { describe, expect, it } from "vitest";
import { REPORT_FLAGS } from "../../src/cli/options.js";
import { findingOfEdited, findingOfFile, type Section } from "../../src/core/findings.js";
import type { ReportFormat } from "../../src/report/render-report.js";
import type { ReportContent } from "../../src/report/report-content.js";
import { textOfPage } from "./page/pages.js";
import {
  brokenScript,
  excess,
  findings,
  HOSTILE,
  hostileFindings,
  judgedChange,
  notice,
  reading,
  refusal,
  staleCall,
  unknownName,
  notVerified,
} from "./fixtures.js";
import { render } from "./render.js";

const unusable = {
  rule: "TOOL_UNUSABLE",
  server: "site",
  tool: "get",
  path: "",
  message: "has no input schema",
};
const stale = { path: "site/a.ts", state: "stale", reason: "its tool changed" } as const;

/** An entry of each section of a report, and a part of its text. */
const ENTRIES: Readonly<Record<Section, readonly [content: Partial<ReportContent>, text: string]>> = {
  changes: [{ changes: [{ ...judgedChange, reason: "title is a headline now" }] }, "title is a headline now"],
  files: [{ files: [findingOfFile(stale), findingOfEdited("site/edited.ts")] }, "its tool changed"],
  notes: [{ notes: [unusable] }, "has no input schema"],
  unverified: [{ unverified: [notVerified({ server: "away", message: "refused the connection" })] }, "refused the connection"],
  budget: [{ budget: [excess] }, "cost 1,234 tokens"],
  records: [{ records: [staleCall] }, "The locked output schema refuses it"],
  scripts: [{ scripts: [brokenScript] }, "there is no property `sum`"],
  names: [{ names: [unknownName] }, "allows `mcp__shop__refnd`"],
  hosts: [{ hosts: [refusal] }, "refuses the whole request"],
  waivers: [{ waivers: [notice("expired", "get")] }, "expired"],
  php: [{ php: [reading] }, "2 tools not registered by this PHP"],
}; // prettier-ignore

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
    const printed = await render(format, all, 80);
    // UTF-8 cannot encode half of a pair.
    expect(printed).not.toMatch(/\p{Cs}/u);
    const shown = format === "html" ? await textOfPage(printed, "#/changes") : printed;
    expect(shown).toContain("create-post");
    expect(shown).toContain("headline");
  });

  it.each(Object.entries(ENTRIES))("shows an entry of %s", async (section, [content, text]) => {
    const printed = await render(format, findings(content), 80);
    expect(printed).toContain(text);
    if (section === "files") expect(printed).toContain("site/edited.ts");
  });

  it("shows the server, the environment, stderr and the hint of what was not verified", async () => {
    const away = { server: "away", environment: "staging", message: "ended", hint: "Start it." };
    const unverified = [notVerified({ ...away, facts: { stderr: ["no port"] } })];
    const printed = await render(format, findings({ unverified }), 80);
    for (const part of ["away", "staging", "ended", "Start it.", "no port"]) expect(printed).toContain(part);
  });
});
