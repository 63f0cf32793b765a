import type { Rule } from "./rules.js";

const TEXT = { class: "dangerous", impacts: ["model"] } as const satisfies Partial<Rule>;
const REST = { class: "safe", impacts: ["behaviour"] } as const satisfies Partial<Rule>;
const UNREVIEWED = {
  class: "dangerous",
  security: true,
  impacts: ["model", "trust"],
} as const satisfies Partial<Rule>;

/** Rules about prompts, resources and their templates, and skills. */
export const ENTRY_RULES = {
  "prompt-added": {
    class: "safe",
    impacts: ["wire", "types"],
    says: "A prompt was added",
    why: "no caller uses it yet",
  },
  "prompt-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "A prompt was removed",
    why: "callers that get it fail",
  },
  "prompt-required-argument-added": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "A required argument was added to a prompt",
    why: "callers that do not pass it are rejected",
  },
  "prompt-optional-argument-added": {
    class: "safe",
    impacts: ["wire", "types"],
    says: "An optional argument was added to a prompt",
    why: "callers do not have to pass it",
  },
  "prompt-argument-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "An argument of a prompt was removed",
    why: "callers that pass it are rejected, or the value is ignored",
  },
  "prompt-argument-became-required": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "An argument of a prompt became required",
    why: "callers that do not pass it are rejected",
  },
  "prompt-argument-became-optional": {
    class: "safe",
    impacts: ["wire", "types"],
    says: "An argument of a prompt became optional",
    why: "callers may continue to pass it",
  },
  "prompt-text-changed": {
    ...TEXT,
    says: "The title or description of a prompt, or of one of its arguments, changed",
    why: "people and models choose the prompt and fill in its arguments by them",
  },
  "prompt-details-changed": {
    ...REST,
    says: "The metadata of a prompt changed",
    why: "callers do not depend on it",
  },
  "resource-added": {
    class: "safe",
    impacts: ["wire", "types"],
    says: "A resource or a template of resources was added",
    why: "no caller reads it yet",
  },
  "resource-removed": {
    class: "breaking",
    impacts: ["wire", "types"],
    says: "A resource or a template of resources was removed",
    why: "callers that read it fail",
  },
  "resource-type-changed": {
    class: "dangerous",
    impacts: ["wire"],
    says: "The media type of a resource changed",
    why: "callers that parse it as the old type may fail",
  },
  "resource-text-changed": {
    ...TEXT,
    says: "The name, title or description of a resource changed",
    why: "people and models choose what to read by them",
  },
  "resource-details-changed": {
    ...REST,
    says: "The size, annotations or metadata of a resource changed",
    why: "callers do not depend on them",
  },
  "skill-added": {
    class: "safe",
    impacts: ["model"],
    says: "A skill was added",
    why: "no agent has activated it yet",
  },
  "skill-removed": {
    class: "breaking",
    impacts: ["model"],
    says: "A skill was removed",
    why: "agents that activate it fail",
  },
  "skill-text-changed": {
    ...TEXT,
    says: "The name or description of a skill changed",
    why: "models choose it by them",
  },
  "skill-files-changed": {
    ...UNREVIEWED,
    says: "The files of a skill changed",
    why: "agents follow other instructions than those that were reviewed",
  },
  "skill-became-dynamic": {
    ...UNREVIEWED,
    says: "The server no longer publishes the digests of a skill's files",
    why: "its instructions may change with every reading, and no change is visible",
  },
  "skill-tools-widened": {
    ...UNREVIEWED,
    says: "A skill allows further tools without asking",
    why: "agents may call them as soon as the skill is active",
  },
  "skill-details-changed": {
    class: "dangerous",
    impacts: ["behaviour", "model"],
    says: "Another field of a skill's frontmatter changed",
    why: "hosts may act on it",
  },
} satisfies Readonly<Record<string, Rule>>;
