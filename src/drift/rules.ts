import type { ChangeClass, Impact } from "../contract/change.js";
import { APP_RULES } from "./app-rules.js";
import { ENTRY_RULES } from "./entry-rules.js";
import { LIMIT_RULES } from "./limit-rules.js";
import { POISON_RULES } from "./security/poison-rules.js";
import { SERVER_RULES } from "./server-rules.js";
import { SHAPE_RULES } from "./shape-rules.js";
import { SIDES, type Side, type SidedRule } from "./sided-rule.js";

/** A kind of change. */
export interface Rule {
  readonly class: ChangeClass;
  /** Present if the change affects trust: approval, injection or identity. */
  readonly security?: true;
  /** A change without an impact is reported but does not count as drift. */
  readonly impacts: readonly Impact[];
  /** What happened, as a sentence without a full stop. */
  readonly says: string;
  /** The reason for the class. */
  readonly why: string;
}

const RULES = {
  "tool-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The tool was removed",
    why: "every call to it fails",
  },
  "tool-renamed": {
    class: "breaking",
    impacts: ["wire", "types", "model"],
    says: "The tool was renamed, or other tools replaced it",
    why: "every call under the old name fails",
  },
  "tool-added": {
    class: "safe",
    impacts: ["types", "model"],
    says: "The tool was added",
    why: "existing callers do not use it",
  },
  "tool-name-invalid": {
    class: "dangerous",
    impacts: ["wire", "model"],
    says: "The MCP specification does not allow the tool's name",
    why: "some clients and models reject or change such a name",
  },
  "tool-name-duplicate": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The server lists the tool's name more than once",
    why: "it is not known which definition a call reaches",
  },
  "tool-name-collision": {
    class: "breaking",
    impacts: ["types"],
    says: "The tool generates the same identifier as another tool",
    why: "each tool needs its own identifier, so rename one in the configuration",
  },
  "tool-name-taken": {
    class: "dangerous",
    security: true,
    impacts: ["model", "trust"],
    says: "The tool's name equals or resembles the name of another server's tool",
    why: "models and people may call one for the other",
  },
  "tool-description-changed": {
    class: "dangerous",
    impacts: ["model"],
    says: "The tool's description changed",
    why: "models use it to choose tools",
  },
  "tool-title-changed": {
    class: "dangerous",
    impacts: ["model"],
    says: "The tool's title changed",
    why: "people and models use it to choose tools",
  },
  "annotation-readonly-lost": {
    class: "breaking",
    security: true,
    impacts: ["trust"],
    says: "The tool is no longer marked as read-only",
    why: "clients may have approved it without asking",
  },
  "annotation-readonly-gained": {
    class: "dangerous",
    security: true,
    impacts: ["trust"],
    says: "The tool is now marked as read-only",
    why: "clients may stop asking before they call it",
  },
  "annotation-destructive-gained": {
    class: "breaking",
    security: true,
    impacts: ["trust"],
    says: "The tool may now destroy data",
    why: "it was approved as not destructive",
  },
  "annotation-destructive-lost": {
    class: "dangerous",
    security: true,
    impacts: ["trust"],
    says: "The tool is now marked as not destructive",
    why: "clients may stop asking before they call it",
  },
  "annotation-idempotent-lost": {
    class: "dangerous",
    security: true,
    impacts: ["behaviour", "trust"],
    says: "The tool is no longer marked as idempotent",
    why: "callers that retry it may do harm",
  },
  "annotation-idempotent-gained": {
    class: "safe",
    impacts: ["trust"],
    says: "The tool is now marked as idempotent",
    why: "callers that never retry are not affected",
  },
  "annotation-openworld-gained": {
    class: "dangerous",
    security: true,
    impacts: ["trust"],
    says: "The tool may now reach external systems",
    why: "its answers may contain untrusted content",
  },
  "annotation-openworld-lost": {
    class: "safe",
    impacts: ["trust"],
    says: "The tool is now marked as not reaching external systems",
    why: "callers that expect untrusted content are not affected",
  },
  "task-support-changed": {
    class: "breaking",
    impacts: ["wire"],
    says: "The tool's support for tasks changed",
    why: "calls that use the old mode are rejected",
  },
  "task-support-added": {
    class: "safe",
    impacts: ["wire"],
    says: "The tool can now also run as a task",
    why: "ordinary calls still work",
  },
  "tool-deprecated": {
    class: "dangerous",
    impacts: ["model"],
    says: "The tool is now deprecated",
    why: "a later version may remove it",
  },
  "tool-undeprecated": {
    class: "safe",
    impacts: ["model"],
    says: "The tool is no longer deprecated",
    why: "callers can continue to use it",
  },
  "icons-changed": {
    class: "safe",
    impacts: ["trust"],
    says: "The tool's icons changed",
    why: "only people see them",
  },
  "meta-changed": {
    class: "safe",
    impacts: ["behaviour"],
    says: "The tool's metadata changed",
    why: "callers do not depend on it",
  },
  "definition-changed": {
    class: "dangerous",
    impacts: ["behaviour"],
    says: "A part of the definition that no other rule covers changed",
    why: "no call is rejected for it, but a client or a model may act on it",
  },
  "parameter-header-added": {
    class: "dangerous",
    security: true,
    impacts: ["wire", "trust"],
    says: "Clients now send the value of a parameter in an HTTP header",
    why: "proxies and logs along the way can read headers",
  },
  "parameter-header-changed": {
    class: "dangerous",
    security: true,
    impacts: ["wire", "trust"],
    says: "Clients now send the value of a parameter in another HTTP header",
    why: "the server rejects calls with the old header, and proxies and logs along the way can read the new one",
  },
  "parameter-header-removed": {
    class: "safe",
    impacts: ["wire"],
    says: "Clients no longer send the value of a parameter in an HTTP header",
    why: "they still send it in the call",
  },
  "output-schema-added": {
    class: "safe",
    impacts: ["types"],
    says: "The tool now declares an output schema",
    why: "callers that read its text are not affected",
  },
  "output-schema-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The tool no longer declares an output schema",
    why: "callers relied on it",
  },
  "output-root-type-changed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The type of the tool's output changed",
    why: "callers rely on the old type",
  },
  "schema-dialect-changed": {
    class: "unknown",
    impacts: ["wire"],
    says: "The JSON Schema dialect of the schema changed",
    why: "the same keywords may have a different meaning",
  },
  "schema-ref-external": {
    class: "breaking",
    security: true,
    impacts: ["wire", "types", "trust"],
    says: "The schema now refers to another document",
    why: "the document is never fetched, so it is not known what the schema accepts, and the document's host decides that",
  },
  "schema-ref-unresolved": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The schema now refers to a definition that does not exist",
    why: "validators reject such a schema, and every call with it",
  },
  "schema-ref-too-deep": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The schema is now nested too deeply, or refers to itself without end",
    why: "it cannot be read, so no call can be checked",
  },
  ...APP_RULES,
  ...ENTRY_RULES,
  ...SERVER_RULES,
  ...POISON_RULES,
} satisfies Readonly<Record<string, Rule>>;

const SIDED = { ...SHAPE_RULES, ...LIMIT_RULES };

export type SidedRuleName = keyof typeof SIDED;

/** The rules of schemas, by name without the side. */
export const SIDED_RULES: Readonly<Record<SidedRuleName, SidedRule>> = SIDED;

/** The rules that only one side has. */
export type OneSidedRuleName = {
  [K in SidedRuleName]: (typeof SIDED)[K] extends { only: Side } ? K : never;
}[SidedRuleName];

export type RuleName =
  | keyof typeof RULES
  | `${Side}-${Exclude<SidedRuleName, OneSidedRuleName>}`
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
