import { findingOfEdited } from "../../src/core/findings.js";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/core/change.js";
import { printGithub } from "../../src/report/github.js";
import {
  calledAt,
  everything,
  findings,
  HOSTILE,
  hostileFindings,
  judgedChange,
  notice,
  renamedField,
  notVerified,
} from "./fixtures.js";

/** Parses a line as a runner does: a command, its properties and its message. See the toolkit's `command.ts`. */
const COMMAND =
  /^::(?:error|warning|notice) (?:[a-z]+=(?:[^%,:\n\r]|%25|%0D|%0A|%3A|%2C)*,?)+::(?:[^%\r\n]|%25|%0D|%0A)*$/;

describe("annotations", () => {
  it("have the line of the lock, with failing changes as errors", () => {
    const text = JSON.stringify(
      { servers: { site: { tools: { "create-post": { definition: {} } } }, away: { identity: {} } } },
      null,
      1,
    );
    const lines = printGithub(everything, {
      lock: { path: "app/mcp-codegen.lock.json", text },
      output: "app/generated",
    });
    expect(lines).toEqual([
      "::error file=app/mcp-codegen.lock.json,line=11,title=away%3A not-verified::A server or a file could not be verified.%0Arefused the connection%0AStart it.",
      "::error file=app/mcp-codegen.lock.json,line=6,title=site create-post%3A input-bound-tightened (breaking)::A limit of the input was tightened: values beyond it are rejected.%0Ainput.title maxLength: 20 → 10%0A" +
        '{"title":"aaaaaaaaaaaaaaa"} was accepted and is now rejected',
      '::error file=app/mcp-codegen.lock.json,line=2,title=shop%3A server-name-changed (breaking)::The server\'s name changed: it may be another server.%0AserverInfo name: "shop" → "other"',
      "::error file=app/mcp-codegen.lock.json,line=3,title=site%3A over-token-budget::A server's tools cost more tokens than the configuration allows.%0AThe locked tools cost 1,234 tokens, and check.tokenBudget is 1,000. Largest: create-post 800, ping 40. Exclude tools with tools.exclude, or raise the budget.",
      "::error file=app/cassettes/shop/get-post.json,line=12,title=cassettes/shop/get-post.json%3A12%3A9%3A recorded-output-invalid::The locked output schema refuses a recorded answer.%0Ashop get-post, 3 calls: The locked output schema refuses it: title: Invalid input: expected string, received number.",
      "::error file=app/generated/site/a.ts,line=1,title=site/a.ts%3A generated-file-stale::A generated file differs from what the lock generates.%0Astale: its definition changed",
      "::error file=app/generated/site/b.ts,line=1,title=site/b.ts%3A generated-file-edited::A generated file was edited by hand; the edits would be lost.%0Aedited",
      "::notice file=app/mcp-codegen.lock.json,line=4,title=site archive-post%3A tool-added (safe%2C security)::The tool was added: existing callers do not use it.",
      "::notice title=mcp-codegen::Checked 1 server and 14 files against the lock: 3 changes, 1 token budget exceeded, 1 problem in cassettes, 1 file out of date, 1 file edited by hand, 1 not verified.%0Atake it: npx mcp-codegen pull site shop",
    ]);
  });

  it("are absent without findings", () => {
    expect(printGithub(findings(), {})).toEqual([]);
  });

  it("are the ten worst of a kind, with the number of others", () => {
    const kinds = { error: 13, warning: 11, notice: 30 } as const;
    const changes = Object.entries(kinds).flatMap(([kind, amount]) =>
      Array.from({ length: amount }, (_, index): Change => ({
        ...judgedChange,
        path: `/inputSchema/properties/p${index}/maxLength`,
        after: `${kind} ${index}`,
        class: kind === "error" ? "breaking" : kind === "warning" ? "dangerous" : "safe",
        fails: kind === "error",
      })),
    );
    const lines = printGithub(findings({ changes }), {});
    for (const kind of Object.keys(kinds))
      expect(lines.filter((line) => line.startsWith(`::${kind} `))).toHaveLength(10);
    expect(lines[0]).toMatch(/^::error /);
    expect(lines.at(-1)).toContain(
      "GitHub shows 10 annotations of a kind: 3 more errors and 1 more warning and 21 more notices in the summary of this step.",
    );
  });

  it("mark the call sites of a finding, one per line", () => {
    const lines = printGithub(findings({ changes: renamedField }), {
      lock: { path: "app/mcp-codegen.lock.json", text: '{"servers":{}}' },
    });
    expect(lines.map((line) => /^::error file=([^,]*),line=(\d+)/.exec(line)?.slice(1))).toEqual([
      ["app/src/desk.ts", "7"],
      ["app/src/desk.ts", "8"],
      ["app/src/desk.ts", "9"],
      undefined,
    ]);
    expect(lines[0]).toContain(
      "title=site 2 tools%3A create-order%2C refund%3A input-property-renamed (breaking)",
    );
    expect(lines[1]).toContain("::src/desk.ts:8 passes `currency`, renamed to `currencyCode`%0A");
  });

  it("show every finding before further call sites", () => {
    const lines = printGithub(findings({ changes: [calledAt(12), judgedChange] }), {});
    expect(lines.filter((line) => line.includes("input-bound-tightened (breaking)"))).toHaveLength(1);
    expect(lines.at(-1)).toContain("3 more errors in the summary");
  });

  it("show files as warnings if they do not fail", () => {
    const lines = printGithub(findings({ files: [findingOfEdited("a.ts")], doFilesFail: false }), {});
    expect(lines[0]).toMatch(/^::warning /);
  });

  it.each(HOSTILE)("are one command per line for any text: %j", (text) => {
    for (const line of printGithub(hostileFindings(text), { output: "out" })) expect(line).toMatch(COMMAND);
  });

  it("show a file that was not searched at its start", () => {
    const unverified = [
      notVerified({ server: "CLAUDE.md", message: "The file holds too much.", file: "CLAUDE.md" }),
    ];
    const lock = { path: "app/mcp-codegen.lock.json", text: "{}" };
    expect(printGithub(findings({ unverified }), { lock })[0]).toBe(
      "::error file=app/CLAUDE.md,line=1,title=CLAUDE.md%3A not-verified::A server or a file could not be verified.%0AThe file holds too much.",
    );
  });

  it("have the notes of a server by kind, at the first line of the lock, and no total without findings", () => {
    const note = { rule: "KEYWORD_LOOSENED", server: "site", path: "/inputSchema" } as const;
    const notes = Array.from({ length: 30 }, (_, index) => ({
      ...note,
      ...{ tool: `tool-${index}`, message: "accepts more" },
    }));
    const text = JSON.stringify({ servers: { site: { tools: { "tool-0": { definition: {} } } } } }, null, 1);
    const lines = printGithub(findings({ notes }), { lock: { path: "mcp-codegen.lock.json", text } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^::notice file=mcp-codegen\.lock\.json,line=6,title=site%3A KEYWORD_LOOSENED::tool-0 at \/inputSchema: accepts more%0Atool-1/,
    );
    expect(lines[0]).toMatch(/%0A… and 10 more$/);
  });

  it("warns of waivers without effect", () => {
    const [line] = printGithub(findings({ waivers: [notice("void", "get")] }), {});
    expect(line).toMatch(
      /^::warning title=site get%3A tool-removed::The waiver of tool-removed for site get, until 2026-01-31, waives nothing.*To remove it: npx mcp-codegen check site --unwaive tool-removed get/,
    );
  });
});
