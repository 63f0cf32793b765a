import { describe, expect, it } from "vitest";
import { printPlan, printPull } from "../../src/report/print-pull.js";
import { added, changedPlan, failedPlan, narrowed, plain, pullReport } from "./fixtures.js";

describe("the plan of a pull", () => {
  it("shows added, removed and changed tools and the contract's version by server", () => {
    expect(printPlan([changedPlan, failedPlan], { paint: plain, width: 120 })).toEqual([
      "site · 2 breaking, 1 safe, 1 security · contract 1.2.0 → 2.0.0",
      "  breaking  - old-post [tool-removed]",
      "  breaking  ~ create-post  input.title maxLength: 20 → 10 [input-bound-tightened]",
      "  safe      + archive-post [tool-added, security, e770d7cb92f6]",
      "shop failed",
      "  its block in the lock and its files stay unchanged",
    ]);
  });

  it("names up to thirty tools of a new server, and counts the others", () => {
    const changes = Array.from({ length: 32 }, (_, index) => ({ ...added, tool: `tool-${index}` }));
    const lines = printPlan([{ ...changedPlan, status: "new", after: "1.0.0", tools: 32, changes }], {
      paint: plain,
      width: 120,
    });
    expect(lines[0]).toBe("site new, 32 tools, contract 1.0.0");
    expect(lines).toHaveLength(32);
    expect(lines.at(-1)).toBe("  + … and 2 more tools");
  });

  it("reports a change that is not one of tools", () => {
    expect(printPlan([{ ...changedPlan, changes: [] }], { paint: plain, width: 120 })).toEqual([
      "site: contract 1.2.0 → 2.0.0, no tool changed",
    ]);
  });

  it("reports that a server did not change", () => {
    expect(
      printPlan([{ ...changedPlan, status: "unchanged", changes: [] }], { paint: plain, width: 120 }),
    ).toEqual(["site unchanged, 12 tools, contract 1.2.0"]);
  });

  it("escapes text from the server", () => {
    const evil = { ...narrowed, tool: "a\u001b[2Jb", before: "x\u202Ey", after: "\u001b]0;t\u0007" };
    const text = printPlan([{ ...changedPlan, changes: [evil] }], { paint: plain, width: 120 }).join("\n");
    expect(text).toContain("a\\u{1B}[2Jb");
    expect(text).not.toMatch(/(?!\n)\p{C}/u);
  });
});

describe("the result of a pull", () => {
  it("reports what was written and what was not verified", () => {
    expect(printPull(pullReport, { paint: plain, width: 100, output: "generated" })).toEqual([
      "note: site create-post at /inputSchema: says more than Zod [KEYWORD_LOOSENED]",
      "generated: 1 file written, 1 file removed, 11 unchanged",
      "Not verified:",
      "  shop: did not answer in 60 s",
      "    hint: Raise the time-out.",
    ]);
  });

  it("reports what would be written, and ends with the command that writes it", () => {
    const held = {
      servers: pullReport.servers,
      wrote: false,
      unverified: [],
      stale: [{ path: "site/a.ts", state: "missing" as const }],
      edited: ["site/b.ts"],
      diagnostics: pullReport.files?.diagnostics ?? [],
    };
    const context = {
      paint: plain,
      width: 100,
      output: "generated",
      isFrozen: true,
      accept: "npx mcp-codegen pull site",
    };
    expect(printPull(held, context)).toEqual([
      "note: site create-post at /inputSchema: says more than Zod [KEYWORD_LOOSENED]",
      "Files that would be written:",
      "  missing  site/a.ts",
      "Edited by hand:",
      "  site/b.ts",
      "Nothing was written (--frozen, the default when CI is set).",
      "To accept: npx mcp-codegen pull site",
    ]);
  });
});
