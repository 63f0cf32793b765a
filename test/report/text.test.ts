import type { CallSite, Change } from "../../src/core/change.js";
import { findingOfEdited, findingOfFile } from "../../src/core/findings.js";
import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCKFILE_NAME } from "../../src/core/lockfile.js";
import type { CheckReport } from "../../src/pipeline/check/check-report.js";
import { contentOfCheck } from "../../src/report/report-content.js";
import { wrapLines } from "../../src/cli/print-text.js";
import { printTextReport } from "../../src/report/render-report.js";
import {
  everything,
  findings,
  hostileFindings,
  HOSTILE,
  judgedChange,
  nothingFound,
  notice,
  plain,
  renamedField,
  notVerified,
} from "./fixtures.js";
import { runs } from "../sample.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const away = notVerified({ server: "site", message: "away" });
const failing: Change = { ...judgedChange, explanation: "Longer titles are now rejected." };

function print(
  report: Partial<CheckReport>,
  changes: readonly Change[],
  isOffline = false,
): readonly string[] {
  const found = { ...nothingFound, ...report, changes };
  const findings = contentOfCheck(found, { changes, failOn: "any", isOffline });
  return printTextReport(findings, { paint: plain, width: 120 });
}

describe("the report of a check", () => {
  it("counts waived changes apart, so that a waiver lowers the count of its class", () => {
    const waived = { ...failing, tool: "other", fails: false, waiver: { reason: "Known." } };
    const [head] = print({}, [failing, waived]);
    expect(head).toBe("site · 1 breaking, 1 waived");
    expect(print({}, [waived])[0]).toBe("site · 1 waived");
  });

  it("prints a new name in full, and with --all every value, over as many lines as they need", () => {
    const name = "get_the_orders_of_a_customer_by_status";
    const renamed = {
      ...failing,
      rule: "tool-renamed",
      path: "",
      before: "get_orders",
      after: name,
      tool: "get_orders",
    };
    const text = {
      ...failing,
      rule: "input-enum-changed",
      before: "a".repeat(30),
      after: `${"b ".repeat(60)}end`,
    };
    const linesOf = (isAll: boolean): readonly string[] =>
      printTextReport(findings({ changes: [renamed, text] }), { paint: plain, width: 60 }, isAll);
    for (const isAll of [false, true]) {
      const lines = linesOf(isAll);
      const says = lines.join(" ").replaceAll(/ +/g, " ");
      expect(says).toContain(`renamed to \`${name}\``);
      expect(says.includes(' end"')).toBe(isAll);
      expect(lines.slice(0, -3).filter((line) => line.length > 60)).toEqual([]);
    }
  });

  it("names all tools of a finding with --all", () => {
    const names = Array.from({ length: 60 }, (_, at) => `remove-the-post-${at}`);
    const changes = names.map((tool): Change => ({ ...failing, rule: "tool-removed", path: "", tool }));
    const content = contentOfCheck({ ...nothingFound, changes }, { changes, failOn: "any" });
    const missing = (isAll: boolean): number => {
      const text = printTextReport(content, { paint: plain, width: 100 }, isAll).join("\n");
      return names.filter((name) => !new RegExp(String.raw`${name}\b`).test(text)).length;
    };
    expect([missing(true), missing(false) > 0]).toEqual([0, true]);
  });

  it.each([
    [[], 5, "your code: no line breaks"],
    [[], 0, "your code: does not use it"],
    [["a:1", "a:2", "b:1"], 5, "your code: 3 lines in 2 files"],
    [["a:1"], 5, "your code: 1 line in a"],
  ])("counts the lines %j that changes affect, and their files", (places, files, says) => {
    const callSites = places.map((place) => {
      const [file = "", line] = place.split(":");
      return { file, line: Number(line), column: 1, says: "x", effect: "stops-compiling" as const };
    });
    const impact = { projects: ["tsconfig.json"], files, unused: [] };
    const [head] = print({ impact }, [{ ...failing, callSites }]);
    expect(head).toBe(`site · 1 breaking · ${says}`);
  });

  it("says what the server says of its version, and why lines of code were not searched", () => {
    const version = {
      ...failing,
      rule: "server-version-changed",
      class: "safe" as const,
      path: "/serverInfo/version",
    };
    const impact = { projects: [], files: 0, unused: [], problem: "ts-morph is not installed." };
    const lines = print({ impact }, [failing, { ...version, before: "1.0.0", after: "2.0.0" }]);
    expect(lines[0]).toBe("site 1.0.0 → 2.0.0 · 1 breaking, 1 safe · your code: not searched");
    expect(lines).toContain("Call sites were not searched: ts-morph is not installed.");
  });

  it("is one line without findings", () => {
    expect(print({}, [])).toEqual(["Up to date: checked 1 server and 14 files against the lock."]);
    expect(print({}, [], true)).toEqual(["Up to date: checked 14 files against the lock."]);
  });

  it("says what changed and what to do first, and then each kind of finding", () => {
    const report = {
      files: [
        findingOfFile({ path: "site/a.ts", state: "stale", reason: "its definition changed" }),
        findingOfEdited("site/b.ts"),
      ],
      unverified: [notVerified({ server: "shop", message: "refused the connection" })],
    };
    expect(print(report, [failing])).toEqual([
      "site · 1 breaking",
      "",
      "  undo the hand edits, or overwrite them  npx mcp-codegen generate --force",
      "  take it                                 npx mcp-codegen pull site",
      "",
      "  breaking  ~ create-post  input.title maxLength: 20 → 10 [input-bound-tightened]",
      "Out of date:",
      "  stale    site/a.ts (its definition changed)",
      "Edited by hand:",
      "  site/b.ts",
      "Not verified:",
      "  shop: refused the connection",
      "Checked 1 server and 14 files against the lock: 1 change, 1 file out of date, 1 file edited by hand, 1 not verified.",
    ]);
  });

  it("has a line for each of the first waivers that are not used, with its command in one piece, whatever the width", () => {
    const path = `/inputSchema/properties/${"long/".repeat(50)}`;
    const waivers = Array.from({ length: 7 }, (_, at) => `tool-${at}`).map((name) => ({
      ...notice("unused", name),
      path,
    }));
    const lines = printTextReport(findings({ waivers }), { paint: plain, width: 60 });
    expect(lines.slice(1, 2)).toEqual([
      `  Not used. To remove it: npx mcp-codegen check site --unwaive tool-removed ${waivers[0]?.tool ?? ""} ${path}`,
    ]);
    expect(lines.slice(6, 7)).toEqual(["  … 2 more waivers that are not used"]);
  });

  it("states that no change fails", () => {
    const mild = { ...failing, fails: false };
    const sum = "Checked 1 server and 14 files against the lock:";
    expect(print({}, [mild])).toContain(`${sum} 1 change, which does not fail the check.`);
    expect(print({}, [mild, { ...mild, tool: "update-post", after: 5 }])).toContain(
      `${sum} 2 changes, none of which fails the check.`,
    );
  });

  it("is not clean if something was not verified", () => {
    expect(print({ unverified: [away] }, []).join("\n")).not.toContain("Up to date");
  });

  it("counts a lock once that is out of date for two reasons", () => {
    const lock = { path: LOCKFILE_NAME, state: "stale" as const };
    const files = ["a", "b"].map((reason) => findingOfFile({ ...lock, reason }));
    expect(print({ files }, [])).toContain(
      "Checked 1 server and 14 files against the lock: 1 file out of date.",
    );
  });

  it.each([
    ["nothing", {}, []],
    ["drift", { changes: [failing] }, ["npx mcp-codegen pull site"]],
    ["a stale file", { files: [findingOfFile({ path: "a.ts", state: "stale" })] }, ["npx mcp-codegen generate"]],
    ["a lock that is older than the configuration", { files: [findingOfFile({ path: LOCKFILE_NAME, state: "stale" })] }, ["npx mcp-codegen pull"]],
    [
      "a contract that a merge joined",
      { files: [findingOfFile({ path: LOCKFILE_NAME, state: "stale", hint: 'Run "npx mcp-codegen generate".' })] },
      ["npx mcp-codegen generate"],
    ],
    ["a hand edit", { files: [findingOfEdited("a.ts")] }, ["npx mcp-codegen generate --force"]],
    ["an outage", { unverified: [away] }, []],
  ])("names the command that fixes %s", (_, found, commands) => {
    const { repairs } = contentOfCheck(
      { ...nothingFound, ...found },
      { changes: "changes" in found ? found.changes : [], failOn: "any" },
    );
    expect(repairs.map(({ command }) => command)).toEqual(commands);
  }); // prettier-ignore
});

