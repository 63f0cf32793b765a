import type { FormatRule } from "../../src/core/schema-ir.js";
import type { SuiteGroup } from "../../test/schema/support/data.js";
import { CONVERTERS, type ConverterName } from "./converters.js";
import { DIALECTS } from "./dialects.js";

/** How a converted schema compares with the suite's verdict on one value. */
export type Outcome = "agrees" | "acceptsWrongly" | "rejectsWrongly" | "doesNotConvert";

export type Tally = { readonly [O in Outcome]: number };

/** A file of the suite: usually the tests of one keyword. */
export interface Judged {
  readonly draft: string;
  readonly keyword: string;
  readonly tally: Tally;
}

/** Runs the tests of each group on the converted schema. */
export function judgeSuite(
  name: ConverterName,
  groups: readonly SuiteGroup[],
  formats?: FormatRule,
): readonly Judged[] {
  return groups.map((group) => ({
    draft: group.draft,
    keyword: group.keyword,
    tally: countOutcomes(judgeGroup(name, group, formats)),
  }));
}

function judgeGroup(
  name: ConverterName,
  { draft, schema, tests }: SuiteGroup,
  formats: FormatRule | undefined,
): readonly Outcome[] {
  const dialect = DIALECTS[draft];
  if (dialect === undefined) throw new Error(`Unknown draft "${draft}".`);
  try {
    const zod = CONVERTERS[name](schema, dialect, formats);
    return tests.map(({ data, valid }) => {
      const isAccepted = zod.safeParse(data).success;
      if (isAccepted === valid) return "agrees";
      return isAccepted ? "acceptsWrongly" : "rejectsWrongly";
    });
  } catch {
    return tests.map(() => "doesNotConvert");
  }
}

function countOutcomes(outcomes: readonly Outcome[]): Tally {
  const count = (outcome: Outcome): number => outcomes.filter((one) => one === outcome).length;
  return {
    agrees: count("agrees"),
    acceptsWrongly: count("acceptsWrongly"),
    rejectsWrongly: count("rejectsWrongly"),
    doesNotConvert: count("doesNotConvert"),
  };
}

/** Returns the sum of the tallies of each key, in the order of first occurrence. */
export function sumBy(judged: readonly Judged[], keyOf: (one: Judged) => string): ReadonlyMap<string, Tally> {
  const sums = new Map<string, Tally>();
  for (const one of judged) {
    const sum = sums.get(keyOf(one)) ?? countOutcomes([]);
    sums.set(keyOf(one), {
      agrees: sum.agrees + one.tally.agrees,
      acceptsWrongly: sum.acceptsWrongly + one.tally.acceptsWrongly,
      rejectsWrongly: sum.rejectsWrongly + one.tally.rejectsWrongly,
      doesNotConvert: sum.doesNotConvert + one.tally.doesNotConvert,
    });
  }
  return sums;
}
