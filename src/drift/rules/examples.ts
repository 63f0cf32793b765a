import type { ChangeClass } from "../../core/change.js";
import type { JsonObject, JsonValue } from "../../core/json.js";
import type { OneSidedRuleName, SidedRuleName } from "../rules.js";
import type { AbilitySnapshot } from "../../core/ability.js";
import type { ServerTools } from "../security/texts.js";

interface ExamplePair<T, Mirror> {
  readonly before: T;
  readonly after: T;
  /** The rule that finds the reverse change, or why no rule does. */
  readonly mirror: Mirror;
}

interface Waived {
  readonly waived: string;
}

function pair<T, Mirror>(before: T, after: T, mirror: Mirror): ExamplePair<T, Mirror> {
  return { before, after, mirror };
}

/** The classes of a pair, if a proof or a counterexample gives it another class than the rule. */
interface ProvedClasses {
  readonly input?: ChangeClass;
  readonly output?: ChangeClass;
}

type SchemaExample = ExamplePair<JsonValue, SidedRuleName | Waived> & ProvedClasses;

const text: JsonObject = { type: "string" };
const open: JsonObject = { type: "object", properties: { x: text } };
const closed: JsonObject = { ...open, additionalProperties: false };
const filled: JsonObject = { ...open, required: ["x"] };
const wide: JsonObject = { ...open, properties: { x: text, y: text } };
const other: JsonObject = { type: "object", required: ["z"] };

/**
 * A pair of schemas for each rule that inputs and outputs share. `explain` shows them, and tests check the rules with them
 * at every place where a schema can be.
 */
export const SIDED_EXAMPLES: Readonly<
  Record<Exclude<SidedRuleName, "property-renamed" | OneSidedRuleName>, SchemaExample>
> = {
  "property-removed": pair(wide, open, "optional-property-added"),
  "required-property-added": pair(open, { ...wide, required: ["y"] }, "property-removed"),
  "optional-property-added": pair(open, wide, "property-removed"),
  "property-became-required": pair(open, filled, "property-became-optional"),
  "property-became-optional": pair(filled, open, "property-became-required"),
  "type-changed": pair(text, { type: "boolean" }, "type-changed"),
  "type-narrowed": pair({ type: ["string", "boolean"] }, text, "type-widened"),
  "type-added": pair({}, text, "type-widened"),
  "type-widened": pair({ type: "integer" }, { type: "number" }, "type-narrowed"),
  "null-added": pair(text, { anyOf: [text, { type: "null" }] }, "null-removed"),
  "null-removed": pair({ type: ["string", "null"] }, text, "null-added"),
  "enum-value-added": pair({ enum: ["a"] }, { enum: ["b", "a"] }, "enum-value-removed"),
  "enum-value-removed": pair({ enum: ["a", "b"] }, { enum: ["a"] }, "enum-value-added"),
  "enum-introduced": pair(text, { enum: ["a", "b"] }, "enum-dropped"),
  "enum-dropped": pair({ ...text, enum: ["a"] }, text, "enum-introduced"),
  "const-introduced": pair(text, { const: "a" }, "enum-dropped"),
  "const-changed": pair({ const: "a" }, { enum: ["b"] }, "const-changed"),
  "bound-tightened": pair({ minimum: 1 }, { exclusiveMinimum: 1 }, "bound-loosened"),
  "bound-loosened": pair({ ...text, maxLength: 2 }, text, "bound-tightened"),
  "pattern-added": pair(text, { ...text, pattern: "^a" }, "pattern-removed"),
  "pattern-removed": pair({ ...text, pattern: "^a" }, text, "pattern-added"),
  "pattern-changed": {
    ...pair({ ...text, pattern: "^a" }, { ...text, pattern: "^b" }, "pattern-changed"),
    input: "breaking",
    output: "breaking",
  },
  "multiple-of-added": pair({ type: "integer" }, { type: "integer", multipleOf: 2 }, "multiple-of-removed"),
  "multiple-of-removed": pair({ multipleOf: 2 }, {}, "multiple-of-added"),
  "multiple-of-changed": {
    ...pair({ type: "number", multipleOf: 4 }, { type: "number", multipleOf: 2 }, "multiple-of-changed"),
    input: "safe",
    output: "breaking",
  },
  "unique-items-added": pair({ type: "array" }, { type: "array", uniqueItems: true }, "unique-items-removed"),
  "unique-items-removed": pair({ uniqueItems: true }, {}, "unique-items-added"),
  "format-added": pair(text, { ...text, format: "email" }, "format-removed"),
  "format-removed": pair({ ...text, format: "email" }, text, "format-added"),
  "format-changed": pair({ ...text, format: "uri" }, { ...text, format: "email" }, "format-changed"),
  "additional-properties-closed": pair(open, closed, "additional-properties-opened"),
  "additional-properties-opened": pair(
    closed,
    { ...open, additionalProperties: {} },
    "additional-properties-closed",
  ),
  "default-added": pair(text, { ...text, default: "a" }, "default-removed"),
  "default-changed": pair({ ...text, default: "a" }, { ...text, default: "b" }, "default-changed"),
  "default-removed": pair({ ...text, default: "a" }, text, "default-added"),
  "description-added": pair(text, { ...text, description: "A." }, "description-removed"),
  "description-changed": pair(
    { ...text, description: "A." },
    { ...text, description: "B." },
    "description-changed",
  ),
  "description-removed": pair({ ...text, description: "A." }, text, "description-added"),
  "annotation-changed": pair({ ...text, title: "A" }, { ...text, title: "B" }, "annotation-changed"),
  "deprecated-added": pair(text, { ...text, deprecated: true }, "annotation-changed"),
  "union-branch-removed": pair(
    { anyOf: [filled, { type: "array", items: text }, { ...other, properties: { x: false } }] },
    { anyOf: [filled, { ...other, properties: { x: false } }] },
    "union-branch-added",
  ),
  "union-branch-added": pair(
    { ...filled, additionalProperties: false },
    { anyOf: [{ ...filled, additionalProperties: false }, other] },
    "union-branch-removed",
  ),
  "constraint-added": pair(open, { ...open, not: { required: ["x"] } }, "constraint-removed"),
  "constraint-removed": pair({ ...open, minProperties: 1 }, open, "constraint-added"),
  "keyword-changed": pair({ ...text, "x-unit": "m" }, { ...text, "x-unit": "ft" }, "keyword-changed"),
  "schema-changed": {
    ...pair(
      { ...open, not: { required: ["x", "z"] } },
      { ...open, not: { required: ["x"] } },
      "schema-changed",
    ),
    input: "breaking",
    output: "safe",
  },
};

