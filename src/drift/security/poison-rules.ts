import type { Rule } from "../rules.js";

const INJECTION = {
  class: "dangerous",
  security: true,
  impacts: ["model", "trust"],
} as const satisfies Partial<Rule>;

/** Texts that mislead: the first five are exact, the others weigh words. */
export const POISON_RULES = {
  "poison-hidden-unicode": {
    ...INJECTION,
    says: "A text holds characters or white space that hide a part of it",
    why: "models read what people do not see",
  },
  "poison-bidi": {
    ...INJECTION,
    says: "A text changes the direction in which it is shown",
    why: "people and models read different texts",
  },
  "poison-tag-characters": {
    ...INJECTION,
    says: "A text holds tag characters",
    why: "they spell words that models read and nothing shows",
  },
  "poison-ansi": {
    ...INJECTION,
    says: "A text holds control characters",
    why: "terminals act on them and may hide a part of the text",
  },
  "poison-html-comment": {
    ...INJECTION,
    says: "A text holds a comment",
    why: "clients that render Markdown do not show it, and models read it",
  },
  "poison-instruction": {
    ...INJECTION,
    says: "A text reads like an order to the model",
    why: "models may follow it instead of the user",
  },
  "poison-cross-tool-reference": {
    ...INJECTION,
    says: "A text gives orders about other tools, or names a tool of another server",
    why: "models may use that tool in another way because of it",
  },
  "poison-exfiltration": {
    ...INJECTION,
    says: "A text asks for something secret, or sends it somewhere",
    why: "models may read it and pass it on",
  },
  "poison-secret-parameter": {
    ...INJECTION,
    says: "A parameter asks for something secret by its name",
    why: "models fill in what they know",
  },
  "poison-encoded-blob": {
    ...INJECTION,
    says: "A text holds something encoded",
    why: "models can decode what people skip",
  },
} satisfies Readonly<Record<`poison-${string}`, Rule>>;
