import picocolors from "picocolors";
import type { Change } from "../../src/contract/change.js";
import { McpCodegenError } from "../../src/contract/errors.js";
import type { CheckReport, PullReport, ServerPlan } from "../../src/contract/reports.js";

export const plain = picocolors.createColors(false);

export const narrowed: Change = {
  rule: "input-bound-tightened",
  class: "breaking",
  security: false,
  server: "site",
  tool: "create-post",
  path: "/inputSchema/properties/title/maxLength",
  before: 20,
  after: 10,
  impacts: ["wire"],
};

export const added: Change = {
  rule: "tool-added",
  class: "safe",
  security: true,
  server: "site",
  tool: "archive-post",
  path: "",
  after: { name: "archive-post", inputSchema: { type: "object" } },
  impacts: [],
};

export const removed: Change = {
  rule: "tool-removed",
  class: "breaking",
  security: false,
  server: "site",
  tool: "old-post",
  path: "",
  before: { name: "old-post" },
  impacts: ["wire", "types"],
};

export const changedPlan: ServerPlan = {
  server: "site",
  status: "changed",
  before: "1.2.0",
  after: "2.0.0",
  changes: [added, removed, narrowed],
  diagnostics: [],
  tools: 12,
};

export const failedPlan: ServerPlan = {
  server: "shop",
  status: "failed",
  before: "1.0.0",
  changes: [],
  diagnostics: [],
  tools: 0,
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
        code: "KEYWORD_LOOSENED",
        server: "site",
        tool: "create-post",
        path: "/inputSchema",
        message: "says more than Zod",
      },
    ],
  },
  stale: [],
  edited: [],
  diagnostics: [],
  unverified: [{ server: "shop", reason: "did not answer in 60 s", hint: "Raise the time-out." }],
};

export const nothingFound: CheckReport = {
  changes: [],
  stale: [],
  edited: [],
  diagnostics: [],
  unverified: [],
  checked: { servers: ["site"], files: 14 },
};
