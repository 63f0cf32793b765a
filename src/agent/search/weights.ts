// Tuned on one half of the labelled queries in `benchmarks/search`. The documentation reports the figures of the other half.

/** The weight of a word in each part of a tool, and how much it decreases with the length of the part. */
export const FIELDS = {
  name: { weight: 3, lengthMatters: 0.4 },
  title: { weight: 1, lengthMatters: 0.4 },
  category: { weight: 1, lengthMatters: 0 },
  server: { weight: 1, lengthMatters: 0 },
  /** The first sentence of the description. */
  summary: { weight: 1.2, lengthMatters: 0.5 },
  /** The rest of the description. */
  details: { weight: 0.4, lengthMatters: 0.6 },
  parameters: { weight: 0.6, lengthMatters: 0.5 },
  nested: { weight: 0.2, lengthMatters: 0.5 },
  values: { weight: 0.4, lengthMatters: 0.5 },
  outputs: { weight: 0.2, lengthMatters: 0.5 },
} as const;

export const WEIGHTS = {
  /** How soon further occurrences of a word stop adding to the score. */
  saturation: 1.1,
  /** Another word of the same group. */
  synonym: 0.5,
  /** Another word of several of its groups, which is closer. */
  closeSynonym: 0.7,
  /** The full word of a short form. */
  abbreviation: 0.9,
  /** A word that begins with an unknown one. */
  prefix: 0.5,
  /** A word similar to an unknown one, by distance. */
  nearby: [1, 0.6, 0.4],
  /** Part of the score that does not depend on how many of the query's words are found. */
  uncovered: 0.4,
  /** Factor for a tool whose verb differs from the query's. */
  otherAction: 0.6,
  /** Factor for such a tool, and for one that writes, if the query asks a question. */
  writesIfAsked: 0.3,
  /** The weight of similar meaning beside words, and the similarity of unrelated texts. */
  meaning: 0.4,
  chance: 0.4,
  /** Decide between tools of nearly equal score: a word in the same form as in the query, and a tool that only reads. */
  exactForm: 0.02,
  reads: 0.03,
  /** Added for a tool that only reads, if the query asks a question. */
  asked: 0.1,
  /** Tools below this score, or below this share of the best score, are not returned. */
  leastScore: 0.03,
  leastShare: 0.1,
  /** The share of the best score above which a tool is near, and the weight of that score in the share. */
  nearShare: 0.4,
  certain: 0.9,
  /** The weight of the words of one intent in another. */
  context: 0.2,
} as const;
