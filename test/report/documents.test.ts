import { findingOfPhp } from "../../src/core/findings.js";
import { describe, expect, it } from "vitest";
import { McpCodegenError } from "../../src/core/errors.js";
import { explainRule, listRules } from "../../src/report/print-rules.js";
import { pullDocument, type ReportDocument, rowDocuments } from "../../src/report/documents.js";
import { errorDetails } from "../../src/report/layout.js";
import {
  everything,
  findings,
  hostileFindings,
  judgedChange,
  narrowed,
  pullReport,
  refusal,
} from "./fixtures.js";
import { complaints } from "./schemas.js";

const explained = explainRule("input-bound-tightened");
if (explained === undefined) throw new Error("There is no such rule.");

const error = new McpCodegenError("LOCK_NOT_FOUND", "There is no lock.", { cause: new Error("secret") });

const DOCUMENTS: Readonly<Record<string, ReportDocument>> = {
  pull: pullDocument(pullReport, { exitCode: 3, accept: "npx mcp-codegen pull" }),
  generate: {
    report: "generate",
    exitCode: 0,
    written: ["a.ts"],
    removed: [],
    unchanged: 0,
    diagnostics: [],
  },
  check: {
    report: "check",
    exitCode: 1,
    failOn: "any",
    rows: rowDocuments(everything),
    accepted: [narrowed],
    checked: { servers: ["site"], files: 14 },
    repairs: ["npx mcp-codegen pull site"],
  },
  "check for hosts": {
    ...{ report: "check", exitCode: 1, accepted: [], checked: { servers: ["site"], files: 14 }, repairs: [] },
    rows: rowDocuments(
      findings({
        hosts: [
          refusal,
          { ...refusal, facts: { effect: "altered" }, waiver: { reason: "Known.", expires: "2027-01-01" } },
        ],
      }),
    ),
  },
  "check of all environments": {
    ...{ report: "check", exitCode: 1, accepted: [], repairs: [] },
    rows: rowDocuments(hostileFindings("away")),
    checked: { servers: ["site"], files: 14, environments: [{ server: "site" }] },
    environments: [
      {
        server: "site",
        environments: [null, "production", "away"],
        rows: [{ tool: "create-post", states: ["as-locked", "breaking", "unverified"] }],
      },
    ],
  },
  "check against a ref": {
    ...{ report: "check", exitCode: 0, accepted: [], checked: { servers: ["site"], files: 14 } },
    ...{ rows: [], against: "main", repairs: [] },
  },
  diff: {
    report: "diff",
    exitCode: 1,
    before: "main",
    after: "mcp-codegen.lock.json",
    failOn: "any",
    rows: rowDocuments(findings({ changes: [judgedChange] })),
    compared: { servers: ["site"], tools: 3 },
  },
  log: {
    report: "log",
    exitCode: 0,
    server: "site",
    versions: [
      { contract: "2.0.0", tools: 1, commit: "a1", date: "2026-01-02", subject: "Two", changes: [narrowed] },
      { contract: null, tools: 0, commit: "a0", date: "2026-01-01", subject: "One", changes: [] },
    ],
    isComplete: true,
    unreadable: ["b1"],
  },
  replay: {
    report: "replay",
    exitCode: 3,
    changes: "changes.jsonl",
    journal: "changes.production.journal.jsonl",
    environment: "production",
    status: "undecided",
    steps: [
      {
        ...{ number: 1, server: "site", tool: "update-post", state: "unknown" },
        references: [{ argument: "id", value: 12, from: 1, source: "id", how: "inferred" }],
      },
    ],
    conflicts: [{ kind: "foreign-id", step: 1, message: "It is foreign.", argument: "id", blocks: false }],
    damaged: [{ line: 3, problem: "it is not JSON" }],
    unresolved: [{ line: 4, server: "site", tool: "delete-post" }],
    ...{ at: 1, reason: "It is not known.", code: "TOOL_UNAVAILABLE" },
  },
  rules: { report: "rules", exitCode: 0, rules: listRules() },
  explain: { report: "explain", exitCode: 0, ...explained },
  list: {
    report: "list",
    exitCode: 0,
    servers: [
      {
        server: "site",
        contract: "1.0.0",
        tools: 1,
        tokens: 9,
        categories: [
          {
            category: null,
            tokens: 3,
            tools: [{ name: "a", required: [], optional: [], tokens: 9, effect: "reads" }],
          },
        ],
      },
    ],
  },
  search: {
    report: "search",
    exitCode: 0,
    query: "write an article",
    tools: [
      { name: "a", server: "s", category: "uncategorized", effect: "reads", description: "", score: 0.5 },
    ],
    total: 1,
  },
  describe: {
    report: "describe",
    exitCode: 0,
    tools: [
      {
        name: "a",
        server: "s",
        description: "",
        category: "uncategorized",
        inputSchema: {},
        annotations: { readOnlyHint: true },
      },
    ],
  },
  call: {
    report: "call",
    exitCode: 0,
    tool: "a",
    server: "s",
    result: "text",
    content: [{ type: "image", mimeType: "image/png", bytes: 70, file: "a-1.png" }],
  },
  "call that failed": {
    report: "call",
    exitCode: 2,
    tool: "a",
    server: "s",
    environment: "production",
    error: {
      code: "TOOL_INVALID_INPUT",
      message: "It does not fit.",
      retryable: false,
      issues: [{ path: ["items", 0], message: "expected string" }],
    },
  },
  completion: { report: "completion", exitCode: 0, shell: "bash", script: "complete" },
  init: { report: "init", exitCode: 0, wrote: ["mcp-codegen.config.ts"], servers: [], next: [] },
  error: { report: "error", exitCode: 2, error: errorDetails(error) },
};

describe("the published schemas", () => {
  it.each(Object.entries(DOCUMENTS))("accept the %s document", (_, document) => {
    expect(complaints(JSON.parse(JSON.stringify(document)))).toEqual([]);
  });

  it.each(Object.entries(DOCUMENTS))("reject the %s document with an unknown key", (_, document) => {
    expect(complaints({ ...document, extra: 1 })).not.toEqual([]);
  });
});

it("the rows have PHP that was read without a note, which other formats leave out", () => {
  const quiet = { server: "site", by: "php", abilities: 3, others: [], refused: [], notes: [] };
  expect(rowDocuments(findings({ php: [findingOfPhp(quiet)] }))).toMatchObject([
    { section: "php", level: "notice", fails: false, message: "3 abilities read with php." },
  ]);
});

it("an error as data has no cause", () => {
  expect(JSON.stringify(errorDetails(error))).not.toContain("secret");
});
