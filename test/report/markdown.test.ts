import * as fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { describe, expect, it } from "vitest";
import type { ReportContent } from "../../src/report/report-content.js";
import { printMarkdown } from "../../src/report/markdown.js";
import {
  everything,
  findings,
  HOSTILE,
  hostileFindings,
  judgedChange,
  notice,
  renamedField,
  notVerified,
} from "./fixtures.js";

const print = (found: ReportContent): string => printMarkdown(found).join("\n");

/** Renders GitHub's Markdown, and keeps raw tags so that the tests can detect them. */
function render(markdown: string): string {
  return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

/** Returns a page without its code spans: the rest must be our own text. */
function outsideOfCode(html: string): string {
  return html.replace(/<code>[^<]*<\/code>/g, "").replace("<!-- mcp-codegen -->", "");
}

describe("a report as a comment", () => {
  it("contains everything that was found or not verified", () => {
    expect(print(everything)).toBe(
      [
        "<!-- mcp-codegen -->",
        "## mcp-codegen: 2 breaking, 1 safe (security); over the token budget; 1 problem in cassettes; generated files differ; 1 not verified",
        "",
        "- `site`, 1 breaking, 1 safe (security)",
        "- `shop`, 1 breaking",
        "",
        "- take it: `npx mcp-codegen pull site shop`",
        "",
        "### Not verified",
        "",
        "- `away`: refused the connection: Start it. (not-verified)",
        "",
        "### Over budget",
        "",
        "- `site`: The locked tools cost 1,234 tokens, and check.tokenBudget is 1,000. Largest: create-post 800, ping 40. Exclude tools with tools.exclude, or raise the budget. (over-token-budget)",
        "",
        "### Cassettes",
        "",
        "- `cassettes/shop/get-post.json:12:9`: shop get-post, 3 calls: The locked output schema refuses it: title: Invalid input: expected string, received number. (recorded-output-invalid)",
        "",
        "### Generated files",
        "",
        "- `site/a.ts`: stale: its definition changed (generated-file-stale)",
        "- `site/b.ts`: edited (generated-file-edited)",
        "",
        "- 🔴 **breaking** `site` `create-post` `input.title maxLength`: `20` → `10` (`input-bound-tightened`)",
        '  - `{"title":"aaaaaaaaaaaaaaa"}` was accepted and is now rejected',
        '- 🔴 **breaking** `shop` the server itself `serverInfo name`: `"shop"` → `"other"` (`server-name-changed`)',
        "- 🟢 **safe** 🔒 **security** `site` `archive-post` (`tool-added`, found dangerous, does not fail)",
        "",
        "Checked 1 server and 14 files against the lock: 3 changes, 1 token budget exceeded, 1 problem in cassettes, 1 file out of date, 1 file edited by hand, 1 not verified.",
      ].join("\n"),
    );
  });

  it("has a finding of several tools once, with every place in the user's code", () => {
    expect(print(findings({ changes: renamedField }))).toContain(
      [
        "### Your code",
        "",
        "- `src/desk.ts:7` passes `currency`, renamed to `currencyCode`: `create-order`",
        "- `src/desk.ts:8` passes `currency`, renamed to `currencyCode`: `create-order`",
        "- `src/desk.ts:9` passes `currency`, renamed to `currencyCode`: `refund`",
        "",
        '- 🔴 **breaking** 2 tools: `create-order`, `refund` `input.price.currencyCode, input.tip.currencyCode, input.amount.currencyCode`: `"currency"` → `"currencyCode"` (`input-property-renamed`, 3 places)',
        "  - 90 percent sure",
      ].join("\n"),
    );
  });

  it("names an environment after the server's name", () => {
    const changes = [{ ...judgedChange, server: "site", environment: "next" }];
    expect(print(findings({ changes }))).toContain("- `site (next)`, 1 breaking\n");
  });

  it("formats a name as code, without the sentence around it", () => {
    const work = 'checked 1 server against "origin/main" and 14 files against the lock';
    expect(print(findings({ work }))).toContain(
      'Up to date: checked 1 server against `"origin/main"` and 14 files against the lock.',
    );
  });

  it.each([
    ['passes `sort.field`: "date" in 1 place', 'passes `sort.field`: "date" in 1 place'],
    ["reads `a_b`, which @octocat removed (see #1)", "reads `a_b`, which `@octocat` removed (see `#1`)"],
    ["ends with `", "ends with `` ` ``"],
    ["reads `a`/`b`", "reads `` `a`/`b` ``"],
    ['passes "a <b> c" to www.evil.example, GH-1.', 'passes `"a <b> c"` to `www.evil.example`, `GH-1`.'],
  ])("sets only what Markdown would read as code: %s", (says, markdown) => {
    const callSites = [{ file: "a.ts", line: 1, column: 1, says, effect: "stops-compiling" as const }];
    const text = print(findings({ changes: [{ ...judgedChange, callSites }] }));
    expect(text).toContain(`- \`a.ts:1\` ${markdown}: \`create-post\`\n`);
  });

  it.each(["-", "---", "- a", "1. a", "12)"])("begins no list or rule with %j", (reason) => {
    const html = render(print(findings({ changes: [{ ...judgedChange, reason }] })));
    expect(html).not.toMatch(/<ol>|<hr|<ul>\s*<li>\s*<ul>\s*<li>\s*<ul>/);
    expect(html).toContain(`<code>${/^[^.) ]+/.exec(reason)?.[0] ?? ""}`);
  });

  it("is up to date only if everything was verified", () => {
    expect(print(findings())).toContain("mcp-codegen: up to date");
    expect(print(findings({ unverified: [notVerified({ server: "away", message: "down" })] }))).not.toMatch(
      /in order/i,
    );
  });

  it.each(HOSTILE)("has marks from servers only in code spans: %j", (text) => {
    const html = outsideOfCode(render(print(hostileFindings(text))));
    expect(html).not.toMatch(/<(?!\/?(?:details|summary|h2|h3|p|ul|li|strong|table|thead|tbody|tr|th|td)>)/);
    expect(html).not.toMatch(/[@#`[\]|]|https?:|www\.|evil|octocat/);
  });

  it("has the marks of any text only in code spans", () => {
    const marks = Array.from("`|\\<>[]()@#*_~ \n\t&;!-:a1");
    const alphabet = fc.constantFrom(...marks, "](", "```", "www.x.y", "http://x");
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 40 }), (text) => {
        const html = outsideOfCode(render(print(hostileFindings(text))));
        expect(html).not.toMatch(
          /<(?!\/?(?:details|summary|h2|h3|p|ul|li|strong|table|thead|tbody|tr|th|td)>)/,
        );
        expect(html).not.toMatch(/[@#`[\]|*]|https?:|www\./);
      }),
    );
  });

  it("shows environments side by side, and waivers without effect", () => {
    const environments: ReportContent["environments"] = [
      {
        server: "site",
        environments: [null, "live"],
        rows: [
          { tool: null, states: ["as-locked", "unverified"] },
          { tool: "a|b", states: ["missing", "breaking"] },
        ],
      },
    ];
    const text = print(findings({ environments, waivers: [notice("expired", "get")] }));
    expect(text).toContain(
      [
        "### `site` by environment",
        "",
        "|  | `(own settings)` | `live` |",
        "| --- | --- | --- |",
        "| the server itself | as locked | unverified |",
        "| `a¦b` | missing | breaking |",
      ].join("\n"),
    );
    expect(render(text).match(/<t[hd]>/g)).toHaveLength(9);
    expect(text).toMatch(/### Waivers\n\n- .*tool-removed.*has expired/);
  });

  it("fits into a comment: it is cut between changes, with the number of omitted ones", () => {
    const changes = Array.from({ length: 5_000 }, (_, index) => ({
      ...judgedChange,
      tool: `tool-${index}-${"`x".repeat(30)}`,
      after: index,
      before: "\u{1F600}".repeat(200),
    }));
    const text = print({ ...everything, changes });
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text.length).toBeGreaterThan(8_000);
    expect(text).toContain("<summary>5,000 changes</summary>");
    const shown = text.split("\n").filter((line) => line.startsWith("- 🔴")).length;
    expect(text).toContain(`… and ${(5_000 - shown).toLocaleString("en-US")} more changes`);
    expect(text).toContain("take it: ");
    expect(outsideOfCode(render(text))).not.toContain("`");
  });
});
