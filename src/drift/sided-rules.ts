import type { ChangeClass, Impact } from "../contract/change.js";

export type Side = "input" | "output";
export const SIDES: readonly Side[] = ["input", "output"];

/** A rule of schemas: a call is contravariant in its input and covariant in its output, so the sides judge apart. */
export interface SidedRule {
  readonly input: ChangeClass;
  readonly output: ChangeClass;
  readonly impacts: readonly Impact[];
  /** What happened, where `{side}` stands for the side. */
  readonly says: string;
  readonly why: Readonly<Record<Side, string>>;
}

const WIRE_AND_TYPES = ["wire", "types"] as const;

const TABLE = {
  "property-removed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "A property of the {side} is gone",
    why: {
      input: "callers that pass it are rejected or ignored",
      output: "callers that read it find nothing",
    },
  },
  "property-renamed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "A property of the {side} has another name",
    why: {
      input: "callers that pass it under the old name are rejected or ignored",
      output: "callers that read it under the old name find nothing",
    },
  },
  "required-property-added": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "A required property of the {side} is new",
    why: { input: "callers that do not pass it are rejected", output: "callers do not read it yet" },
  },
  "optional-property-added": {
    input: "safe",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "An optional property of the {side} is new",
    why: { input: "callers need not pass it", output: "callers do not read it yet" },
  },
  "property-became-required": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "A property of the {side} is now required",
    why: { input: "callers that do not pass it are rejected", output: "callers may rely on more" },
  },
  "property-became-optional": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "A property of the {side} is no longer required",
    why: { input: "callers that pass it stay right", output: "callers that read it may find nothing" },
  },
  "type-changed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "A type in the {side} is another one",
    why: { input: "what callers pass is rejected", output: "callers get what they do not expect" },
  },
  "type-narrowed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "A type in the {side} allows less",
    why: { input: "some of what callers pass is rejected", output: "callers are ready for it" },
  },
  "type-widened": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "A type in the {side} allows more",
    why: { input: "what callers pass is still right", output: "callers may get what they do not expect" },
  },
  "null-added": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "Something in the {side} may now be null",
    why: { input: "callers need not pass null", output: "callers are not ready for null" },
  },
  "null-removed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "Something in the {side} may no longer be null",
    why: { input: "callers that pass null are rejected", output: "callers are ready for it" },
  },
  "enum-value-added": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "A value is newly allowed in the {side}",
    why: { input: "callers need not pass it", output: "callers do not know it" },
  },
  "enum-value-removed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "A value is no longer allowed in the {side}",
    why: { input: "callers that pass it are rejected", output: "callers are ready for it" },
  },
  "enum-introduced": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "The {side} now allows only certain values",
    why: { input: "callers that pass others are rejected", output: "callers are ready for it" },
  },
  "enum-dropped": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "The {side} no longer allows only certain values",
    why: { input: "what callers pass is still right", output: "callers may get values they do not know" },
  },
  "bound-tightened": {
    input: "breaking",
    output: "safe",
    impacts: ["wire"],
    says: "A limit in the {side} is tighter",
    why: { input: "what lies beyond is rejected", output: "callers are ready for it" },
  },
  "bound-loosened": {
    input: "safe",
    output: "breaking",
    impacts: ["wire"],
    says: "A limit in the {side} is looser",
    why: { input: "what callers pass is still right", output: "callers may get what lay beyond" },
  },
  "pattern-added": {
    input: "breaking",
    output: "safe",
    impacts: ["wire"],
    says: "A pattern for texts of the {side} is new",
    why: { input: "texts that do not fit are rejected", output: "callers are ready for it" },
  },
  "pattern-removed": {
    input: "safe",
    output: "breaking",
    impacts: ["wire"],
    says: "A pattern for texts of the {side} is gone",
    why: { input: "what callers pass is still right", output: "callers may get other texts" },
  },
  "pattern-changed": {
    input: "unknown",
    output: "unknown",
    impacts: ["wire"],
    says: "A pattern for texts of the {side} changed",
    why: { input: "which texts still fit is not known", output: "which texts come is not known" },
  },
  "format-added": {
    input: "dangerous",
    output: "safe",
    impacts: ["wire", "behaviour"],
    says: "A format for texts of the {side} is new",
    why: { input: "some servers reject texts that do not fit", output: "callers are ready for it" },
  },
  "format-removed": {
    input: "safe",
    output: "dangerous",
    impacts: ["wire", "behaviour"],
    says: "A format for texts of the {side} is gone",
    why: { input: "what callers pass is still right", output: "callers may get other texts" },
  },
  "format-changed": {
    input: "dangerous",
    output: "dangerous",
    impacts: ["wire", "behaviour"],
    says: "A format for texts of the {side} changed",
    why: { input: "some servers reject texts that do not fit", output: "callers may get other texts" },
  },
  "additional-properties-closed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    says: "The {side} no longer allows properties beyond those named",
    why: { input: "callers that pass others are rejected", output: "callers are ready for it" },
  },
  "additional-properties-opened": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    says: "The {side} now allows properties beyond those named",
    why: { input: "what callers pass is still right", output: "strict callers reject others" },
  },
  "default-added": {
    input: "dangerous",
    output: "safe",
    impacts: ["behaviour", "model"],
    says: "A default in the {side} is new",
    why: { input: "the same call may now do something else", output: "answers do not depend on it" },
  },
  "default-changed": {
    input: "dangerous",
    output: "safe",
    impacts: ["behaviour", "model"],
    says: "A default in the {side} changed",
    why: { input: "the same call may now do something else", output: "answers do not depend on it" },
  },
  "default-removed": {
    input: "dangerous",
    output: "safe",
    impacts: ["behaviour", "model"],
    says: "A default in the {side} is gone",
    why: { input: "the same call may now do something else", output: "answers do not depend on it" },
  },
  "description-added": {
    input: "dangerous",
    output: "dangerous",
    impacts: ["model"],
    says: "A description in the {side} is new",
    why: { input: "models fill in arguments by it", output: "models read answers by it" },
  },
  "description-changed": {
    input: "dangerous",
    output: "dangerous",
    impacts: ["model"],
    says: "A description in the {side} changed",
    why: { input: "models fill in arguments by it", output: "models read answers by it" },
  },
  "description-removed": {
    input: "dangerous",
    output: "dangerous",
    impacts: ["model"],
    says: "A description in the {side} is gone",
    why: { input: "models filled in arguments by it", output: "models read answers by it" },
  },
  "annotation-changed": {
    input: "dangerous",
    output: "dangerous",
    impacts: ["model"],
    says: "A note in the {side} changed (a title, an example or the like)",
    why: { input: "models fill in arguments by it", output: "models read answers by it" },
  },
  "deprecated-added": {
    input: "dangerous",
    output: "dangerous",
    impacts: ["model"],
    says: "A part of the {side} is now deprecated",
    why: { input: "it is announced to go", output: "it is announced to go" },
  },
  "schema-changed": {
    input: "unknown",
    output: "unknown",
    impacts: WIRE_AND_TYPES,
    says: "The schema of the {side} changed",
    why: {
      input: "whether callers stay right is not proved",
      output: "whether callers stay right is not proved",
    },
  },
} satisfies Readonly<Record<string, SidedRule>>;

export type SidedRuleName = keyof typeof TABLE;

/** The rules of schemas, by their name without the side. */
export const SIDED_RULES: Readonly<Record<SidedRuleName, SidedRule>> = TABLE;