/** Two lists of tools between which one rule finds one change. */
type ToolExample = ExamplePair<readonly JsonObject[], string | Waived> & {
  /** Tools that a model gets from other servers. */
  readonly others?: readonly ServerTools[];
};

function mirrored<T>(
  rule: string,
  reverse: string,
  before: T,
  after: T,
): Record<string, ExamplePair<T, string>> {
  return { [rule]: pair(before, after, reverse), [reverse]: pair(after, before, rule) };
}

const tool = (definition: JsonObject): readonly JsonObject[] => [{ name: "t", ...definition }];
const app = (ui: JsonObject): readonly JsonObject[] => tool({ _meta: { ui } });
const annotated = (annotations: JsonObject): readonly JsonObject[] => [{ name: "t", annotations }];
const output = (schema: JsonObject): readonly JsonObject[] => [{ name: "t", outputSchema: schema }];
const ofDraft = (draft: string): readonly JsonObject[] => {
  const $schema = `http://json-schema.org/${draft}/schema#`;
  return tool({ inputSchema: { $schema, dependentRequired: { a: ["b"] } } });
};
const pointing = (ref: string): readonly JsonObject[] => [
  { name: "t", inputSchema: { type: "object", properties: { a: { $ref: ref } }, $defs: { A: {}, B: {} } } },
];

const ability = { name: "acme/get-product", label: "Get a product" };
const deprecated = {
  ...ability,
  meta: { deprecated: { since: "2.1.0", replacement: "acme/fetch-product" } },
};

/** Examples of the rules about the ability behind a tool: two definitions between which one rule finds one change. */
export const ABILITY_EXAMPLES: Readonly<Record<string, ExamplePair<AbilitySnapshot, string>>> = {
  ...mirrored("tool-deprecated", "tool-undeprecated", ability, deprecated),
};

