import picocolors from "picocolors";
import type { Change } from "../../src/core/change.js";
import { McpCodegenError } from "../../src/core/errors.js";
import type { Facts, Finding } from "../../src/core/finding.js";
import {
  findingOfEdited,
  findingOfFile,
  findingOfNote,
  findingOfPhp,
  NO_FINDINGS,
  NOT_VERIFIED,
} from "../../src/core/findings.js";
import { NO_CONTENT, type ReportContent } from "../../src/report/report-content.js";
import type { CheckReport } from "../../src/pipeline/check/check-report.js";
import type { PullReport, ServerPlan } from "../../src/pipeline/pull/pull-report.js";

export const plain = picocolors.createColors(false);

const SITE = { class: "breaking", security: false, server: "site" } as const;

export const narrowed: Change = {
  ...{ ...SITE, rule: "input-bound-tightened", tool: "create-post", impacts: ["wire"] },
  ...{ path: "/inputSchema/properties/title/maxLength", before: 20, after: 10 },
};

export const added: Change = {
  ...{ ...SITE, rule: "tool-added", class: "safe", security: true, tool: "archive-post", path: "" },
  ...{ after: { name: "archive-post", inputSchema: { type: "object" } }, impacts: [] },
};

export const removed: Change = {
  ...{ ...SITE, rule: "tool-removed", tool: "old-post", path: "", before: { name: "old-post" } },
  impacts: ["wire", "types"],
};

export const changedPlan: ServerPlan = {
  ...{ server: "site", status: "changed", before: "1.2.0", after: "2.0.0" },
  ...{ changes: [added, removed, narrowed], diagnostics: [], tools: 12 },
};

export const failedPlan: ServerPlan = {
  ...{ server: "shop", status: "failed", before: "1.0.0", changes: [], diagnostics: [], tools: 0 },
  error: new McpCodegenError("SERVER_TIMEOUT", 'The server "shop" did not answer in 60 s.', {
    hint: "Raise servers.shop.timeouts.connect.",
  }),
};

export const pullReport: PullReport = {
  servers: [changedPlan, failedPlan],
  wrote: true,
  files: {
    written: ["site/archive-post.ts"],
    removed: ["site/old-post.ts"],
    unchanged: 11,
    diagnostics: [
      {
        ...{ code: "KEYWORD_LOOSENED", server: "site", tool: "create-post", path: "/inputSchema" },
        message: "says more than Zod",
      },
    ],
  },
  stale: [],
  edited: [],
  diagnostics: [],
  unverified: [
    notVerified({ server: "shop", message: "did not answer in 60 s", hint: "Raise the time-out." }),
  ],
};

export const nothingFound: CheckReport = {
  ...NO_FINDINGS,
  accepted: [],
  checked: { servers: ["site"], files: 14 },
};

export const refusal: Finding = {
  rule: "anthropic-property-key",
  server: "site",
  tool: "create-post",
  message: "Anthropic refuses the whole request: a property has a wrong name (page[size]).",
  hint: "Rename the property.",
  facts: { host: "anthropic", effect: "request", paths: ["/inputSchema/properties/page[size]"] },
};

export const judgedChange: Change = {
  ...narrowed,
  fails: true,
  explanation: "A limit of the input was tightened: values beyond it are rejected.",
};

/** Returns the finding that something was not verified. */
export function notVerified(finding: Omit<Finding, "rule">): Finding {
  return { rule: NOT_VERIFIED, ...finding };
}

/** Returns the content of a report without problems, except those given. */
export function findings(content: Partial<ReportContent> = {}): ReportContent {
  return {
    ...NO_CONTENT,
    verified: ["site"],
    comparedFiles: 14,
    work: "checked 1 server and 14 files against the lock",
    clean: "Up to date",
    ...content,
  };
}

/** A renamed field of a shared type, at three places in two tools, with call sites. */
export const renamedField: readonly Change[] = [
  ["create-order", "/inputSchema/properties/price"],
  ["create-order", "/inputSchema/properties/tip"],
  ["refund", "/inputSchema/properties/amount"],
].map(([tool = "", path = ""], index): Change => ({
  ...{ ...SITE, rule: "input-property-renamed", tool, path: `${path}/properties/currencyCode` },
  ...{ before: "currency", after: "currencyCode", confidence: 0.9, impacts: ["wire", "types"], fails: true },
  explanation: "A property of the input was renamed: callers that pass it are rejected.",
  callSites: [
    {
      ...{ file: "src/desk.ts", line: 7 + index, column: 3, effect: "stops-compiling" },
      says: "passes `currency`, renamed to `currencyCode`",
    },
  ],
}));

/** A renamed field with so many call sites. */
export function calledAt(length: number): Change {
  const [change] = renamedField;
  const [site] = change?.callSites ?? [];
  if (change === undefined || site === undefined) throw new Error("There is no such fixture.");
  return { ...change, callSites: Array.from({ length }, (_, at) => ({ ...site, line: at + 1 })) };
}

const renamed: Change = {
  ...{ ...SITE, rule: "server-name-changed", server: "shop", path: "/serverInfo/name" },
  ...{ before: "shop", after: "other", impacts: ["trust"], fails: true },
  explanation: "The server's name changed: it may be another server.",
};

