import type { ChangeClass } from "../contract/change.js";
import type { JsonObject, JsonValue } from "../contract/json.js";
import type { OneSidedRuleName, SidedRuleName } from "./rules.js";

/** A pair of schemas between which one rule finds one change. */
interface SidedExample {
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The rule that finds the reverse change, or why no rule does. */
  readonly mirror: SidedRuleName | { readonly waived: string };
  /** The class of this pair, if a proof or a counterexample gives it another class than the rule. */
  readonly input?: ChangeClass;
  readonly output?: ChangeClass;
}

function pair(
  before: JsonValue,
  after: JsonValue,
  mirror: SidedExample["mirror"],
  classes: Pick<SidedExample, "input" | "output"> = {},
): SidedExample {
  return { before, after, mirror, ...classes };
}

const text: JsonObject = { type: "string" };
const open: JsonObject = { type: "object", properties: { x: text } };

/**
 * A pair of schemas for each rule that inputs and outputs share. `explain` shows them, and tests check the rules with them
 * at every place where a schema can be.
 */
export const SIDED_EXAMPLES: Readonly<
  Record<Exclude<SidedRuleName, "property-renamed" | OneSidedRuleName>, SidedExample>
> = {
  "property-removed": pair({ ...open, properties: { x: text, y: text } }, open, "optional-property-added"),
  "required-property-added": pair(
    open,
    { ...open, properties: { x: text, y: text }, required: ["y"] },
    "property-removed",
  ),
  "optional-property-added": pair(open, { ...open, properties: { x: text, y: text } }, "property-removed"),
  "property-became-required": pair(open, { ...open, required: ["x"] }, "property-became-optional"),
  "property-became-optional": pair({ ...open, required: ["x"] }, open, "property-became-required"),
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
  "pattern-changed": pair({ ...text, pattern: "^a" }, { ...text, pattern: "^b" }, "pattern-changed", {
    input: "breaking",
    output: "breaking",
  }),
  "multiple-of-added": pair({ type: "integer" }, { type: "integer", multipleOf: 2 }, "multiple-of-removed"),
  "multiple-of-removed": pair({ multipleOf: 2 }, {}, "multiple-of-added"),
  "multiple-of-changed": pair(
    { type: "number", multipleOf: 4 },
    { type: "number", multipleOf: 2 },
    "multiple-of-changed",
    { input: "safe", output: "breaking" },
  ),
  "unique-items-added": pair({ type: "array" }, { type: "array", uniqueItems: true }, "unique-items-removed"),
  "unique-items-removed": pair({ uniqueItems: true }, {}, "unique-items-added"),
  "format-added": pair(text, { ...text, format: "email" }, "format-removed"),
  "format-removed": pair({ ...text, format: "email" }, text, "format-added"),
  "format-changed": pair({ ...text, format: "uri" }, { ...text, format: "email" }, "format-changed"),
  "additional-properties-closed": pair(
    open,
    { ...open, additionalProperties: false },
    "additional-properties-opened",
  ),
  "additional-properties-opened": pair(
    { ...open, additionalProperties: false },
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
    {
      anyOf: [
        { ...open, required: ["x"] },
        { type: "array", items: text },
        { type: "object", required: ["z"], properties: { x: false } },
      ],
    },
    {
      anyOf: [
        { ...open, required: ["x"] },
        { type: "object", required: ["z"], properties: { x: false } },
      ],
    },
    "union-branch-added",
  ),
  "union-branch-added": pair(
    { ...open, required: ["x"], additionalProperties: false },
    {
      anyOf: [
        { ...open, required: ["x"], additionalProperties: false },
        { type: "object", required: ["z"] },
      ],
    },
    "union-branch-removed",
  ),
  "constraint-added": pair(open, { ...open, not: { required: ["x"] } }, "constraint-removed"),
  "constraint-removed": pair({ ...open, minProperties: 1 }, open, "constraint-added"),
  "keyword-changed": pair({ ...text, "x-unit": "m" }, { ...text, "x-unit": "ft" }, "keyword-changed"),
  "schema-changed": pair(
    { ...open, not: { required: ["x", "z"] } },
    { ...open, not: { required: ["x"] } },
    "schema-changed",
    { input: "breaking", output: "safe" },
  ),
};
