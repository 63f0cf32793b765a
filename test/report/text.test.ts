import type { Change } from "../../src/core/change.js";
import { findingOfEdited, findingOfFile } from "../../src/core/findings.js";
import { describe, expect, it } from "vitest";
import { LOCKFILE_NAME } from "../../src/core/lockfile.js";
import type { CheckReport } from "../../src/pipeline/check/check-report.js";
import { contentOfCheck } from "../../src/report/report-content.js";
import { printTextReport } from "../../src/report/render-report.js";
import {
  everything,
  findings,
  hostileFindings,
  HOSTILE,
  judgedChange,
  nothingFound,
  plain,
  renamedField,
  notVerified,
} from "./fixtures.js";

const away = notVerified({ server: "site", message: "away" });
const failing: Change = { ...judgedChange, explanation: "Longer titles are now rejected." };

async function print(
  report: Partial<CheckReport>,
  changes: readonly Change[],
  isOffline = false,
): Promise<readonly string[]> {
  const found = { ...nothingFound, ...report, changes };
  const findings = await contentOfCheck(found, { changes, failOn: "any", isOffline });
  return printTextReport(findings, { paint: plain, width: 120 });
}

describe("the report of a check", () => {
  it.each([
    [[], 5, "no lines affected in the 5 files that use generated code."],
    [["a:1", "a:2", "b:1"], 5, "3 lines affected, in 2 of the 5 files that use generated code."],
    [["a:1"], 2, "1 line affected, in 1 of the 2 files that use generated code."],
    [["a:1"], 1, "1 line affected, in the only file that uses generated code."],
    [[], 1, "no lines affected in the only file that uses generated code."],
  ])("counts the lines %j that changes affect, and their files", async (places, files, says) => {
    const callSites = places.map((place) => {
      const [file = "", line] = place.split(":");
      return { file, line: Number(line), column: 1, says: "x", effect: "stops-compiling" as const };
    });
    const impact = { projects: ["tsconfig.json"], files, unused: [] };
    expect(await print({ impact }, [{ ...failing, callSites }])).toContain(
      `Your code (tsconfig.json): ${says}`,
    );
  });

  it("is one line without findings", async () => {
    expect(await print({}, [])).toEqual(["Up to date: checked 1 server and 14 files against the lock."]);
    expect(await print({}, [], true)).toEqual(["Up to date: checked 14 files against the lock."]);
  });

  it("separates drift, stale files, hand edits and outages, and ends with the command that accepts", async () => {
    const report = {
      files: [
        findingOfFile({ path: "site/a.ts", state: "stale", reason: "its definition changed" }),
        findingOfEdited("site/b.ts"),
      ],
      unverified: [notVerified({ server: "shop", message: "refused the connection" })],
    };
    expect(await print(report, [failing])).toEqual([
      "site: 1 change (1 breaking)",
      "  create-post",
      "    ~ breaking  input.title maxLength: 20 → 10 [input-bound-tightened]",
      "Out of date:",
      "  stale    site/a.ts (its definition changed)",
      "Edited by hand:",
      "  site/b.ts",
      "Not verified:",
      "  shop: refused the connection",
      "Rules:",
      "  input-bound-tightened: Longer titles are now rejected.",
      "Checked 1 server and 14 files against the lock: 1 change, 1 file out of date, 1 file edited by hand, 1 not verified.",
      "Undo the hand edits, or overwrite them: npx mcp-codegen generate --force",
      "To accept: npx mcp-codegen pull site",
    ]);
  });

  it("states that no change fails", async () => {
    expect(await print({}, [{ ...failing, fails: false }])).toContain(
      "Checked 1 server and 14 files against the lock: 1 change, which does not fail the check.",
    );
    const other = { ...failing, fails: false, tool: "update-post", after: 5 };
    expect(await print({}, [{ ...failing, fails: false }, other])).toContain(
      "Checked 1 server and 14 files against the lock: 2 changes, none of which fails the check.",
    );
  });

  it("is not clean if something was not verified", async () => {
    const lines = await print({ unverified: [away] }, []);
    expect(lines.join("\n")).not.toContain("Up to date");
  });

  it("counts a lock once that is out of date for two reasons", async () => {
    const lock = { path: LOCKFILE_NAME, state: "stale" as const };
    const lines = await print(
      {
        files: [findingOfFile({ ...lock, reason: "a" }), findingOfFile({ ...lock, reason: "b" })],
      },
      [],
    );
    expect(lines).toContain("Checked 1 server and 14 files against the lock: 1 file out of date.");
  });

  it.each([
    ["nothing", {}, []],
    ["drift", { changes: [failing] }, ["npx mcp-codegen pull site"]],
    [
      "a stale file",
      { files: [findingOfFile({ path: "a.ts", state: "stale" })] },
      ["npx mcp-codegen generate"],
    ],
    [
      "a lock that is older than the configuration",
      { files: [findingOfFile({ path: LOCKFILE_NAME, state: "stale" })] },
      ["npx mcp-codegen pull"],
    ],
    [
      "a contract that a merge joined",
      {
        files: [
          findingOfFile({ path: LOCKFILE_NAME, state: "stale", hint: 'Run "npx mcp-codegen generate".' }),
        ],
      },
      ["npx mcp-codegen generate"],
    ],
    ["a hand edit", { files: [findingOfEdited("a.ts")] }, ["npx mcp-codegen generate --force"]],
    ["an outage", { unverified: [away] }, []],
  ])("names the command that fixes %s", async (_, found, commands) => {
    const { repairs } = await contentOfCheck(
      { ...nothingFound, ...found },
      { changes: "changes" in found ? found.changes : [], failOn: "any" },
    );
    expect(repairs.map(({ command }) => command)).toEqual(commands);
  });
});

