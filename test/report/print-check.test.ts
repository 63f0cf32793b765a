import { describe, expect, it } from "vitest";
import { LOCKFILE_NAME } from "../../src/contract/lockfile.js";
import { printCheck, repairsOf } from "../../src/report/print-check.js";
import { narrowed, nothingFound, plain } from "./fixtures.js";

const context = { paint: plain, explain: () => "Longer titles are now rejected.", fails: () => true };

describe("the report of a check", () => {
  it("is one line when all is in order", () => {
    expect(printCheck(nothingFound, context)).toEqual([
      "In order: checked 1 server and 14 files against the lock.",
    ]);
    expect(printCheck(nothingFound, { ...context, isOffline: true })).toEqual([
      "In order: checked 14 files against the lock.",
    ]);
  });

  it("tells drift, stale files, hand edits and outages apart, and ends with the command that accepts", () => {
    const report = {
      ...nothingFound,
      changes: [narrowed],
      stale: [{ path: "site/a.ts", state: "stale" as const, reason: "its definition changed" }],
      edited: ["site/b.ts"],
      unverified: [{ server: "shop", reason: "refused the connection" }],
    };
    expect(printCheck(report, context)).toEqual([
      "site differs from the lock: 1 change",
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
    const report = { ...nothingFound, changes: [narrowed] };
    expect(printCheck(report, { ...context, fails: () => false })).toContain(
      "Checked 1 server and 14 files against the lock: 1 change, none of which fails.",
    );
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
    expect(repairsOf({ ...nothingFound, ...found }).map(({ command }) => command)).toEqual(commands);
  });
});