it.each([
  [undefined, undefined],
  ["origin/main", "Merging this branch accepts these changes."],
  [
    "../app/mcp-codegen.lock.json",
    'To accept these changes, run "npx mcp-codegen pull" in the project that has the lock.',
  ],
  [
    "https://git.example.com/raw?path=lock",
    'To accept these changes, run "npx mcp-codegen pull" in the project that has the lock.',
  ],
])("says who accepts changes against %s: %s", (against, note) => {
  const content = contentOfCheck(
    { ...nothingFound, ...(against !== undefined && { against }), changes: [failing] },
    { changes: [failing], failOn: "any" },
  );
  expect(content.note).toBe(note);
});

it("renames in your code once the change is taken, or against a lock that has it", () => {
  const site = { file: "a.ts", line: 1, column: 1, says: "x", effect: "stops-compiling" as const };
  const renamed = { ...failing, rule: "tool-renamed", path: "", callSites: [site] };
  const repairs = (found: Partial<CheckReport>, changes: readonly Change[]): readonly string[] =>
    contentOfCheck({ ...nothingFound, ...found, changes }, { changes, failOn: "any" }).repairs.map(
      ({ does, command }) => `${does}: ${command}`,
    );
  expect(repairs({}, [renamed])).toEqual([
    "take it: npx mcp-codegen pull site",
    "then rename it in your code: npx mcp-codegen fix",
  ]);
  expect(repairs({ against: "main" }, [renamed])).toEqual([
    "rename it in your code: npx mcp-codegen fix --against main",
  ]);
  // An environment that is behind is not taken.
  expect(repairs({}, [{ ...renamed, environment: "live" }])).toEqual([]);
});

