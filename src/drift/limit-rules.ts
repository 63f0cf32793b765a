import { KEPT_UNLESS_STRICT, NARROWED, WIDENED, WIRE_AND_TYPES, type SidedRule } from "./sided-rule.js";

/** Changes of what a schema tells models. */
const FOR_MODELS = { input: "dangerous", output: "dangerous", impacts: ["model"] } as const;
const OF_DEFAULT = { input: "dangerous", output: "safe", impacts: ["behaviour", "model"] } as const;

/** Schema rules about limits, unions and other constraints, and about keywords that only describe values. */
export const LIMIT_RULES = {
  "bound-tightened": {
    ...NARROWED,
    says: "A limit of the {side} was tightened",
    why: { input: "values beyond it are rejected", output: "callers already handle it" },
  },
  "bound-loosened": {
    ...WIDENED,
    says: "A limit of the {side} was loosened",
    why: {
      input: "values that callers pass are still accepted",
      output: "callers may get values beyond the old limit",
    },
  },
  "pattern-added": {
    ...NARROWED,
    says: "A pattern for strings was added to the {side}",
    why: { input: "strings that do not match are rejected", output: "callers already handle it" },
  },
  "pattern-removed": {
    ...WIDENED,
    says: "A pattern for strings was removed from the {side}",
    why: { input: "values that callers pass are still accepted", output: "callers may get other strings" },
  },
  "pattern-changed": {
    input: "unknown",
    output: "unknown",
    impacts: ["wire"],
    isProved: true,
    says: "A pattern for strings of the {side} changed",
    why: {
      input: "it is not known which strings still match",
      output: "it is not known which strings the server sends",
    },
  },
  "multiple-of-added": {
    ...NARROWED,
    says: "A `multipleOf` constraint was added to the {side}",
    why: { input: "other numbers are rejected", output: "callers already handle it" },
  },
  "multiple-of-removed": {
    ...WIDENED,
    says: "A `multipleOf` constraint was removed from the {side}",
    why: { input: "values that callers pass are still accepted", output: "callers may get other numbers" },
  },
  "multiple-of-changed": {
    input: "unknown",
    output: "unknown",
    impacts: ["wire"],
    isProved: true,
    says: "A `multipleOf` constraint of the {side} changed",
    why: {
      input: "it is not known which numbers are still accepted",
      output: "it is not known which numbers the server sends",
    },
  },
  "unique-items-added": {
    ...NARROWED,
    says: "Items of an array in the {side} must now be unique",
    why: { input: "arrays that repeat an item are rejected", output: "callers already handle it" },
  },
  "unique-items-removed": {
    ...WIDENED,
    says: "Items of an array in the {side} may now repeat",
    why: { input: "values that callers pass are still accepted", output: "callers may get an item twice" },
  },
  "format-added": {
    input: "dangerous",
    output: "safe",
    impacts: ["wire", "behaviour"],
    says: "A format was added to the {side}",
    why: { input: "some servers reject values that do not match", output: "callers already handle it" },
  },
  "format-removed": {
    input: "safe",
    output: "dangerous",
    impacts: ["wire", "behaviour"],
    says: "A format was removed from the {side}",
    why: { input: "values that callers pass are still accepted", output: "callers may get other strings" },
  },
  "format-changed": {
    input: "dangerous",
    output: "dangerous",
    impacts: ["wire", "behaviour"],
    says: "A format of the {side} changed",
    why: { input: "some servers reject values that do not match", output: "callers may get other strings" },
  },
  "additional-properties-closed": {
    input: "dangerous",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The {side} no longer allows additional properties",
    why: {
      input: "callers that pass undeclared properties are rejected",
      output: "callers already handle it",
    },
  },
  "additional-properties-opened": {
    input: "safe",
    output: "dangerous",
    underStrict: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The {side} now allows additional properties",
    why: {
      input: "values that callers pass are still accepted",
      output: `an answer may contain an undeclared property: ${KEPT_UNLESS_STRICT}`,
    },
  },
  "union-branch-removed": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "A branch of a union was removed from the {side}",
    why: { input: "callers that pass its values are rejected", output: "callers already handle it" },
  },
  "union-branch-added": {
    ...WIDENED,
    impacts: WIRE_AND_TYPES,
    says: "A branch of a union was added to the {side}",
    why: { input: "callers do not have to use it", output: "callers may not handle it" },
  },
  "constraint-added": {
    ...NARROWED,
    says: "A constraint was added to the {side}",
    why: { input: "values that violate it are rejected", output: "callers already handle it" },
  },
  "constraint-removed": {
    ...WIDENED,
    says: "A constraint was removed from the {side}",
    why: {
      input: "values that callers pass are still accepted",
      output: "callers may get values that the constraint excluded",
    },
  },
  "default-added": {
    ...OF_DEFAULT,
    says: "A default was added to the {side}",
    why: { input: "the same call may now behave differently", output: "answers do not depend on it" },
  },
  "default-changed": {
    ...OF_DEFAULT,
    says: "A default of the {side} changed",
    why: { input: "the same call may now behave differently", output: "answers do not depend on it" },
  },
  "default-removed": {
    ...OF_DEFAULT,
    says: "A default was removed from the {side}",
    why: { input: "the same call may now behave differently", output: "answers do not depend on it" },
  },
  "description-added": {
    ...FOR_MODELS,
    says: "A description was added to the {side}",
    why: { input: "models use it to fill in arguments", output: "models use it to read answers" },
  },
  "description-changed": {
    ...FOR_MODELS,
    says: "A description in the {side} changed",
    why: { input: "models use it to fill in arguments", output: "models use it to read answers" },
  },
  "description-removed": {
    ...FOR_MODELS,
    says: "A description was removed from the {side}",
    why: { input: "models used it to fill in arguments", output: "models use it to read answers" },
  },
  "annotation-changed": {
    ...FOR_MODELS,
    says: "An annotation of the {side} changed (title, examples, content type)",
    why: { input: "models use it to fill in arguments", output: "models use it to read answers" },
  },
  "deprecated-added": {
    ...FOR_MODELS,
    says: "A part of the {side} is now deprecated",
    why: { input: "a later version may remove it", output: "a later version may remove it" },
  },
  "keyword-changed": {
    input: "unknown",
    output: "unknown",
    impacts: ["behaviour"],
    says: "A keyword that JSON Schema does not define changed in the {side}",
    why: { input: "its effect is unknown", output: "its effect is unknown" },
  },
  "schema-changed": {
    input: "unknown",
    output: "unknown",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "The schema of the {side} changed",
    why: {
      input: "no proof was found that existing callers still work",
      output: "no proof was found that existing callers still work",
    },
  },
} satisfies Readonly<Record<string, SidedRule>>;
