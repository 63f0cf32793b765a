import type { ChangeClass } from "../contract/change.js";
import type { JsonObject, JsonValue } from "../contract/json.js";
import type { OneSidedRuleName, SidedRuleName } from "./rules.js";

/** A pair of schemas between which one rule finds one change. */
export interface SidedExample {
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The rule that finds the reverse change, or why no rule does. */
  readonly mirror: SidedRuleName | { readonly waived: string };
  /** The class of this pair, if a proof or a counterexample gives it another class than the rule. */
  readonly input?: ChangeClass;
  readonly output?: ChangeClass;
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
  "property-removed": {
    before: { ...open, properties: { x: text, y: text } },
    after: open,
    mirror: "optional-property-added",
  },
  "required-property-added": {
    before: open,
    after: { ...open, properties: { x: text, y: text }, required: ["y"] },
    mirror: "property-removed",
  },
  "optional-property-added": {
    before: open,
    after: { ...open, properties: { x: text, y: text } },
    mirror: "property-removed",
  },
  "property-became-required": {
    before: open,
    after: { ...open, required: ["x"] },
    mirror: "property-became-optional",
  },
  "property-became-optional": {
    before: { ...open, required: ["x"] },
    after: open,
    mirror: "property-became-required",
  },
  "type-changed": { before: text, after: { type: "boolean" }, mirror: "type-changed" },
  "type-narrowed": { before: { type: ["string", "boolean"] }, after: text, mirror: "type-widened" },
  "type-added": { before: {}, after: text, mirror: "type-widened" },
  "type-widened": { before: { type: "integer" }, after: { type: "number" }, mirror: "type-narrowed" },
  "null-added": { before: text, after: { anyOf: [text, { type: "null" }] }, mirror: "null-removed" },
  "null-removed": { before: { type: ["string", "null"] }, after: text, mirror: "null-added" },
  "enum-value-added": { before: { enum: ["a"] }, after: { enum: ["b", "a"] }, mirror: "enum-value-removed" },
  "enum-value-removed": { before: { enum: ["a", "b"] }, after: { enum: ["a"] }, mirror: "enum-value-added" },
  "enum-introduced": { before: text, after: { enum: ["a", "b"] }, mirror: "enum-dropped" },
  "enum-dropped": { before: { ...text, enum: ["a"] }, after: text, mirror: "enum-introduced" },
  "const-introduced": { before: text, after: { const: "a" }, mirror: "enum-dropped" },
  "const-changed": { before: { const: "a" }, after: { enum: ["b"] }, mirror: "const-changed" },
  "bound-tightened": { before: { minimum: 1 }, after: { exclusiveMinimum: 1 }, mirror: "bound-loosened" },
  "bound-loosened": { before: { ...text, maxLength: 2 }, after: text, mirror: "bound-tightened" },
  "pattern-added": { before: text, after: { ...text, pattern: "^a" }, mirror: "pattern-removed" },
  "pattern-removed": { before: { ...text, pattern: "^a" }, after: text, mirror: "pattern-added" },
  "pattern-changed": {
    before: { ...text, pattern: "^a" },
    after: { ...text, pattern: "^b" },
    mirror: "pattern-changed",
    input: "breaking",
    output: "breaking",
  },
  "multiple-of-added": {
    before: { type: "integer" },
    after: { type: "integer", multipleOf: 2 },
    mirror: "multiple-of-removed",
  },
  "multiple-of-removed": { before: { multipleOf: 2 }, after: {}, mirror: "multiple-of-added" },
  "multiple-of-changed": {
    before: { type: "number", multipleOf: 4 },
    after: { type: "number", multipleOf: 2 },
    mirror: "multiple-of-changed",
    input: "safe",
    output: "breaking",
  },
  "unique-items-added": {
    before: { type: "array" },
    after: { type: "array", uniqueItems: true },
    mirror: "unique-items-removed",
  },
  "unique-items-removed": { before: { uniqueItems: true }, after: {}, mirror: "unique-items-added" },
  "format-added": { before: text, after: { ...text, format: "email" }, mirror: "format-removed" },
  "format-removed": { before: { ...text, format: "email" }, after: text, mirror: "format-added" },
  "format-changed": {
    before: { ...text, format: "uri" },
    after: { ...text, format: "email" },
    mirror: "format-changed",
  },
  "additional-properties-closed": {
    before: open,
    after: { ...open, additionalProperties: false },
    mirror: "additional-properties-opened",
  },
  "additional-properties-opened": {
    before: { ...open, additionalProperties: false },
    after: { ...open, additionalProperties: {} },
    mirror: "additional-properties-closed",
  },
  "default-added": { before: text, after: { ...text, default: "a" }, mirror: "default-removed" },
  "default-changed": {
    before: { ...text, default: "a" },
    after: { ...text, default: "b" },
    mirror: "default-changed",
  },
  "default-removed": { before: { ...text, default: "a" }, after: text, mirror: "default-added" },
  "description-added": { before: text, after: { ...text, description: "A." }, mirror: "description-removed" },
  "description-changed": {
    before: { ...text, description: "A." },
    after: { ...text, description: "B." },
    mirror: "description-changed",
  },
  "description-removed": { before: { ...text, description: "A." }, after: text, mirror: "description-added" },
  "annotation-changed": {
    before: { ...text, title: "A" },
    after: { ...text, title: "B" },
    mirror: "annotation-changed",
  },
  "deprecated-added": { before: text, after: { ...text, deprecated: true }, mirror: "annotation-changed" },
  "union-branch-removed": {
    before: {
      anyOf: [
        { ...open, required: ["x"] },
        { type: "array", items: text },
        { type: "object", required: ["z"], properties: { x: false } },
      ],
    },
    after: {
      anyOf: [
        { ...open, required: ["x"] },
        { type: "object", required: ["z"], properties: { x: false } },
      ],
    },
    mirror: "union-branch-added",
  },
  "union-branch-added": {
    before: { ...open, required: ["x"], additionalProperties: false },
    after: {
      anyOf: [
        { ...open, required: ["x"], additionalProperties: false },
        { type: "object", required: ["z"] },
      ],
    },
    mirror: "union-branch-removed",
  },
  "constraint-added": {
    before: open,
    after: { ...open, not: { required: ["x"] } },
    mirror: "constraint-removed",
  },
  "constraint-removed": { before: { ...open, minProperties: 1 }, after: open, mirror: "constraint-added" },
  "keyword-changed": {
    before: { ...text, "x-unit": "m" },
    after: { ...text, "x-unit": "ft" },
    mirror: "keyword-changed",
  },
  "schema-changed": {
    before: { ...open, not: { required: ["x", "z"] } },
    after: { ...open, not: { required: ["x"] } },
    mirror: "schema-changed",
    input: "breaking",
    output: "safe",
  },
};
