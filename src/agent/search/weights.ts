/**
 * What counts how much. Tuned on one half of the labelled queries in `benchmarks/search`; the other half is what the documentation
 * reports.
 */

/** What a word in each part of a tool counts, and how much less it does where the part is longer than usual. */
export const FIELDS = {
  name: { weight: 3, lengthMatters: 0.4 },
  title: { weight: 1, lengthMatters: 0.4 },
  category: { weight: 1, lengthMatters: 0 },
  server: { weight: 1, lengthMatters: 0 },
  /** The first sentence of the description. */
  summary: { weight: 1.2, lengthMatters: 0.5 },
  /** The rest of it. */
  details: { weight: 0.4, lengthMatters: 0.6 },
  parameters: { weight: 0.6, lengthMatters: 0.5 },
} as const;

export const WEIGHTS = {
  /** How soon another occurrence of a word adds nothing more. */
  saturation: 0.9,
  /** Another word of the same group. */
  synonym: 0.5,
  /** What a short form is short for. */
  abbreviation: 0.9,
  /** A word that begins with an unknown one. */
  prefix: 0.5,
  /** A word near an unknown one, by distance. */
  nearby: [1, 0.85, 0.65],
  /** Part of the score that does not depend on how many of the query's words are found. */
  uncovered: 0.4,
  /** Factor for a tool whose verb says something else than the query's. */
  otherAction: 0.6,
  /** What nearness of meaning counts beside words, above what any two texts have. */
  meaning: 0.4,
  chance: 0.4,
  /** What decides between tools of nearly equal score: a word in the form that the query has, and that the tool reads. */
  exactForm: 0.02,
  reads: 0.005,
  /** Tools below this score are not found, nor tools below this share of the best one's. */
  leastScore: 0.03,
  leastShare: 0.1,
  /** What the words of one intent count in the other. */
  context: 0.2,
} as const;
