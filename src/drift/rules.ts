import type { Change, Impact } from "../core/change.js";
import {
  APP_RULES,
  ENTRY_RULES,
  POISON_RULES,
  type Rule,
  SERVER_RULES,
  type SidedEffect,
  type SidedRule,
  SIDES,
  TOOL_RULES,
  type ToolSide,
} from "./rules/named-rules.js";

const WIRE_AND_TYPES = ["wire", "types"] as const satisfies readonly Impact[];
/** The schema accepts fewer values: callers must pass less, and get nothing new. */
const NARROWED = { input: "breaking", output: "safe", impacts: ["wire"], isProved: true } as const;
/** The schema accepts more values: callers may pass what they passed, and may get what they do not expect. */
const WIDENED = { input: "safe", output: "breaking", impacts: ["wire"], isProved: true } as const;
/** Changes of what a schema tells models. */
const FOR_MODELS = { input: "dangerous", output: "dangerous", impacts: ["model"] } as const;
const OF_DEFAULT = { input: "dangerous", output: "safe", impacts: ["behaviour", "model"] } as const;

/** The treatment of a property that a closed output did not declare. */
const KEPT_UNLESS_STRICT =
  'generated clients keep and report it by default; clients with `validateOutput: "strict"` and other strict validators reject the answer';

function schemaRule(effect: SidedEffect, says: string, ofInput: string, ofOutput: string): SidedRule {
  return { ...effect, says, why: { input: ofInput, output: ofOutput } };
}

