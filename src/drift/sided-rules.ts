import type { ChangeClass, Impact } from "../contract/change.js";

export type Side = "input" | "output";
export const SIDES: readonly Side[] = ["input", "output"];

/** A rule of schemas: a call is contravariant in its input and covariant in its output, so the sides judge apart. */
export interface SidedRule {
  readonly input: ChangeClass;
  readonly output: ChangeClass;
  readonly impacts: readonly Impact[];
  /**
   * Whether the class is that of a change which stands alone, and a proof about what is around it may find it safe, or
   * no change at all.
   */
  readonly isProved?: true;
  /** Whether callers' types change with it, whatever is accepted: no proof makes it no change. */
  readonly isOfTypes?: true;
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
    isOfTypes: true,
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
    isOfTypes: true,
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
    isProved: true,
    isOfTypes: true,
    says: "A required property of the {side} is new",
    why: { input: "callers that do not pass it are rejected", output: "callers do not read it yet" },
  },
  "optional-property-added": {
    input: "safe",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    isOfTypes: true,
    says: "An optional property of the {side} is new",
    why: { input: "callers need not pass it", output: "callers do not read it yet" },
  },
  "property-became-required": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A property of the {side} is now required",
    why: { input: "callers that do not pass it are rejected", output: "callers may rely on more" },
  },
  "property-became-optional": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A property of the {side} is no longer required",
    why: { input: "callers that pass it stay right", output: "callers that read it may find nothing" },
  },
  "type-changed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A type in the {side} is another one",
    why: { input: "what callers pass is rejected", output: "callers get what they do not expect" },
  },
  "type-narrowed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A type in the {side} allows less",
    why: { input: "some of what callers pass is rejected", output: "callers are ready for it" },
  },
  "type-added": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The {side} now allows only certain types",
    why: { input: "callers that pass others are rejected", output: "callers are ready for it" },
  },
  "type-widened": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A type in the {side} allows more",
    why: { input: "what callers pass is still right", output: "callers may get what they do not expect" },
  },
  "null-added": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "Something in the {side} may now be null",
    why: { input: "callers need not pass null", output: "callers are not ready for null" },
  },
  "null-removed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "Something in the {side} may no longer be null",
    why: { input: "callers that pass null are rejected", output: "callers are ready for it" },
  },
  "enum-value-added": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A value is newly allowed in the {side}",
    why: { input: "callers need not pass it", output: "callers do not know it" },
  },
  "enum-value-removed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A value is no longer allowed in the {side}",
    why: { input: "callers that pass it are rejected", output: "callers are ready for it" },
  },
  "enum-introduced": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The {side} now allows only certain values",
    why: { input: "callers that pass others are rejected", output: "callers are ready for it" },
  },
  "enum-dropped": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The {side} no longer allows only certain values",
    why: { input: "what callers pass is still right", output: "callers may get values they do not know" },
  },
  "const-introduced": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The {side} now allows one value only",
    why: { input: "callers that pass others are rejected", output: "callers are ready for it" },
  },
  "const-changed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The one value that the {side} allows is another one",
    why: { input: "callers that pass the old one are rejected", output: "callers do not know the new one" },
  },
  "bound-tightened": {
    input: "breaking",
    output: "safe",
    impacts: ["wire"],
    isProved: true,
    says: "A limit in the {side} is tighter",
    why: { input: "what lies beyond is rejected", output: "callers are ready for it" },
  },
  "bound-loosened": {
    input: "safe",
    output: "breaking",
    impacts: ["wire"],
    isProved: true,
    says: "A limit in the {side} is looser",
    why: { input: "what callers pass is still right", output: "callers may get what lay beyond" },
  },
  "pattern-added": {
    input: "breaking",
    output: "safe",
    impacts: ["wire"],
    isProved: true,
    says: "A pattern for texts of the {side} is new",
    why: { input: "texts that do not fit are rejected", output: "callers are ready for it" },
  },
  "pattern-removed": {
    input: "safe",
    output: "breaking",
    impacts: ["wire"],
    isProved: true,
    says: "A pattern for texts of the {side} is gone",
    why: { input: "what callers pass is still right", output: "callers may get other texts" },
  },
  "pattern-changed": {
    input: "unknown",
    output: "unknown",
    impacts: ["wire"],
    isProved: true,
    says: "A pattern for texts of the {side} changed",
    why: { input: "which texts still fit is not known", output: "which texts come is not known" },
  },
  "multiple-of-added": {
    input: "breaking",
    output: "safe",
    impacts: ["wire"],
    isProved: true,
    says: "Numbers of the {side} must now be multiples of another",
    why: { input: "numbers that are none are rejected", output: "callers are ready for it" },
  },
  "multiple-of-removed": {
    input: "safe",
    output: "breaking",
    impacts: ["wire"],
    isProved: true,
    says: "Numbers of the {side} need no longer be multiples of another",
    why: { input: "what callers pass is still right", output: "callers may get other numbers" },
  },
  "multiple-of-changed": {
    input: "unknown",
    output: "unknown",
    impacts: ["wire"],
    isProved: true,
    says: "Numbers of the {side} must be multiples of another number than before",
    why: { input: "which numbers still fit is not known", output: "which numbers come is not known" },
  },
  "unique-items-added": {
    input: "breaking",
    output: "safe",
    impacts: ["wire"],
    isProved: true,
    says: "Items of a list in the {side} must now all differ",
    why: { input: "lists that repeat an item are rejected", output: "callers are ready for it" },
  },
  "unique-items-removed": {
    input: "safe",
    output: "breaking",
    impacts: ["wire"],
    isProved: true,
    says: "Items of a list in the {side} may now repeat",
    why: { input: "what callers pass is still right", output: "callers may get an item twice" },
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
    isProved: true,
    says: "The {side} no longer allows properties beyond those named",
    why: { input: "callers that pass others are rejected", output: "callers are ready for it" },
  },
  "additional-properties-opened": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The {side} now allows properties beyond those named",
    why: { input: "what callers pass is still right", output: "strict callers reject others" },
  },
  "union-branch-removed": {
    input: "breaking",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A branch of a union in the {side} is gone",
    why: { input: "callers that pass it are rejected", output: "callers are ready for it" },
  },
  "union-branch-added": {
    input: "safe",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A branch of a union in the {side} is new",
    why: { input: "callers need not pass it", output: "callers do not know it" },
  },
  "constraint-added": {
    input: "breaking",
    output: "safe",
    impacts: ["wire"],
    isProved: true,
    says: "A rule for the {side} is new",
    why: { input: "what does not follow it is rejected", output: "callers are ready for it" },
  },
  "constraint-removed": {
    input: "safe",
    output: "breaking",
    impacts: ["wire"],
    isProved: true,
    says: "A rule for the {side} is gone",
    why: { input: "what callers pass is still right", output: "callers may get what the rule kept out" },
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
  "keyword-changed": {
    input: "unknown",
    output: "unknown",
    impacts: ["behaviour"],
    says: "A keyword of the {side} changed that is none of JSON Schema's",
    why: { input: "what it does is not known", output: "what it does is not known" },
  },
  "schema-changed": {
    input: "unknown",
    output: "unknown",
    impacts: WIRE_AND_TYPES,
    isProved: true,
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