describe("the changes of a check", () => {
  const layout = { paint: plain, width: 120 };

  it("are sorted worst first, with each rule explained once, and those that do not fail counted", async () => {
    const safe: Change = {
      ...judgedChange,
      rule: "input-bound-loosened",
      class: "safe",
      fails: false,
    };
    const risky: Change = {
      ...judgedChange,
      rule: "icons-changed",
      class: "dangerous",
      security: true,
    };
    const changes = [safe, judgedChange, risky, { ...judgedChange, path: "/inputSchema" }];
    const lines = await printTextReport({ ...everything, changes }, layout);
    const rules = lines.flatMap((line) => /^ {4}. .*\[([a-z-]+)/.exec(line)?.[1] ?? []);
    expect(rules).toEqual(["icons-changed", "input-bound-tightened", "input-bound-tightened"]);
    expect(lines.filter((line) => line.startsWith("  input-bound-tightened: "))).toHaveLength(1);
    expect(lines.join("\n")).not.toContain("input-bound-loosened");
    expect(lines).toContain('Not shown, since check.failOn allows it: 1 change (1 safe). "--json" lists it.');
    const alone = await printTextReport({ ...everything, changes: [safe] }, layout);
    expect(alone.join("\n")).toContain("[input-bound-loosened, does not fail]");
    expect(alone.join("\n")).not.toContain("Not shown");
  });

  it("show old and new values within the terminal's width, from where long texts differ", async () => {
    const before = `${"The same beginning of both. ".repeat(20)}Lists posts.`;
    const change = { ...judgedChange, before, after: before.replace("Lists", "Deletes") };
    const [line = ""] = (await printTextReport({ ...everything, changes: [change] }, layout)).filter((text) =>
      text.includes("→"),
    );
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line).toMatch(/…[^→]*both\. Lists.* → …[^→]*both\. Deletes/);
  });

  it.each([
    [
      "Lists  posts.\n\n  Newest first.",
      "Lists posts. Oldest first.",
      "Lists posts. Newest",
      "Lists posts. Oldest",
    ],
    ["Lists posts.", "Lists\n\nposts.", '"Lists posts."', '"Lists\\n\\nposts."'],
  ])(
    "show the first difference of descriptions %j and %j without white space",
    async (before, after, was, is) => {
      const change = { ...judgedChange, rule: "tool-description-changed", before, after };
      const [line = ""] = (await printTextReport({ ...everything, changes: [change] }, layout)).filter(
        (text) => text.includes("→"),
      );
      expect(line).toContain(was);
      expect(line).toContain(is);
    },
  );

  it("have a counterexample with its verdict", async () => {
    const lines = await printTextReport(everything, layout);
    expect(lines).toContain('        {"title":"aaaaaaaaaaaaaaa"} was accepted and is now rejected');
  });

  it("show the confidence of a guess", async () => {
    const renamed = { ...judgedChange, rule: "tool-renamed", path: "", confidence: 0.873 };
    const lines = await printTextReport({ ...everything, changes: [renamed] }, layout);
    expect(lines).toContain("        87 percent sure");
  });

  it("are limited to five hundred, the worst first", async () => {
    const many = Array.from({ length: 600 }, (_, index): Change => ({
      ...judgedChange,
      class: "safe",
      after: index,
      tool: `tool-${index}`,
    }));
    const lines = await printTextReport({ ...everything, changes: [...many, judgedChange] }, layout);
    expect(lines.slice(0, 3).join("\n")).toContain("~ breaking");
    expect(lines.join("\n")).toContain('… and 101 more changes: "--json" lists them all');
  });

  it("show a finding of several tools once, with every place in the user's code", async () => {
    const lines = await printTextReport(findings({ changes: renamedField }), layout);
    expect(lines).toEqual([
      "site: 1 change, found 3 times (1 breaking)",
      "  2 tools: create-order, refund",
      '    ~ breaking  input.price.currencyCode, input.tip.currencyCode, input.amount.currencyCode: "currency" → "currencyCode" [input-property-renamed, 3 places]',
      "        90 percent sure",
      "        src/desk.ts:7 passes `currency`, renamed to `currencyCode`",
      "        src/desk.ts:8 passes `currency`, renamed to `currencyCode`",
      "        src/desk.ts:9 passes `currency`, renamed to `currencyCode`",
      "Rules:",
      "  input-property-renamed: A property of the input was renamed: callers that pass it are rejected.",
      "Checked 1 server and 14 files against the lock: 1 change, found 3 times.",
    ]);
  });

  it("show the values of an enum on one line, and the relevant part of a witness", async () => {
    const change = { ...judgedChange };
    delete change.before;
    const values = ["one", "two", "three"].map((after): Change => ({
      ...change,
      rule: "output-enum-value-added",
      path: "/outputSchema/properties/orders/items/properties/state/enum",
      after,
      witness: {
        orders: [{ id: "x".repeat(80), note: "y".repeat(80), state: after, customer: "z".repeat(80) }],
      },
      witnessAt: "/orders/0/state",
    }));
    const lines = await printTextReport(findings({ changes: values }), { paint: plain, width: 80 });
    expect(lines[2]).toBe(
      '    + breaking  output.orders[].state enum: "one", "two", "three" [output-enum-value-added, 3 places]',
    );
    expect(lines[3]).toMatch(/^ {8}.*"state":"one",…\}\]\} is now a possible answer \(1 of 3\)$/);
    expect(lines[3]?.length).toBeLessThanOrEqual(80);
  });

  it("report in a sentence that the server's version did not change", async () => {
    const kept: Change = {
      rule: "server-version-kept",
      class: "dangerous",
      security: false,
      server: "site",
      path: "/serverInfo/version",
      before: "1.0.0",
      after: "1.0.0",
      impacts: ["trust"],
      fails: true,
      explanation: "The server's tools changed, but its version did not.",
    };
    const lines = await printTextReport(findings({ changes: [kept] }), layout);
    expect(lines[2]).toBe(
      "    ~ dangerous  the server's version did not change: 1.0.0 [server-version-kept]",
    );
  });

  it("name the object whose property became required", async () => {
    const required = {
      ...judgedChange,
      rule: "input-property-became-required",
      path: "/inputSchema/properties/title",
      before: false,
      after: true,
    };
    const lines = await printTextReport(findings({ changes: [required] }), layout);
    expect(lines[2]).toBe(
      "    ~ breaking  input.title: optional → required [input-property-became-required]",
    );
  });

  it.each(HOSTILE)("contain nothing that a terminal or a CI log interprets: %j", async (text) => {
    const lines = await printTextReport(hostileFindings(text), layout);
    for (const line of lines) {
      expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(line).not.toMatch(/^\s*::|##\[|##vso\[/);
    }
  });
});