/** The rules of schemas: the effect, what happened, and the reason for the class of the input and of the output. */
const SCHEMA_RULES = {
  "property-removed": schemaRule({ input: "breaking", output: "breaking", impacts: WIRE_AND_TYPES, isOfTypes: true },
    "A property was removed from the {side}", "callers that pass it are rejected, or the value is ignored", "callers that read it get undefined"),
  "property-renamed": schemaRule({ input: "breaking", output: "breaking", impacts: WIRE_AND_TYPES, isOfTypes: true },
    "A property of the {side} was renamed", "callers that pass it under the old name are rejected, or the value is ignored", "callers that read it under the old name get undefined"),
  "required-property-added": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES, isOfTypes: true },
    "A required property was added to the {side}", "callers that do not pass it are rejected", "callers do not read it yet"),
  "optional-property-added": schemaRule({ input: "safe", output: "safe", impacts: WIRE_AND_TYPES, isProved: true, isOfTypes: true },
    "An optional property was added to the {side}", "callers do not have to pass it", "callers do not read it yet"),
  "property-added-to-closed": schemaRule({ input: "safe", output: "dangerous", impacts: WIRE_AND_TYPES, isProved: true, isOfTypes: true, underStrict: "breaking", only: "output" },
    "A property was added to a closed object of the {side}", "callers do not have to pass it", KEPT_UNLESS_STRICT),
  "property-became-required": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "A property of the {side} became required", "callers that do not pass it are rejected", "callers may now rely on it"),
  "property-became-optional": schemaRule({ ...WIDENED, impacts: WIRE_AND_TYPES },
    "A property of the {side} became optional", "callers that pass it still work", "callers that read it may get undefined"),
  "type-changed": schemaRule({ input: "breaking", output: "breaking", impacts: WIRE_AND_TYPES, isProved: true },
    "A type in the {side} changed", "values that callers pass are rejected", "callers get values that they do not expect"),
  "type-narrowed": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "A type in the {side} was narrowed", "some values that callers pass are rejected", "callers already handle it"),
  "type-added": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "A type was added to a part of the {side} that allowed any type", "callers that pass other values are rejected", "callers already handle it"),
  "type-widened": schemaRule({ ...WIDENED, impacts: WIRE_AND_TYPES },
    "A type in the {side} was widened", "values that callers pass are still accepted", "callers may get values that they do not expect"),
  "null-added": schemaRule({ ...WIDENED, impacts: WIRE_AND_TYPES },
    "A value of the {side} may now be null", "callers do not have to pass null", "callers may not handle null"),
  "null-removed": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "A value of the {side} may no longer be null", "callers that pass null are rejected", "callers already handle it"),
  "enum-value-added": schemaRule({ ...WIDENED, impacts: WIRE_AND_TYPES },
    "A value was added to an enum of the {side}", "callers do not have to pass it", "callers may not handle it"),
  "enum-value-removed": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "A value was removed from an enum of the {side}", "callers that pass it are rejected", "callers already handle it"),
  "enum-introduced": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "An enum was added to the {side}", "callers that pass other values are rejected", "callers already handle it"),
  "enum-dropped": schemaRule({ ...WIDENED, impacts: WIRE_AND_TYPES },
    "An enum was removed from the {side}", "values that callers pass are still accepted", "callers may get values that they do not handle"),
  "const-introduced": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "A constant was added to the {side}", "callers that pass other values are rejected", "callers already handle it"),
  "const-changed": schemaRule({ input: "breaking", output: "breaking", impacts: WIRE_AND_TYPES, isProved: true },
    "A constant of the {side} changed", "callers that pass the old value are rejected", "callers may not handle the new value"),
  "bound-tightened": schemaRule(NARROWED,
    "A limit of the {side} was tightened", "values beyond it are rejected", "callers already handle it"),
  "bound-loosened": schemaRule(WIDENED,
    "A limit of the {side} was loosened", "values that callers pass are still accepted", "callers may get values beyond the old limit"),
  "pattern-added": schemaRule(NARROWED,
    "A pattern for strings was added to the {side}", "strings that do not match are rejected", "callers already handle it"),
  "pattern-removed": schemaRule(WIDENED,
    "A pattern for strings was removed from the {side}", "values that callers pass are still accepted", "callers may get other strings"),
  "pattern-changed": schemaRule({ input: "unknown", output: "unknown", impacts: ["wire"], isProved: true },
    "A pattern for strings of the {side} changed", "it is not known which strings still match", "it is not known which strings the server sends"),
  "multiple-of-added": schemaRule(NARROWED,
    "A `multipleOf` constraint was added to the {side}", "other numbers are rejected", "callers already handle it"),
  "multiple-of-removed": schemaRule(WIDENED,
    "A `multipleOf` constraint was removed from the {side}", "values that callers pass are still accepted", "callers may get other numbers"),
  "multiple-of-changed": schemaRule({ input: "unknown", output: "unknown", impacts: ["wire"], isProved: true },
    "A `multipleOf` constraint of the {side} changed", "it is not known which numbers are still accepted", "it is not known which numbers the server sends"),
  "unique-items-added": schemaRule(NARROWED,
    "Items of an array in the {side} must now be unique", "arrays that repeat an item are rejected", "callers already handle it"),
  "unique-items-removed": schemaRule(WIDENED,
    "Items of an array in the {side} may now repeat", "values that callers pass are still accepted", "callers may get an item twice"),
  "format-added": schemaRule({ input: "dangerous", output: "safe", impacts: ["wire", "behaviour"] },
    "A format was added to the {side}", "some servers reject values that do not match", "callers already handle it"),
  "format-removed": schemaRule({ input: "safe", output: "dangerous", impacts: ["wire", "behaviour"] },
    "A format was removed from the {side}", "values that callers pass are still accepted", "callers may get other strings"),
  "format-changed": schemaRule({ input: "dangerous", output: "dangerous", impacts: ["wire", "behaviour"] },
    "A format of the {side} changed", "some servers reject values that do not match", "callers may get other strings"),
  "additional-properties-closed": schemaRule({ input: "dangerous", output: "safe", impacts: WIRE_AND_TYPES, isProved: true },
    "The {side} no longer allows additional properties", "callers that pass undeclared properties are rejected", "callers already handle it"),
  "additional-properties-opened": schemaRule({ input: "safe", output: "dangerous", impacts: WIRE_AND_TYPES, isProved: true, underStrict: "breaking" },
    "The {side} now allows additional properties", "values that callers pass are still accepted", `an answer may contain an undeclared property: ${KEPT_UNLESS_STRICT}`),
  "union-branch-removed": schemaRule({ ...NARROWED, impacts: WIRE_AND_TYPES },
    "A branch of a union was removed from the {side}", "callers that pass its values are rejected", "callers already handle it"),
  "union-branch-added": schemaRule({ ...WIDENED, impacts: WIRE_AND_TYPES },
    "A branch of a union was added to the {side}", "callers do not have to use it", "callers may not handle it"),
  "constraint-added": schemaRule(NARROWED,
    "A constraint was added to the {side}", "values that violate it are rejected", "callers already handle it"),
  "constraint-removed": schemaRule(WIDENED,
    "A constraint was removed from the {side}", "values that callers pass are still accepted", "callers may get values that the constraint excluded"),
  "default-added": schemaRule(OF_DEFAULT,
    "A default was added to the {side}", "the same call may now behave differently", "answers do not depend on it"),
  "default-changed": schemaRule(OF_DEFAULT,
    "A default of the {side} changed", "the same call may now behave differently", "answers do not depend on it"),
  "default-removed": schemaRule(OF_DEFAULT,
    "A default was removed from the {side}", "the same call may now behave differently", "answers do not depend on it"),
  "description-added": schemaRule(FOR_MODELS,
    "A description was added to the {side}", "models use it to fill in arguments", "models use it to read answers"),
  "description-changed": schemaRule(FOR_MODELS,
    "A description in the {side} changed", "models use it to fill in arguments", "models use it to read answers"),
  "description-removed": schemaRule(FOR_MODELS,
    "A description was removed from the {side}", "models used it to fill in arguments", "models use it to read answers"),
  "annotation-changed": schemaRule(FOR_MODELS,
    "An annotation of the {side} changed (title, examples, content type)", "models use it to fill in arguments", "models use it to read answers"),
  "deprecated-added": schemaRule(FOR_MODELS,
    "A part of the {side} is now deprecated", "a later version may remove it", "a later version may remove it"),
  "keyword-changed": schemaRule({ input: "unknown", output: "unknown", impacts: ["behaviour"] },
    "A keyword that JSON Schema does not define changed in the {side}", "its effect is unknown", "its effect is unknown"),
  "schema-changed": schemaRule({ input: "unknown", output: "unknown", impacts: WIRE_AND_TYPES, isProved: true },
    "The schema of the {side} changed", "no proof was found that existing callers still work", "no proof was found that existing callers still work"),
} satisfies Readonly<Record<string, SidedRule>>; // prettier-ignore