export const staleCall: Finding = {
  ...{ rule: "recorded-output-invalid", file: "cassettes/shop/get-post.json", line: 12, column: 9 },
  ...{ server: "shop", tool: "get-post" },
  message: "The locked output schema refuses it: title: Invalid input: expected string, received number.",
  facts: { calls: 3 },
};

export const excess: Finding = {
  rule: "over-token-budget",
  server: "site",
  facts: {
    of: "lock",
    budget: 1_000,
    tokens: 1_234,
    isEstimate: false,
    largest: [
      { tool: "create-post", tokens: 800 },
      { tool: "ping", tokens: 40 },
    ],
  },
};

/** PHP that does not register two of the tools. */
export const reading: Finding = findingOfPhp({
  ...{ server: "site", by: "php 8.3.1", abilities: 3, others: ["forms-list", "forms-get"] },
  ...{ refused: [], notes: [] },
});

export const unknownName: Finding = {
  ...{ rule: "mention-unknown", file: ".claude/settings.json", line: 4, column: 8 },
  ...{ server: "shop", tool: "refnd" },
  message: 'allows `mcp__shop__refnd`, which server "shop" does not list; did you mean `refund`?',
};

export const brokenScript: Finding = {
  ...{ rule: "script-type-error", file: "automations/close.ts", line: 3, column: 7 },
  message: "there is no property `sum`",
  facts: { of: "server" },
};

/** One of each thing that a report can contain. */
export const everything: ReportContent = findings({
  changes: [
    {
      ...{ ...added, fails: false, foundClass: "dangerous" },
      explanation: "The tool was added: existing callers do not use it.",
    },
    { ...judgedChange, witness: { title: "aaaaaaaaaaaaaaa" } },
    renamed,
  ],
  files: [
    findingOfFile({ path: "site/a.ts", state: "stale", reason: "its definition changed" }),
    findingOfEdited("site/b.ts"),
  ],
  unverified: [notVerified({ server: "away", message: "refused the connection", hint: "Start it." })],
  budget: [excess],
  records: [staleCall],
  repairs: [{ command: "npx mcp-codegen pull site shop", does: "take it" }],
});

/** Texts from a server that programs which show a report may interpret. */
export const HOSTILE: readonly string[] = [
  "@octocat #1 GH-1 octo/repo#1 deadbeef1",
  "[click](https://evil.example) ![x](https://evil.example/x.png) <https://evil.example> https://evil.example www.evil.example",
  "<script>alert(1)</script><img src=x onerror=alert(1)><!-- -->",
  "a | b \\| c \\\\| d\n| e | f |",
  "`code` ``two`` ```\nfence\n``` ````",
  "\r\n::error::owned\n::add-mask::x ##[error]x ##vso[task.complete]",
  "%0A::error::owned%0A ]]> &amp; \u0000\u0008\u001b[31m\uFFFF\uD800",
  "</details></td></tr></testcase>\"'><x y='z'>",
  "$`math`$ $$x$$ :smile: ~~del~~ **bold** _em_ \\",
  "`".repeat(300),
  " ` ",
  "\u202Etxt.exe\u200B\u{E0041}",
  "{0} {{1}} [a](1)",
];

/** Returns findings with this text in every field that a server controls. */
export function hostileFindings(text: string): ReportContent {
  return findings({
    changes: [
      {
        ...judgedChange,
        tool: text,
        path: `/inputSchema/properties/${text.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        before: text,
        after: `${text}!`,
        reason: text,
        witness: { [text]: text },
        callSites: [{ file: "src/a.ts", line: 1, column: 1, says: text, effect: "rejected" }],
      },
      // The same change at another place and in another tool.
      ...[text, `${text} 2`].map((tool) => ({
        ...judgedChange,
        rule: "input-default-changed",
        tool,
        path: "/inputSchema/properties/kind/default",
        after: text,
      })),
      { ...judgedChange, rule: "tool-removed", tool: text, path: "" },
    ],
    files: [findingOfFile({ path: text, state: "stale", reason: text }), findingOfEdited(text)],
    notes: [
      findingOfNote({ code: "KEYWORD_LOOSENED", server: "site", tool: text, path: text, message: text }),
      findingOfNote({ code: "TOOL_UNUSABLE", server: text, tool: text, path: text, message: text }),
    ],
    unverified: [notVerified({ server: "away", message: text, hint: text, file: text })],
    waivers: [notice("unused", text)],
    budget: [
      { ...excess, environment: text, facts: { ...excess.facts, largest: [{ tool: text, tokens: 9 }] } },
    ],
    records: [{ ...staleCall, file: `cassettes/${text}.json`, server: text, tool: text, message: text }],
    hosts: [
      {
        ...{ ...refusal, server: text, tool: text, message: text, hint: text },
        facts: { ...refusal.facts, paths: [text] },
      },
    ],
    environments: [
      { server: text, environments: [null, text], rows: [{ tool: text, states: ["missing", "as-locked"] }] },
    ],
  });
}

/** A waiver without effect. */
export function notice(state: NonNullable<Facts["state"]>, tool: string): Finding {
  const waiver = { reason: "Known.", expires: "2026-01-31" };
  return { rule: "tool-removed", server: "site", tool, path: "", waiver, facts: { state } };
}
