import * as fc from "fast-check";
import { SaxesParser, type SaxesTagPlain } from "saxes";
import { describe, expect, it } from "vitest";
import type { ReportContent } from "../../src/report/report-content.js";
import { printJunit } from "../../src/report/junit.js";
import {
  everything,
  findings,
  HOSTILE,
  hostileFindings,
  notice,
  renamedField,
  notVerified,
} from "./fixtures.js";

/** Returns the elements of a report; the parser rejects XML 1.0 that is not well-formed. */
function parse(found: ReportContent): readonly SaxesTagPlain[] {
  const parser = new SaxesParser();
  const tags: SaxesTagPlain[] = [];
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => tags.push(tag));
  parser.write(printJunit(found).join("\n")).close();
  return tags;
}

const named = (tags: readonly SaxesTagPlain[], name: string): readonly SaxesTagPlain[] =>
  tags.filter((tag) => tag.name === name);

describe("a report as JUnit XML", () => {
  it("has a case for each finding: a failing change is a failure, an unverified server is an error", () => {
    expect(printJunit(everything).join("\n").split("\n")).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="mcp-codegen" tests="8" failures="6" errors="1">',
      '  <testsuite name="site" tests="3" failures="2" errors="0" skipped="0">',
      '    <testcase classname="site" name="create-post input.title maxLength [input-bound-tightened]">',
      '      <failure type="input-bound-tightened" message="breaking: 20 → 10">A limit of the input was tightened: values beyond it are rejected.',
      "{&quot;title&quot;:&quot;aaaaaaaaaaaaaaa&quot;} was accepted and is now rejected</failure>",
      "    </testcase>",
      '    <testcase classname="site" name="archive-post [tool-added]">',
      "      <system-out>safe, security",
      "The tool was added: existing callers do not use it.</system-out>",
      "    </testcase>",
      '    <testcase classname="site" name="[over-token-budget]">',
      '      <failure type="over-token-budget" message="The locked tools cost 1,234 tokens, and check.tokenBudget is 1,000. Largest: create-post 800, ping 40. Exclude tools with tools.exclude, or raise the budget.">A server&apos;s tools cost more tokens than the configuration allows.</failure>',
      "    </testcase>",
      "  </testsuite>",
      '  <testsuite name="shop" tests="1" failures="1" errors="0" skipped="0">',
      '    <testcase classname="shop" name="the server itself serverInfo name [server-name-changed]">',
      '      <failure type="server-name-changed" message="breaking: &quot;shop&quot; → &quot;other&quot;">The server&apos;s name changed: it may be another server.</failure>',
      "    </testcase>",
      "  </testsuite>",
      '  <testsuite name="away" tests="1" failures="0" errors="1" skipped="0">',
      '    <testcase classname="away" name="[not-verified]">',
      '      <error type="not-verified" message="refused the connection">A server or a file could not be verified.',
      "Start it.</error>",
      "    </testcase>",
      "  </testsuite>",
      '  <testsuite name="cassettes" tests="1" failures="1" errors="0" skipped="0">',
      '    <testcase classname="cassettes" name="cassettes/shop/get-post.json:12:9 [recorded-output-invalid]">',
      '      <failure type="recorded-output-invalid" message="shop get-post, 3 calls: The locked output schema refuses it: title: Invalid input: expected string, received number.">The locked output schema refuses a recorded answer.</failure>',
      "    </testcase>",
      "  </testsuite>",
      '  <testsuite name="generated files" tests="2" failures="2" errors="0" skipped="0">',
      '    <testcase classname="generated files" name="site/a.ts [generated-file-stale]">',
      '      <failure type="generated-file-stale" message="stale: its definition changed">A generated file differs from what the lock generates.</failure>',
      "    </testcase>",
      '    <testcase classname="generated files" name="site/b.ts [generated-file-edited]">',
      '      <failure type="generated-file-edited" message="edited">A generated file was edited by hand; the edits would be lost.</failure>',
      "    </testcase>",
      "  </testsuite>",
      "</testsuites>",
    ]);
  });

  it("has one case for a finding of several tools, with every place in the user's code", () => {
    const report = printJunit(findings({ changes: renamedField })).join("\n");
    expect(report).toContain('<testsuites name="mcp-codegen" tests="2" failures="1" errors="0">');
    expect(report).toContain(
      'name="2 tools: create-order, refund input.price.currencyCode, input.tip.currencyCode, input.amount.currencyCode [input-property-renamed]"',
    );
    for (const line of [7, 8, 9]) expect(report).toContain(`src/desk.ts:${line} passes`);
  });

  it("has a passed case for each checked server, and none for others", () => {
    const cases = named(parse(findings()), "testcase").map(({ attributes }) => attributes["name"]);
    expect(cases).toEqual(["is as locked", "match the lock"]);
    const away = parse(
      findings({ verified: [], unverified: [notVerified({ server: "site", message: "down" })] }),
    );
    expect(named(away, "error")).toHaveLength(1);
    expect(named(away, "testcase").map(({ attributes }) => attributes["name"])).toEqual([
      "[not-verified]",
      "match the lock",
    ]);
  });

  it("skips a case for each kind of note, which neither passed nor failed", () => {
    const loosened = { rule: "KEYWORD_LOOSENED", server: "site", tool: "get", path: "" } as const;
    const unusable = { ...loosened, rule: "TOOL_UNUSABLE", message: "has no input schema" } as const;
    const notes = [unusable, { ...loosened, message: "accepts more" }];
    expect(printJunit(findings({ notes })).slice(2, 10)).toEqual([
      '  <testsuite name="site" tests="3" failures="0" errors="0" skipped="2">',
      '    <testcase classname="site" name="is as locked"/>',
      '    <testcase classname="site" name="[TOOL_UNUSABLE]">',
      '      <skipped message="get: has no input schema"></skipped>',
      "    </testcase>",
      '    <testcase classname="site" name="[KEYWORD_LOOSENED]">',
      '      <skipped message="get: accepts more"></skipped>',
      "    </testcase>",
    ]);
  });

  it("lists waivers without effect, and does not fail because of them", () => {
    const waived = parse(findings({ waivers: [notice("unused", "get")] }));
    expect(named(waived, "system-out")).toHaveLength(1);
    expect(named(waived, "failure")).toEqual([]);
    expect(named(waived, "testsuite").map(({ attributes }) => attributes["name"])).toContain("waivers");
  });

  it.each(HOSTILE)("is well-formed with %j", (text) => {
    expect(named(parse(hostileFindings(text)), "failure")).toHaveLength(8);
  });

  it("is well-formed for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(named(parse(hostileFindings(text)), "failure")).toHaveLength(8);
      }),
    );
  });
});
