import { describe, expect, it } from "vitest";
import type { LockedServer } from "../../src/core/lockfile.js";
import { printPlan, printPull } from "../../src/report/print-pull.js";
import { changedPlan, failedPlan, narrowed, plain, pullReport } from "./fixtures.js";

const WIDE = { paint: plain, width: 120 };

it("counts one cause in several tools as one security finding, as the head does", () => {
  const hint = { ...narrowed, rule: "annotation-changed", security: true, path: "/annotations/readOnlyHint" };
  const unaccepted = ["a", "b"].map((tool) => ({ ...hint, before: true, after: false, tool }));
  const plan = { ...changedPlan, changes: unaccepted, unaccepted, heldTools: ["a", "b"], tools: 2 };
  const [head = ""] = printPlan([plan], WIDE);
  expect(head).toContain("1 breaking (security)");
  const lines = printPull({ ...pullReport, servers: [plan] }, { paint: plain, width: 120, output: "." });
  expect(lines).toContain("site 2 tools held back: 1 security finding in 2 places not accepted");
});

describe("the plan of a pull", () => {
  it("shows added, removed and changed tools and the contract's version by server", () => {
    expect(printPlan([changedPlan, failedPlan], WIDE)).toEqual([
      "site · 2 breaking, 1 safe (security) · contract 1.2.0 → 2.0.0",
      "  breaking  - old-post [tool-removed]",
      "  breaking  ~ create-post  input.title maxLength: 20 → 10 [input-bound-tightened]",
      "  safe      + archive-post [tool-added, security, e770d7cb92f6]",
      "shop failed",
      "  its block in the lock and its files stay unchanged",
    ]);
  });

  const blockOf = (names: readonly string[]): LockedServer => ({
    contract: "1.0.0",
    identity: { protocolVersion: "2025-11-25", serverInfo: { name: "site", version: "1" }, capabilities: {} },
    listing: { principal: "anonymous", clientCapabilities: {}, pages: 1 },
    tools: Object.fromEntries(
      names.map((name) => [name, { digest: "", definition: { name, annotations: { readOnlyHint: true } } }]),
    ),
  });
  const printNew = (names: readonly string[], isAll = false): readonly string[] => {
    const plan = { ...changedPlan, status: "new", after: "1.0.0", tools: names.length, changes: [] } as const;
    return printPlan([{ ...plan, block: blockOf(names) }], { paint: plain, width: 80 }, { isAll });
  };
  const many = Array.from({ length: 90 }, (_, at) => `${["find-order", "send-mail", "xyzzy"][at % 3]}-${at}`);

  it("names the few tools of a new server, and their cost", () => {
    expect(printNew(["a", "b"])).toEqual([
      "site new, 2 tools, contract 1.0.0",
      "  + a",
      "  + b",
      "  ≈ 30 tokens in every turn that lists all tools",
    ]);
  });

  it("has a line for each category of many tools, and names the hosts that do not take so many", () => {
    expect(printNew(many)).toEqual([
      "site new, 90 tools, contract 1.0.0",
      "  commerce (guessed)  30 read  find-order-0, find-order-12, … 28 more",
      "  messages (guessed)  30 read  send-mail-1, send-mail-10, … 28 more",
      "  no category         30 read  xyzzy-11, xyzzy-14, xyzzy-17, xyzzy-2, … 26 more",
      "  90 tools: Cursor takes 80",
      expect.stringMatching(/^ {2}≈ [\d,]+ tokens in every turn that lists all tools$/),
    ]);
    expect(printNew(many, true).filter((line) => line.startsWith("  + "))).toHaveLength(90);
  });

  it("has at most forty lines for a server with a thousand tools in as many categories", () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `tool-${at}`);
    const { tools, ...block } = blockOf(names);
    const stated = Object.entries(tools).map(([name, tool], at) => [name, { ...tool, category: `c${at}` }]);
    const plan = { ...changedPlan, status: "new", changes: [], tools: 1_000 } as const;
    const blocks = { ...block, tools: Object.fromEntries(stated) as LockedServer["tools"] };
    const lines = printPlan([{ ...plan, block: blocks }], { paint: plain, width: 80 });
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines).toContain('  … 970 more lines: "--all" names every tool');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("reports a change that is not one of tools, and that a server did not change", () => {
    const none = { ...changedPlan, changes: [] };
    expect(printPlan([none, { ...none, status: "unchanged" }], WIDE)).toEqual([
      "site: contract 1.2.0 → 2.0.0, no tool changed",
      "site unchanged, 12 tools, contract 1.2.0",
    ]);
  });

  it("escapes text from the server", () => {
    const evil = { ...narrowed, tool: "a\u001b[2Jb", before: "x\u202Ey", after: "\u001b]0;t\u0007" };
    const lines = printPlan([{ ...changedPlan, changes: [evil] }], WIDE);
    const text = lines.join("\n");
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
    const context = { ...WIDE, output: "generated", isFrozen: true, accept: "npx mcp-codegen pull site" };
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
