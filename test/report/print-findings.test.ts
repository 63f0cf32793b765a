import { describe, expect, it } from "vitest";
import { LOCKFILE_NAME } from "../../src/contract/lockfile.js";
import type { CheckReport } from "../../src/contract/reports.js";
import type { ReportedChange } from "../../src/report/findings.js";
import { findingsOfCheck } from "../../src/report/findings-of-check.js";
import { printFindings } from "../../src/report/print-findings.js";
import { narrowed, nothingFound, plain } from "./fixtures.js";

const failing: ReportedChange = {
  ...narrowed,
  fails: true,
  explanation: "Longer titles are now rejected.",
};

function print(
  report: Partial<CheckReport>,
  changes: readonly ReportedChange[],
  isOffline = false,
): readonly string[] {
  return printFindings(
    findingsOfCheck({ ...nothingFound, ...report, changes }, { changes, isOffline }),
    plain,
  );
}

describe("the report of a check", () => {
  it("is one line when all is in order", () => {
    expect(print({}, [])).toEqual(["In order: checked 1 server and 14 files against the lock."]);
    expect(print({}, [], true)).toEqual(["In order: checked 14 files against the lock."]);
  });

  it("tells drift, stale files, hand edits and outages apart, and ends with the command that accepts", () => {
    const report = {
      stale: [{ path: "site/a.ts", state: "stale" as const, reason: "its definition changed" }],
      edited: ["site/b.ts"],
      unverified: [{ server: "shop", reason: "refused the connection" }],
    };
    expect(print(report, [failing])).toEqual([
      "site: 1 change",
      "  ~ create-post at /inputSchema/properties/title/maxLength: 20 → 10 [input-bound-tightened: breaking]",
      "    Longer titles are now rejected.",
      "Out of date:",
      "  stale    site/a.ts (its definition changed)",
      "Edited by hand:",
      "  site/b.ts",
      "Not verified:",
      "  shop: refused the connection",
      "Checked 1 server and 14 files against the lock: 1 change, 1 file out of date, 1 file edited by hand, 1 not verified.",
      "Undo the hand edits, or overwrite them: npx mcp-codegen generate --force",
      "To accept: npx mcp-codegen pull site",
    ]);
  });

  it("says when no change is bad enough to fail", () => {
    expect(print({}, [{ ...failing, fails: false }])).toContain(
      "Checked 1 server and 14 files against the lock: 1 change, none of which fails.",
    );
  });

  it("is not in order when nothing was found and something was not verified", () => {
    const lines = print({ unverified: [{ server: "shop", reason: "away" }] }, []);
    expect(lines.join("\n")).not.toContain("In order");
  });

  it.each([
    ["nothing", {}, []],
    ["drift", { changes: [narrowed] }, ["npx mcp-codegen pull site"]],
    ["a stale file", { stale: [{ path: "a.ts", state: "stale" as const }] }, ["npx mcp-codegen generate"]],
    [
      "a lock that lags behind the configuration",
      { stale: [{ path: LOCKFILE_NAME, state: "stale" as const }] },
      ["npx mcp-codegen pull"],
    ],
    ["a hand edit", { edited: ["a.ts"] }, ["npx mcp-codegen generate --force"]],
    ["an outage", { unverified: [{ server: "site", reason: "away" }] }, []],
  ])("names what mends %s", (_, found, commands) => {
    const { repairs } = findingsOfCheck({ ...nothingFound, ...found }, { changes: [] });
    expect(repairs.map(({ command }) => command)).toEqual(commands);
  });
});
