import { describe, expect, it } from "vitest";
import { printGithub } from "../../src/report/print-github.js";
import { everything, findings, HOSTILE, hostileFindings, judgedChange, notice } from "./fixtures.js";

/** What a runner reads of a line: a command, its properties and its message. See the toolkit's `command.ts`. */
const COMMAND =
  /^::(?:error|warning|notice) (?:[a-z]+=(?:[^%,:\n\r]|%25|%0D|%0A|%3A|%2C)*,?)+::(?:[^%\r\n]|%25|%0D|%0A)*$/;

describe("annotations", () => {
  it("stand at the lines of the lock, what fails as errors", () => {
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
      "::error file=app/mcp-codegen.lock.json,line=11,title=away%3A not verified::refused the connection%0AStart it.",
      "::error file=app/mcp-codegen.lock.json,line=3,title=site%3A over the token budget::The locked tools cost 1,234 tokens, and check.tokenBudget is 1,000. Most cost: create-post 800, ping 40. Leave tools out with tools.exclude, or raise the budget.",
      "::error file=app/mcp-codegen.lock.json,line=6,title=site create-post%3A input-bound-tightened (breaking)::A limit in the input is tighter: what lies beyond is rejected.%0Ainput.title maxLength: 20 → 10%0A" +
        '{"title":"aaaaaaaaaaaaaaa"} was accepted, is now rejected',
      '::error file=app/mcp-codegen.lock.json,line=2,title=shop%3A server-name-changed (breaking)::The server has another name: it may be another server.%0AserverInfo name: "shop" → "other"',
      "::error file=app/generated/site/b.ts,line=1,title=Edited by hand::This file is generated, and what was edited would be lost.",
      "::error file=app/generated/site/a.ts,line=1,title=Out of date (stale)::its definition changed",
      "::notice file=app/mcp-codegen.lock.json,line=4,title=site archive-post%3A tool-added (safe%2C security)::The tool is new: no caller knows it yet.",
      "::notice title=mcp-codegen::Checked 1 server and 14 files against the lock: 3 changes, 1 token budget exceeded, 1 file out of date, 1 file edited by hand, 1 not verified.%0ATo accept: npx mcp-codegen pull site shop",
    ]);
  });

  it("are none when nothing was found", () => {
    expect(printGithub(findings(), {})).toEqual([]);
  });

  it("are as many as are shown, the worst of them", () => {
    const safe = { ...judgedChange, class: "safe", fails: false } as const;
    const changes = [...Array.from({ length: 30 }, () => safe), judgedChange];
    const lines = printGithub(findings({ changes }), {});
    expect(lines.filter((line) => line.startsWith("::notice"))).toHaveLength(11);
    expect(lines[0]).toMatch(/^::error /);
  });

  it("do not fail files where nothing may", () => {
    const lines = printGithub(findings({ edited: ["a.ts"], doFilesFail: false }), {});
    expect(lines[0]).toMatch(/^::warning /);
  });

  it.each(HOSTILE)("are one command a line, whatever comes: %j", (text) => {
    for (const line of printGithub(hostileFindings(text), { output: "out" })) expect(line).toMatch(COMMAND);
  });

  it("warns of waivers that waive nothing", () => {
    const [line] = printGithub(findings({ waivers: [notice("void", "get")] }), {});
    expect(line).toMatch(
      /^::warning title=Waiver \(void\)::The one of tool-removed for site get, until 2026-01-31, waives nothing/,
    );
  });
});