const RULES = { ...TOOL_RULES, ...APP_RULES, ...ENTRY_RULES, ...SERVER_RULES, ...POISON_RULES };

export type SidedRuleName = keyof typeof SCHEMA_RULES;

/** The rules of schemas, by name without the side. */
export const SIDED_RULES: Readonly<Record<SidedRuleName, SidedRule>> = SCHEMA_RULES;

/** The rules that only one side has. */
export type OneSidedRuleName = "property-added-to-closed";

export type RuleName =
  | keyof typeof RULES
  | `${ToolSide}-${Exclude<SidedRuleName, OneSidedRuleName>}`
  | `output-${OneSidedRuleName}`;

export const ALL_RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...Object.entries(RULES),
  ...SIDES.flatMap((side) =>
    Object.entries(SIDED_RULES).flatMap(([name, rule]): readonly [string, Rule][] => {
      if (rule.only !== undefined && rule.only !== side) return [];
      const { impacts } = rule;
      const says = rule.says.replace("{side}", side);
      return [[`${side}-${name}`, { class: rule[side], impacts, says, why: rule.why[side] }]];
    }),
  ),
]);

/** Returns the rule with a name; undefined for a rule of a later version. */
export function findRule(name: string): Rule | undefined {
  return ALL_RULES.get(name);
}

const REVIEW = " of an earlier version; remove it, and review such texts in the lock's diff";
const UNSUPPORTED = " of an earlier version; remove it: parameters in HTTP headers are not supported";
const REMOVED: ReadonlyMap<string, string> = new Map([
  ["conversation-parameter", REVIEW],
  ["poison-encoded-blob", REVIEW],
  ["parameter-header-added", UNSUPPORTED],
  ["parameter-header-changed", UNSUPPORTED],
  ["parameter-header-removed", UNSUPPORTED],
]);

/** What to do instead, after the name of an unknown rule; empty unless an earlier version had the rule. */
export function adviseOnRule(name: string): string {
  return REMOVED.get(name) ?? "";
}

/**
 * Returns the rule with a name.
 *
 * @throws RangeError if there is no such rule
 */
export function getRule(name: RuleName): Rule {
  const rule = ALL_RULES.get(name);
  if (rule === undefined) throw new RangeError(`There is no rule "${name}".`);
  return rule;
}

/**
 * Returns one sentence for people: what happened, and the reason for its class. `foundClass` is the class before the
 * configuration changed it. The sentence contains no text from a server.
 */
export function explain(change: Change): string {
  const rule = findRule(change.rule);
  if (rule === undefined) return `A change of rule "${change.rule}", which this version does not know.`;
  const why = whyOf(change, rule);
  return why === undefined ? `${rule.says}.` : `${rule.says}: ${why}.`;
}

/** Undefined if the change has its own reason. */
function whyOf(change: Change, rule: Rule): string | undefined {
  if (change.foundClass !== undefined) return `the configuration sets its class to "${change.class}"`;
  if (change.class === rule.class) return rule.why;
  if (change.reason !== undefined) return undefined;
  const isOutput = change.rule.startsWith("output-");
  switch (change.class) {
    case "safe":
      return isOutput
        ? "the schema as a whole allows no answer that it did not allow before"
        : "the schema as a whole accepts every value that it accepted before";
    case "breaking":
      return isOutput
        ? "an answer that was not allowed is now possible"
        : "a value that was accepted is now rejected";
    case "dangerous":
    case "unknown":
      return undefined;
    default:
      return change.class satisfies never;
  }
}
