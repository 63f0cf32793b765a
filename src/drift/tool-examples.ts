import type { AbilitySnapshot } from "../contract/ability.js";
import type { JsonObject } from "../contract/json.js";

/** Two lists of tools between which one rule finds one change. */
export interface ToolExample {
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
  readonly mirror: string | { readonly waived: string };
}

const annotated = (annotations: JsonObject): readonly JsonObject[] => [{ name: "t", annotations }];
const input = (properties: JsonObject): readonly JsonObject[] => [
  { name: "t", inputSchema: { type: "object", properties } },
];
const output = (schema: JsonObject): readonly JsonObject[] => [{ name: "t", outputSchema: schema }];
const pointing = (ref: string): readonly JsonObject[] => [
  { name: "t", inputSchema: { type: "object", properties: { a: { $ref: ref } }, $defs: { A: {}, B: {} } } },
];

/** Two definitions of a WordPress ability between which one rule finds one change. */
export interface AbilityExample {
  readonly before: AbilitySnapshot;
  readonly after: AbilitySnapshot;
  readonly mirror: string;
}

const ability = { name: "acme/get-product", label: "Get a product" };
const deprecated = {
  ...ability,
  meta: { deprecated: { since: "2.1.0", replacement: "acme/fetch-product" } },
};

/** Examples of the rules about the ability behind a tool. */
export const ABILITY_EXAMPLES: Readonly<Record<string, AbilityExample>> = {
  "tool-deprecated": { before: ability, after: deprecated, mirror: "tool-undeprecated" },
  "tool-undeprecated": { before: deprecated, after: ability, mirror: "tool-deprecated" },
};

/** Examples of the rules about a tool as a whole. Rules about the server and about texts have none. */
export const TOOL_EXAMPLES: Readonly<Record<string, ToolExample>> = {
  "tool-added": { before: [], after: [{ name: "t" }], mirror: "tool-removed" },
  "tool-removed": { before: [{ name: "t" }], after: [], mirror: "tool-added" },
  "tool-name-invalid": {
    before: [{ name: "t" }],
    after: [{ name: "t" }, { name: "get posts" }],
    mirror: { waived: "Removing the name removes the tool." },
  },
  "tool-name-duplicate": {
    before: [{ name: "t" }],
    after: [{ name: "t" }, { name: "t" }],
    mirror: { waived: "A name that is listed once is correct." },
  },
  "tool-name-collision": {
    before: [{ name: "get-post" }],
    after: [{ name: "get-post" }, { name: "get_post" }],
    mirror: { waived: "Removing the name removes the tool." },
  },
  "tool-description-changed": {
    before: [{ name: "t", description: "Reads." }],
    after: [{ name: "t", description: "Reads it." }],
    mirror: "tool-description-changed",
  },
  "tool-title-changed": {
    before: [{ name: "t", title: "A" }],
    after: [{ name: "t", title: "B" }],
    mirror: "tool-title-changed",
  },
  "annotation-readonly-lost": {
    before: annotated({ readOnlyHint: true }),
    after: annotated({}),
    mirror: "annotation-readonly-gained",
  },
  "annotation-readonly-gained": {
    before: annotated({}),
    after: annotated({ readOnlyHint: true }),
    mirror: "annotation-readonly-lost",
  },
  "annotation-destructive-gained": {
    before: annotated({ destructiveHint: false }),
    after: annotated({}),
    mirror: "annotation-destructive-lost",
  },
  "annotation-destructive-lost": {
    before: annotated({ destructiveHint: true }),
    after: annotated({ destructiveHint: false }),
    mirror: "annotation-destructive-gained",
  },
  "annotation-idempotent-lost": {
    before: annotated({ idempotentHint: true }),
    after: annotated({ idempotentHint: false }),
    mirror: "annotation-idempotent-gained",
  },
  "annotation-idempotent-gained": {
    before: annotated({}),
    after: annotated({ idempotentHint: true }),
    mirror: "annotation-idempotent-lost",
  },
  "annotation-openworld-gained": {
    before: annotated({ openWorldHint: false }),
    after: annotated({}),
    mirror: "annotation-openworld-lost",
  },
  "annotation-openworld-lost": {
    before: annotated({}),
    after: annotated({ openWorldHint: false }),
    mirror: "annotation-openworld-gained",
  },
  "task-support-changed": {
    before: [{ name: "t", execution: { taskSupport: "optional" } }],
    after: [{ name: "t", execution: { taskSupport: "required" } }],
    mirror: "task-support-added",
  },
  "task-support-added": {
    before: [{ name: "t" }],
    after: [{ name: "t", execution: { taskSupport: "optional" } }],
    mirror: "task-support-changed",
  },
  "icons-changed": {
    before: [{ name: "t", icons: [{ src: "https://a.example/1.png" }] }],
    after: [{ name: "t", icons: [{ src: "https://a.example/2.png" }] }],
    mirror: "icons-changed",
  },
  "meta-changed": {
    before: [{ name: "t" }],
    after: [{ name: "t", _meta: { a: 1 } }],
    mirror: "meta-changed",
  },
  "definition-changed": {
    before: [{ name: "t", "x-cost": 1 }],
    after: [{ name: "t", "x-cost": 2 }],
    mirror: "definition-changed",
  },
  "parameter-header-added": {
    before: input({ tenant: { type: "string" } }),
    after: input({ tenant: { type: "string", "x-mcp-header": "Tenant" } }),
    mirror: "parameter-header-removed",
  },
  "parameter-header-removed": {
    before: input({ tenant: { type: "string", "x-mcp-header": "Tenant" } }),
    after: input({ tenant: { type: "string" } }),
    mirror: "parameter-header-added",
  },
  "output-property-added-to-closed": {
    before: output({ type: "object", properties: { a: {} }, additionalProperties: false }),
    after: output({ type: "object", properties: { a: {}, b: {} }, additionalProperties: false }),
    mirror: "output-property-removed",
  },
  "output-schema-added": {
    before: [{ name: "t" }],
    after: output({ type: "object" }),
    mirror: "output-schema-removed",
  },
  "output-schema-removed": {
    before: output({ type: "object" }),
    after: [{ name: "t" }],
    mirror: "output-schema-added",
  },
  "output-root-type-changed": {
    before: output({ type: "object" }),
    after: output({ type: "array" }),
    mirror: "output-root-type-changed",
  },
  "schema-dialect-changed": {
    before: [
      {
        name: "t",
        inputSchema: { $schema: "http://json-schema.org/draft-07/schema#", dependentRequired: { a: ["b"] } },
      },
    ],
    after: [
      {
        name: "t",
        inputSchema: { $schema: "http://json-schema.org/draft-06/schema#", dependentRequired: { a: ["b"] } },
      },
    ],
    mirror: "schema-dialect-changed",
  },
  "schema-ref-external": {
    before: pointing("#/$defs/A"),
    after: pointing("https://a.example/b.json"),
    mirror: { waived: "The old schema cannot be read, so the change is reported as unproved." },
  },
  "schema-ref-unresolved": {
    before: pointing("#/$defs/A"),
    after: pointing("#/$defs/C"),
    mirror: { waived: "A reference that resolves again is compared like any other." },
  },
  "schema-ref-too-deep": {
    before: pointing("#/$defs/A"),
    after: [{ name: "t", inputSchema: { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } } }],
    mirror: { waived: "The old schema cannot be read, so the change is reported as unproved." },
  },
};
