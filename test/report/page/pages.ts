/** Pages for tests, written to files. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { printPage } from "../../../src/cli/commands/tools/page.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { readPageAssets } from "../../../src/files/read-page-assets.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { judgeChanges } from "../../../src/report/render-report.js";
import type { Change } from "../../../src/core/change.js";
import type { ReportContent } from "../../../src/report/report-content.js";
import { lockOf } from "../../emit/golden-cases.js";
import { findings as findingsWith, judgedChange, renamedField } from "../fixtures.js";

/** Names and texts that must stay texts. */
export const HOSTILE: readonly string[] = [
  "</script><script>globalThis.wasHit = 1</script>",
  "<img src=x onerror=globalThis.wasHit=1>",
  "<!--<script>",
  "\u202Egnp.tool\u2066",
  "javascript:globalThis.wasHit=1",
  "__proto__",
  "a/b%2F#?&\"'`",
  "a\ud800b",
];

const VERBS = ["get", "list", "create", "update", "delete", "search"] as const;
const NOUNS = ["order", "product", "customer", "invoice", "refund", "shipment", "coupon", "review"] as const;

/** Tools with schemas of a usual size. */
export function makeTools(amount: number): readonly ToolSnapshot[] {
  return Array.from({ length: amount }, (_, at) => {
    const [verb = "get", noun = "order"] = [
      VERBS[at % VERBS.length],
      NOUNS[Math.floor(at / 6) % NOUNS.length],
    ];
    const number = Math.floor(at / 48);
    return {
      name: `${verb}_${noun}${number === 0 ? "" : `_${number}`}`,
      title: `${verb} ${noun}`,
      description: `${verb === "delete" ? "Deletes" : "Reads"} one ${noun} of the shop.\nUse it with an id from "list_${noun}".`,
      annotations: { readOnlyHint: verb === "get" || verb === "list" || verb === "search" },
      inputSchema: INPUT,
      outputSchema: INPUT,
    };
  });
}

const INPUT: JsonObject = {
  type: "object",
  properties: {
    id: { type: "string", format: "uuid", description: "The id." },
    status: { enum: ["open", "paid", "sent"], description: "Only with this status.", default: "open" },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    customer: { $ref: "#/$defs/customer" },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
  },
  required: ["id"],
  additionalProperties: false,
  $defs: {
    customer: {
      type: "object",
      properties: { name: { type: "string" }, parent: { $ref: "#/$defs/customer" } },
      required: ["name"],
    },
  },
};

/** A tool and its next version: properties renamed, restricted, removed, added and required, and a shared type. */
export const VERSIONS: readonly [before: readonly ToolSnapshot[], after: readonly ToolSnapshot[]] = [
  [
    {
      name: "get_order",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string", format: "uuid" },
          status: { enum: ["open", "paid", "sent"], default: "open" },
          limit: { type: "integer", minimum: 1, maximum: 100 },
          customer: { $ref: "#/$defs/customer" },
          payer: { $ref: "#/$defs/customer" },
          page: { type: "object", properties: { size: { type: "integer" }, after: { type: "string" } } },
          query: { type: "string" },
          old: { type: "object", properties: { from: { type: "string" } } },
        },
        required: ["id"],
        $defs: {
          customer: {
            type: "object",
            properties: { name: { type: "string", description: "The name of the customer." }, parent: { $ref: "#/$defs/customer" } },
          },
        },
      },
    },
  ],
  [
    {
      name: "get_order",
      inputSchema: {
        type: "object",
        minProperties: 2,
        properties: {
          id: { type: "string", format: "uuid" },
          status: { enum: ["open", "paid"], default: "open" },
          limit: { type: "integer", minimum: 1, maximum: 50 },
          customer: { $ref: "#/$defs/customer" },
          payer: { $ref: "#/$defs/customer" },
          page: { type: "object", properties: { size: { type: "integer" }, after: { type: "string" } } },
          queries: { type: "string" },
          fresh: { type: "boolean" },
        },
        required: ["id", "limit"],
        $defs: {
          customer: {
            type: "object",
            properties: { name: { type: "string", maxLength: 40, description: "The full name of the customer." }, parent: { $ref: "#/$defs/customer" } },
          },
        },
      },
    },
  ],
]; // prettier-ignore

/** The findings of a check that compares two lists of the shop's tools. */
export function compareTools(
  before: readonly ToolSnapshot[],
  after: readonly ToolSnapshot[],
): Partial<ReportContent> {
  return { changes: judgeChanges(diffTools(before, after, { server: "shop" }), undefined, {}) };
}

/** Tools whose names, texts, properties and values are hostile. */
export function hostileTools(): readonly ToolSnapshot[] {
  return HOSTILE.map((text) => ({
    name: text,
    title: text,
    description: text,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries([[text, { enum: [text], description: text, default: text }]]),
      required: [text],
    },
  }));
}

/** Changes with all parts: edits, a witness, call sites. */
export const CHANGES: readonly Change[] = [
  ...renamedField,
  {
    ...judgedChange,
    server: "shop",
    tool: "get_order",
    path: "/inputSchema/properties/limit/maximum",
    before: 100,
    after: 50,
    witness: { id: "5f0c", limit: 51 },
    callSites: [
      { file: "src/orders.ts", line: 12, column: 4, says: "passes `limit: 100`", effect: "rejected" },
    ],
  },
  {
    ...judgedChange,
    rule: "tool-description-changed",
    class: "dangerous",
    security: true,
    server: "shop",
    tool: "list_order",
    path: "/description",
    before: "Lists the orders of the shop.\nPages have 20 orders.",
    after: "Lists the orders of the shop.\nPages have 50 orders.",
  },
];

/** The text that a page shows at an address; without one, the first view. */
export async function textOfPage(html: string, address?: string): Promise<string> {
  const { toHtml } = await readPageAssets();
  return plainOf(toHtml(dataOf(html), address));
}

/** The text of HTML. */
export function plainOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ENTITIES[name] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" };

/** The JSON in a page. */
export function dataOf(html: string): JsonValue {
  const json = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "null";
  return JSON.parse(json) as JsonValue;
}

/** Writes a page to a file, and returns its URL and its size. */
export async function writePage({
  servers,
  findings,
  isServed = false,
}: {
  readonly isServed?: boolean;
  readonly servers: { readonly [server: string]: readonly ToolSnapshot[] };
  readonly findings?: Partial<ReportContent>;
}): Promise<{ readonly url: string; readonly html: string }> {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-page-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const lock = lockOf({ servers: {} }, servers);
  const html = await printPage({
    title: "acme",
    lock,
    isServed,
    ...(findings !== undefined && { content: findingsWith(findings) }),
  });
  const file = join(dir, "page.html");
  await writeFile(file, html);
  return { url: pathToFileURL(file).href, html };
}
