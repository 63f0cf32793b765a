import type { Rule } from "../rules.js";

const INJECTION = {
  class: "dangerous",
  security: true,
  impacts: ["model", "trust"],
} as const satisfies Partial<Rule>;

/** Texts that mislead or give away a secret: the first six are exact, the others weigh words. */
export const POISON_RULES = {
  "poison-repeated-secret": {
    ...INJECTION,
    says: "A text repeats a secret that the connection used",
    why: "a mark takes its place in everything that is locked or printed",
  },
  "poison-hidden-unicode": {
    ...INJECTION,
    says: "A text has characters or white space that hide a part of the text",
    why: "models read what people do not see",
  },
  "poison-bidi": {
    ...INJECTION,
    says: "A text has characters that change its reading direction",
    why: "people and models read different texts",
  },
  "poison-tag-characters": {
    ...INJECTION,
    says: "A text has Unicode tag characters",
    why: "they spell words that models read and no program shows",
  },
  "poison-ansi": {
    ...INJECTION,
    says: "A text has control characters",
    why: "terminals act on them and may hide a part of the text",
  },
  "poison-html-comment": {
    ...INJECTION,
    says: "A text has a hidden comment",
    why: "clients that render Markdown do not show it, but models read it",
  },
  "poison-instruction": {
    ...INJECTION,
    says: "A text reads like an instruction to the model",
    why: "models may follow it instead of the user",
  },
  "poison-cross-tool-reference": {
    ...INJECTION,
    says: "A text gives instructions about other tools, or names a tool of another server",
    why: "models may use that tool differently because of it",
  },
  "poison-exfiltration": {
    ...INJECTION,
    says: "A text asks for secrets, or asks to send them somewhere",
    why: "models may read them and pass them on",
  },
  "poison-secret-parameter": {
    ...INJECTION,
    says: "A parameter's name asks for a secret",
    why: "models fill in what they know",
  },
  "conversation-parameter": {
    ...INJECTION,
    says: "A parameter asks for the user's words or for the conversation",
    why: "the server receives what the user wrote to the model",
  },
  "poison-encoded-blob": {
    ...INJECTION,
    says: "A text has encoded data",
    why: "models can decode what people skip",
  },
} satisfies Readonly<Record<string, Rule>>;

/** Whether a rule judges texts. */
export const isPoisonRule = (rule: string): boolean => Object.hasOwn(POISON_RULES, rule);
