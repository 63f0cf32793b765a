import { KEPT_UNLESS_STRICT, NARROWED, WIDENED, WIRE_AND_TYPES, type SidedRule } from "./sided-rule.js";

/** Schema rules about properties, types and enumerated values. */
export const SHAPE_RULES = {
  "property-removed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isOfTypes: true,
    says: "A property was removed from the {side}",
    why: {
      input: "callers that pass it are rejected, or the value is ignored",
      output: "callers that read it get undefined",
    },
  },
  "property-renamed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isOfTypes: true,
    says: "A property of the {side} was renamed",
    why: {
      input: "callers that pass it under the old name are rejected, or the value is ignored",
      output: "callers that read it under the old name get undefined",
    },
  },
  "required-property-added": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    isOfTypes: true,
    says: "A required property was added to the {side}",
    why: { input: "callers that do not pass it are rejected", output: "callers do not read it yet" },
  },
  "optional-property-added": {
    input: "safe",
    output: "safe",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    isOfTypes: true,
    says: "An optional property was added to the {side}",
    why: { input: "callers do not have to pass it", output: "callers do not read it yet" },
  },
  "property-added-to-closed": {
    only: "output",
    input: "safe",
    output: "dangerous",
    underStrict: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    isOfTypes: true,
    says: "A property was added to a closed object of the {side}",
    why: { input: "callers do not have to pass it", output: KEPT_UNLESS_STRICT },
  },
  "property-became-required": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "A property of the {side} became required",
    why: { input: "callers that do not pass it are rejected", output: "callers may now rely on it" },
  },
  "property-became-optional": {
    ...WIDENED,
    impacts: WIRE_AND_TYPES,
    says: "A property of the {side} became optional",
    why: { input: "callers that pass it still work", output: "callers that read it may get undefined" },
  },
  "type-changed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A type in the {side} changed",
    why: {
      input: "values that callers pass are rejected",
      output: "callers get values that they do not expect",
    },
  },
  "type-narrowed": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "A type in the {side} was narrowed",
    why: { input: "some values that callers pass are rejected", output: "callers already handle it" },
  },
  "type-added": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "A type was added to a part of the {side} that allowed any type",
    why: { input: "callers that pass other values are rejected", output: "callers already handle it" },
  },
  "type-widened": {
    ...WIDENED,
    impacts: WIRE_AND_TYPES,
    says: "A type in the {side} was widened",
    why: {
      input: "values that callers pass are still accepted",
      output: "callers may get values that they do not expect",
    },
  },
  "null-added": {
    ...WIDENED,
    impacts: WIRE_AND_TYPES,
    says: "A value of the {side} may now be null",
    why: { input: "callers do not have to pass null", output: "callers may not handle null" },
  },
  "null-removed": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "A value of the {side} may no longer be null",
    why: { input: "callers that pass null are rejected", output: "callers already handle it" },
  },
  "enum-value-added": {
    ...WIDENED,
    impacts: WIRE_AND_TYPES,
    says: "A value was added to an enum of the {side}",
    why: { input: "callers do not have to pass it", output: "callers may not handle it" },
  },
  "enum-value-removed": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "A value was removed from an enum of the {side}",
    why: { input: "callers that pass it are rejected", output: "callers already handle it" },
  },
  "enum-introduced": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "An enum was added to the {side}",
    why: { input: "callers that pass other values are rejected", output: "callers already handle it" },
  },
  "enum-dropped": {
    ...WIDENED,
    impacts: WIRE_AND_TYPES,
    says: "An enum was removed from the {side}",
    why: {
      input: "values that callers pass are still accepted",
      output: "callers may get values that they do not handle",
    },
  },
  "const-introduced": {
    ...NARROWED,
    impacts: WIRE_AND_TYPES,
    says: "A constant was added to the {side}",
    why: { input: "callers that pass other values are rejected", output: "callers already handle it" },
  },
  "const-changed": {
    input: "breaking",
    output: "breaking",
    impacts: WIRE_AND_TYPES,
    isProved: true,
    says: "A constant of the {side} changed",
    why: {
      input: "callers that pass the old value are rejected",
      output: "callers may not handle the new value",
    },
  },
} satisfies Readonly<Record<string, SidedRule>>;
