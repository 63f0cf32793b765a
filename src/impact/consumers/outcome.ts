import type { ConsumerVerdict } from "../../core/diagnostic.js";

/** The effect of a change on code that uses a tool. */
export interface UseVerdict {
  readonly effect: ConsumerVerdict["effect"];
  /** Without the number of places: "reads `price`". */
  readonly says: string;
  /** Follows the number of places: "with values that are not literals". */
  readonly more?: string | undefined;
}

/** The same with the number of places in the code. */
export interface ConsumerOutcome extends UseVerdict {
  readonly places: number;
}

const RANKS: Readonly<Record<ConsumerOutcome["effect"], number>> = {
  none: 0,
  "until-pull": 1,
  "may-break": 2,
  breaks: 3,
};

/** Joins the outcomes of several uses: the worst effect, with the places of the uses that have it. */
export function worstOf(outcomes: readonly ConsumerOutcome[], otherwise: string): ConsumerOutcome {
  const rank = Math.max(0, ...outcomes.map(({ effect }) => RANKS[effect]));
  const [first, ...rest] = outcomes.filter(({ effect }) => RANKS[effect] === rank);
  if (first === undefined || rank === 0) return { effect: "none", says: first?.says ?? otherwise, places: 0 };
  const same = rest.filter(({ says, more }) => says === first.says && more === first.more);
  return { ...first, places: [first, ...same].reduce((sum, { places }) => sum + places, 0) };
}

export function sentenceOf({ effect, says, places, more }: ConsumerOutcome): string {
  if (effect === "none" || places === 0) return says;
  const where = `${says} in ${places} ${places === 1 ? "place" : "places"}`;
  return more === undefined ? where : `${where}, ${more}`;
}

/** A name or a value in a sentence. Longer ones are cut. */
export function quoteShort(text: string): string {
  return `\`${text.length > 80 ? `${text.slice(0, 80)}…` : text}\``;
}