/** Details are under the subject of their row. */
const INSIDE = " ".repeat(14);

describe("the changes of a check", () => {
  const layout = { paint: plain, width: 120 };

  it("are sorted worst first, and those that do not fail counted", () => {
    const safe: Change = { ...judgedChange, rule: "input-bound-loosened", class: "safe", fails: false };
    const risky: Change = { ...judgedChange, rule: "icons-changed", class: "dangerous", security: true };
    const changes = [safe, judgedChange, risky, { ...judgedChange, path: "/inputSchema" }];
    const lines = printTextReport({ ...everything, changes }, layout);
    const rules = lines.flatMap((line) => /^ {2}[a-z]+ +[-+~] .*\[([a-z-]+)/.exec(line)?.[1] ?? []);
    expect(rules).toEqual(["input-bound-tightened", "input-bound-tightened", "icons-changed"]);
    expect(lines.join("\n")).not.toContain("input-bound-loosened");
    expect(lines).toContain('Not shown, since failOn allows it: 1 change (1 safe). "--all" shows it.');
    const alone = printTextReport({ ...everything, changes: [safe] }, layout);
    expect(alone.join("\n")).toContain("[input-bound-loosened, does not fail]");
    expect(alone.join("\n")).not.toContain("Not shown");
  });

  it("show old and new values within the terminal's width, from where long texts differ", () => {
    const before = `${"The same beginning of both. ".repeat(20)}Lists posts.`;
    const change = { ...judgedChange, before, after: before.replace("Lists", "Deletes") };
    const [line = ""] = printTextReport({ ...everything, changes: [change] }, layout).filter((text) =>
      text.includes("→"),
    );
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line).toMatch(/…[^→]*both\. Lists.* → …[^→]*both\. Deletes/);
  });

  it.each([
    ["Lists  posts.\n\n  Newest first.", "Lists posts. Oldest first.", "Lists posts. Newest", "Lists posts. Oldest"],
    ["Lists posts.", "Lists\n\nposts.", '"Lists posts."', '"Lists\\n\\nposts."'],
  ])("show the first difference of descriptions %j and %j without white space", (before, after, was, is) => {
    const change = { ...judgedChange, rule: "tool-description-changed", before, after };
    const [line = ""] = printTextReport({ ...everything, changes: [change] }, layout).filter((text) =>
      text.includes("→"),
    );
    expect(line).toContain(was);
    expect(line).toContain(is);
  }); // prettier-ignore

  it("have a counterexample with its verdict", () => {
    const lines = printTextReport(everything, layout);
    expect(lines).toContain(`${INSIDE}{"title":"aaaaaaaaaaaaaaa"} was accepted and is now rejected`);
  });

  it("show the confidence of a guess", () => {
    const renamed = { ...judgedChange, rule: "tool-renamed", path: "", confidence: 0.873 };
    const lines = printTextReport({ ...everything, changes: [renamed] }, layout);
    expect(lines).toContain(`${INSIDE}87 percent sure`);
  });

  const drifts = fc.record({
    breaking: fc.nat(80),
    wordings: fc.nat(80),
    safe: fc.nat(80),
    names: fc.nat(80),
    width: fc.constantFrom(80, 100, 140),
  });
  it(`fit into 60 lines, none of them wider than the terminal (SEED=${seed})`, () => {
    fc.assert(
      fc.property(drifts, ({ breaking, wordings, safe, names, width }) => {
        const many = (length: number, kind: Partial<Change>): readonly Change[] =>
          Array.from({ length }, (_, at): Change => ({
            ...judgedChange,
            tool: `tool-${at}`,
            after: at,
            ...kind,
          }));
        const changes = [
          ...many(breaking, {}),
          ...many(wordings, { class: "dangerous", rule: "tool-description-changed", path: "/description" }),
          ...many(safe, { class: "safe", rule: "input-bound-loosened" }),
        ];
        const mentions = many(names, { rule: "mention-unknown" }).map(({ rule, tool }) => ({
          ...{ rule, tool, file: `docs/${tool}.md`, line: 1 },
          message: "A name that the lock does not have. ".repeat(6),
        }));
        const ways = ["take it", "one tool of it", "let it pass"].map((does) => ({
          does,
          command: `npx mcp-codegen check --waive input-bound-tightened ${"tool-".repeat(12)} --until 2027-06-30`,
        }));
        const content = { ...findings({ changes }), names: mentions, ways };
        const lines = printTextReport(content, { paint: plain, width });
        const [head = "", ...others] = lines;
        // A terminal wraps commands, so that they can be copied.
        const isOurs = (line: string): boolean => line.length > width && !line.includes("  npx ");
        expect(others.slice(0, -2).filter(isOurs)).toEqual([]);
        const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: width });
        expect(wrapLines(lines, terminal).length).toBeLessThanOrEqual(60);
        const classes = { breaking, dangerous: wordings, safe };
        for (const [name, amount] of Object.entries(classes))
          if (amount > 0) expect(head).toContain(`${amount} ${name}`);
        const all = printTextReport(content, { paint: plain, width }, true);
        const rows = all.filter((line) => /^ {2}(?:breaking|dangerous|safe) /.test(line));
        expect(rows).toHaveLength(breaking + wordings + safe);
      }),
      { numRuns: runs(60, 10), seed },
    );
  });

  it("give way by class: what breaks keeps its evidence, and what is mild a line for each rule", () => {
    const many = Array.from({ length: 600 }, (_, index): Change => ({
      ...judgedChange,
      class: "safe",
      rule: "input-bound-loosened",
      after: index,
      tool: `tool-${index}`,
    }));
    const lines = printTextReport(
      findings({ changes: [...many, { ...judgedChange, witness: { title: "aaaaaaaaaaaaaaa" } }] }),
      layout,
    );
    expect(lines.slice(2)).toEqual([
      "  breaking  ~ create-post  input.title maxLength: 20 → 10 [input-bound-tightened]",
      `${INSIDE}{"title":"aaaaaaaaaaaaaaa"} was accepted and is now rejected`,
      "  safe      ~ 600 tools  tool-0, tool-1, tool-2, tool-3, tool-4, tool-5, tool-6, … 593 more  [input-bound-loosened]",
      "Checked 1 server and 14 files against the lock: 601 changes.",
      '"--all" prints all of it, and "npx mcp-codegen explain <rule>" says what a rule means.',
    ]);
  });

  it("name the server, and count prompts as such, where a rule has one line", () => {
    const safe = { ...judgedChange, class: "safe" as const };
    const ofServer = { ...safe, tool: undefined };
    const capabilities = [1, 2].map((at) => ({
      ...{ ...ofServer, rule: "server-capability-added", path: `/capabilities/c${at}` },
    }));
    const prompts = [1, 2, 3].map((at) => ({ ...ofServer, rule: "prompt-added", path: `/prompts/p${at}` }));
    const version = {
      ...{ ...ofServer, rule: "server-version-changed", path: "/serverInfo/version" },
      ...{ before: "1.0.0", after: "2.0.0" },
    };
    const many = Array.from({ length: 80 }, (_, at) => ({
      ...{ ...safe, rule: "input-bound-loosened", after: at, tool: `tool-${at}` },
    }));
    const changes = [...capabilities, ...prompts, version, ...many] as readonly Change[];
    const lines = printTextReport(findings({ changes }), layout);
    const rows = lines.filter((line) => line.startsWith("  safe"));
    expect(rows.map((row) => row.slice("  safe      ".length).replace(/  +/g, "  "))).toEqual(
      expect.arrayContaining([
        "~ the server itself  2 changes  [server-capability-added]",
        "~ 3 prompts  prompt p1, prompt p2, prompt p3  [prompt-added]",
        '~ the server itself  serverInfo version: "1.0.0" → "2.0.0" [server-version-changed]',
      ]),
    );
  });

  it("mark the lines of your code that waived changes alone hit, and count the others", () => {
    const at = (line: number): CallSite => ({
      ...{ file: "a.ts", line, column: 1, says: "x", effect: "stops-compiling" },
    });
    const waived = { ...failing, tool: "old", waiver: { reason: "Known." }, callSites: [at(1), at(2)] };
    const open = { ...failing, callSites: [at(2)] };
    const impact = { projects: ["tsconfig.json"], files: 1, unused: [] };
    const lines = print({ impact }, [waived, open]);
    expect(lines).toEqual(
      expect.arrayContaining([
        "site · 1 breaking, 1 waived · your code: 1 line in a.ts",
        "  a.ts:1  x (waived)  old",
        "  a.ts:2  x  old, create-post",
      ]),
    );
    expect(print({ impact }, [waived])[0]).toBe("site · 1 waived · your code: 2 lines in a.ts, waived");
  });

  it("show a finding of several tools once, with every place in the user's code", () => {
    const lines = printTextReport(findings({ changes: renamedField }), layout);
    expect(lines).toEqual([
      "site · 1 breaking",
      "",
      "Your code",
      "  src/desk.ts:7  passes `currency`, renamed to `currencyCode`  create-order",
      "  src/desk.ts:8  passes `currency`, renamed to `currencyCode`  create-order",
      "  src/desk.ts:9  passes `currency`, renamed to `currencyCode`  refund",
      "",
      '  breaking  ~ 2 tools  input.price.currencyCode and 2 more places: "currency" → "currencyCode"',
      `${INSIDE}[input-property-renamed, 3 places]`,
      `${INSIDE}create-order, refund`,
      `${INSIDE}90 percent sure`,
      "Checked 1 server and 14 files against the lock: 1 change in 3 places.",
    ]);
  });

  it("show the values of an enum on one line, and the relevant part of a witness", () => {
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
    const lines = printTextReport(findings({ changes: values }), { paint: plain, width: 80 });
    expect(lines.slice(2, 4)).toEqual([
      '  breaking  + create-post  output.orders[].state enum: "one", "two", "three"',
      `${INSIDE}[output-enum-value-added, 3 places]`,
    ]);
    expect(lines[4]).toMatch(/^ {14}.*"state":"one",?….*\} is now a possible answer \(1 of 3\)$/);
    expect(lines[4]?.length).toBeLessThanOrEqual(80);
  });

  it("report in a sentence that the server's version did not change", () => {
    const { tool: _tool, ...ofServer } = judgedChange;
    const kept: Change = {
      ...{ ...ofServer, rule: "server-version-kept", class: "dangerous", path: "/serverInfo/version" },
      ...{ before: "1.0.0", after: "1.0.0" },
    };
    expect(printTextReport(findings({ changes: [kept] }), layout)[2]).toBe(
      "  dangerous ~ the server itself  the server's version did not change: 1.0.0 [server-version-kept]",
    );
  });

  it("name the object whose property became required", () => {
    const required = {
      ...{ ...judgedChange, rule: "input-property-became-required", path: "/inputSchema/properties/title" },
      ...{ before: false, after: true },
    };
    expect(printTextReport(findings({ changes: [required] }), layout)[2]).toBe(
      "  breaking  ~ create-post  input.title: optional → required [input-property-became-required]",
    );
  });

  it.each(HOSTILE)("contain nothing that a terminal or a CI log interprets: %j", (text) => {
    const lines = printTextReport(hostileFindings(text), layout);
    for (const line of lines) {
      expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(line).not.toMatch(/^\s*::|##\[|##vso\[/);
    }
  });
});