/** Examples of the rules about a tool as a whole. Rules about the server and about texts have none. */
export const TOOL_EXAMPLES: Readonly<Record<string, ToolExample>> = {
  ...mirrored("tool-added", "tool-removed", [], [{ name: "t" }]),
  "tool-name-invalid": pair([{ name: "t" }], [{ name: "t" }, { name: "get posts" }], {
    waived: "Removing the name removes the tool.",
  }),
  "tool-name-duplicate": pair([{ name: "t" }], [{ name: "t" }, { name: "t" }], {
    waived: "A name that is listed once is correct.",
  }),
  "tool-name-collision": pair([{ name: "get-post" }], [{ name: "get-post" }, { name: "get_post" }], {
    waived: "Removing the name removes the tool.",
  }),
  "tool-name-taken": {
    ...pair([], [{ name: "t", description: "Reads." }], { waived: "Removing the name removes the tool." }),
    others: [{ server: "files", tools: [{ name: "t" }] }],
  },
  "tool-description-changed": pair(
    tool({ description: "Reads." }),
    tool({ description: "Reads it." }),
    "tool-description-changed",
  ),
  "tool-title-changed": pair(tool({ title: "A" }), tool({ title: "B" }), "tool-title-changed"),
  ...mirrored(
    "annotation-readonly-lost",
    "annotation-readonly-gained",
    annotated({ readOnlyHint: true }),
    annotated({}),
  ),
  "annotation-destructive-gained": pair(
    annotated({ destructiveHint: false }),
    annotated({}),
    "annotation-destructive-lost",
  ),
  "annotation-destructive-lost": pair(
    annotated({ destructiveHint: true }),
    annotated({ destructiveHint: false }),
    "annotation-destructive-gained",
  ),
  "annotation-idempotent-lost": pair(
    annotated({ idempotentHint: true }),
    annotated({ idempotentHint: false }),
    "annotation-idempotent-gained",
  ),
  "annotation-idempotent-gained": pair(
    annotated({}),
    annotated({ idempotentHint: true }),
    "annotation-idempotent-lost",
  ),
  ...mirrored(
    "annotation-openworld-gained",
    "annotation-openworld-lost",
    annotated({ openWorldHint: false }),
    annotated({}),
  ),
  "task-support-changed": pair(
    tool({ execution: { taskSupport: "optional" } }),
    tool({ execution: { taskSupport: "required" } }),
    "task-support-added",
  ),
  "task-support-added": pair(
    [{ name: "t" }],
    tool({ execution: { taskSupport: "optional" } }),
    "task-support-changed",
  ),
  "icons-changed": pair(
    tool({ icons: [{ src: "https://a.example/1.png" }] }),
    tool({ icons: [{ src: "https://a.example/2.png" }] }),
    "icons-changed",
  ),
  "meta-changed": pair([{ name: "t" }], tool({ _meta: { a: 1 } }), "meta-changed"),
  ...mirrored("app-added", "app-removed", [{ name: "t" }], app({ resourceUri: "ui://t/a" })),
  "app-changed": pair(app({ resourceUri: "ui://t/a" }), app({ resourceUri: "ui://t/b" }), "app-changed"),
  ...mirrored(
    "app-origin-added",
    "app-origin-removed",
    app({ resourceUri: "ui://t/a" }),
    app({ resourceUri: "ui://t/a", csp: { connectDomains: ["https://a.example"] } }),
  ),
  ...mirrored(
    "app-permission-added",
    "app-permission-removed",
    app({ resourceUri: "ui://t/a" }),
    app({ resourceUri: "ui://t/a", permissions: { camera: {} } }),
  ),
  ...mirrored(
    "app-visibility-added",
    "app-visibility-removed",
    app({ resourceUri: "ui://t/a", visibility: ["app"] }),
    app({ resourceUri: "ui://t/a" }),
  ),
  "definition-changed": pair(tool({ "x-cost": 1 }), tool({ "x-cost": 2 }), "definition-changed"),
  "output-property-added-to-closed": pair(
    output({ type: "object", properties: { a: {} }, additionalProperties: false }),
    output({ type: "object", properties: { a: {}, b: {} }, additionalProperties: false }),
    "output-property-removed",
  ),
  ...mirrored("output-schema-added", "output-schema-removed", [{ name: "t" }], output({ type: "object" })),
  "output-root-type-changed": pair(
    output({ type: "object" }),
    output({ type: "array" }),
    "output-root-type-changed",
  ),
  "schema-dialect-changed": pair(ofDraft("draft-07"), ofDraft("draft-06"), "schema-dialect-changed"),
  "schema-ref-external": pair(pointing("#/$defs/A"), pointing("https://a.example/b.json"), {
    waived: "The old schema cannot be read, so the change is reported as unproved.",
  }),
  "schema-ref-unresolved": pair(pointing("#/$defs/A"), pointing("#/$defs/C"), {
    waived: "A reference that resolves again is compared like any other.",
  }),
  "schema-ref-too-deep": pair(
    pointing("#/$defs/A"),
    [{ name: "t", inputSchema: { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } } }],
    { waived: "The old schema cannot be read, so the change is reported as unproved." },
  ),
};
