import type { ChangeClass, Impact } from "../contract/change.js";
import { POISON_RULES } from "./security/poison-rules.js";
import { SIDED_RULES, SIDES, type OneSidedRuleName, type Side, type SidedRuleName } from "./sided-rules.js";

/** What a finding of one kind means. */
export interface Rule {
  readonly class: ChangeClass;
  /** Whether it touches trust: approval, injection, identity. */
  readonly security?: true;
  /** Without an impact a change is reported and is no drift. */
  readonly impacts: readonly Impact[];
  /** What happened. */
  readonly says: string;
  /** Why it is classed as it is. */
  readonly why: string;
}

const RULES = {
  "tool-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The tool is gone",
    why: "every call of it fails",
  },
  "tool-renamed": {
    class: "breaking",
    impacts: ["wire", "types", "model"],
    says: "The tool has another name, or others have taken its place",
    why: "every call of it under the old name fails",
  },
  "tool-added": {
    class: "safe",
    impacts: ["types", "model"],
    says: "The tool is new",
    why: "no caller knows it yet",
  },
  "tool-name-invalid": {
    class: "dangerous",
    impacts: ["wire", "model"],
    says: "The tool has a name that the specification does not allow",
    why: "some clients and models refuse such a name, or change it",
  },
  "tool-name-duplicate": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The server lists the tool's name more than once",
    why: "which of them a call reaches is not known",
  },
  "tool-name-collision": {
    class: "breaking",
    impacts: ["types"],
    says: "The tool is called in generated code what another one is called",
    why: "both cannot have the name, until one of them is renamed in the configuration",
  },
  "tool-description-changed": {
    class: "dangerous",
    impacts: ["model"],
    says: "The tool's description changed",
    why: "models choose tools by it",
  },
  "tool-title-changed": {
    class: "dangerous",
    impacts: ["model"],
    says: "The tool's title changed",
    why: "people and models choose tools by it",
  },
  "annotation-readonly-lost": {
    class: "breaking",
    security: true,
    impacts: ["trust"],
    says: "The tool no longer says that it only reads",
    why: "it may have been approved without asking because of that",
  },
  "annotation-readonly-gained": {
    class: "dangerous",
    security: true,
    impacts: ["trust"],
    says: "The tool now says that it only reads",
    why: "clients stop asking before they call it",
  },
  "annotation-destructive-gained": {
    class: "breaking",
    security: true,
    impacts: ["trust"],
    says: "The tool may now destroy",
    why: "it was approved when it said that it does not",
  },
  "annotation-destructive-lost": {
    class: "dangerous",
    security: true,
    impacts: ["trust"],
    says: "The tool now says that it does not destroy",
    why: "clients stop asking before they call it",
  },
  "annotation-idempotent-lost": {
    class: "dangerous",
    security: true,
    impacts: ["behaviour", "trust"],
    says: "The tool no longer says that a second call changes nothing",
    why: "callers that repeat a call may do harm",
  },
  "annotation-idempotent-gained": {
    class: "safe",
    impacts: ["trust"],
    says: "The tool now says that a second call changes nothing",
    why: "callers that never repeat a call stay right",
  },
  "annotation-openworld-gained": {
    class: "dangerous",
    security: true,
    impacts: ["trust"],
    says: "The tool now reaches beyond its own system",
    why: "what it answers may come from strangers",
  },
  "annotation-openworld-lost": {
    class: "safe",
    impacts: ["trust"],
    says: "The tool now says that it stays within its own system",
    why: "callers that expected strangers stay right",
  },
  "task-support-changed": {
    class: "breaking",
    impacts: ["wire"],
    says: "Whether the tool runs as a task changed",
    why: "calls of the other kind are refused",
  },
  "task-support-added": {
    class: "safe",
    impacts: ["wire"],
    says: "The tool can now run as a task as well",
    why: "plain calls still work",
  },
  "icons-changed": {
    class: "safe",
    impacts: ["trust"],
    says: "The tool's icons changed",
    why: "people only see them",
  },
  "meta-changed": {
    class: "safe",
    impacts: ["behaviour"],
    says: "The tool's metadata changed",
    why: "callers do not depend on it",
  },
  "definition-changed": {
    class: "unknown",
    impacts: ["behaviour"],
    says: "A part of the definition changed that no rule knows",
    why: "what it does is not known",
  },
  "parameter-header-added": {
    class: "dangerous",
    security: true,
    impacts: ["wire", "trust"],
    says: "Clients now send the value of a parameter in an HTTP header",
    why: "proxies and logs on the way can read headers",
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
    says: "The tool now says what it answers",
    why: "callers that read its text stay right",
  },
  "output-schema-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The tool no longer says what it answers",
    why: "callers relied on that form",
  },
  "output-root-type-changed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The tool answers with another type",
    why: "callers rely on that form",
  },
  "schema-dialect-changed": {
    class: "unknown",
    impacts: ["wire"],
    says: "The schema is now read in another dialect of JSON Schema",
    why: "the same words may mean something else",
  },
  "schema-ref-external": {
    class: "breaking",
    security: true,
    impacts: ["wire", "types", "trust"],
    says: "The schema now leads outside itself",
    why: "nothing is fetched over the network, so what it accepts is not known, and whoever answers there decides",
  },
  "schema-ref-unresolved": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The schema now refers to a part of itself that is not there",
    why: "validators refuse such a schema, and with it every call",
  },
  "schema-ref-too-deep": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "The schema now leads too deep, or back to itself without an end",
    why: "it cannot be read, so no call can be checked",
  },
  "server-name-changed": {
    class: "breaking",
    impacts: ["trust"],
    says: "The server has another name",
    why: "it may be another server",
  },
  "server-version-changed": {
    class: "safe",
    impacts: [],
    says: "The server has another version",
    why: "alone it changes no tool",
  },
  "server-version-kept": {
    class: "dangerous",
    impacts: ["trust"],
    says: "The server's tools changed and its version did not",
    why: "who goes by versions does not notice",
  },
  "server-info-changed": {
    class: "safe",
    impacts: ["trust"],
    says: "The server describes itself otherwise",
    why: "people only see it",
  },
  "server-instructions-changed": {
    class: "dangerous",
    impacts: ["model", "trust"],
    says: "The server's instructions changed",
    why: "models follow them",
  },
  "server-protocol-changed": {
    class: "dangerous",
    impacts: ["wire", "behaviour"],
    says: "The server speaks another version of the protocol",
    why: "answers may look otherwise",
  },
  "server-capability-removed": {
    class: "breaking",
    impacts: ["wire"],
    says: "The server can no longer do something",
    why: "clients that use it fail",
  },
  "server-capability-added": {
    class: "safe",
    impacts: ["wire"],
    says: "The server can do something more",
    why: "no client depends on it yet",
  },
  "server-capability-changed": {
    class: "unknown",
    impacts: ["wire"],
    says: "A capability of the server changed",
    why: "what it does is not known",
  },
  ...POISON_RULES,
} satisfies Readonly<Record<string, Rule>>;

export type RuleName =
  keyof typeof RULES | `${Side}-${Exclude<SidedRuleName, OneSidedRuleName>}` | `output-${OneSidedRuleName}`;

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

/** The rule of a name; undefined when a later version found the change. */
export function findRule(name: string): Rule | undefined {
  return ALL_RULES.get(name);
}

/** The rule of a name. */
export function getRule(name: RuleName): Rule {
  const rule = ALL_RULES.get(name);
  if (rule === undefined) throw new RangeError(`There is no rule "${name}".`);
  return rule;
}
