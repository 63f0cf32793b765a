import { formatNumber } from "../../core/printable.js";
import { groupBy } from "../../core/collections.js";
import type { Change } from "../../core/change.js";
import {
  type UnconfirmedChange,
  withoutWire,
  type WitnessAnswer,
  type WitnessRequest,
} from "../unconfirmed-change.js";
import { OutOfStepsError, Steps } from "../../core/steps.js";
import { createWitnessSearch } from "./search-witness.js";

/** The steps of the search for one instance, about two seconds. Nearly all searches take a few thousand. */
const STEPS_OF_SEARCH = 2_000_000;
/** The steps of all searches together, so that a hostile list of tools cannot make them endless. */
const STEPS_OF_ALL = 6_000_000;

const GIVEN_UP = {
  exhausted: `The search for a counterexample took more than ${formatNumber(STEPS_OF_SEARCH)} steps.`,
  unsearched: `The search for a counterexample did not start: other searches took ${formatNumber(STEPS_OF_ALL)} steps.`,
} as const;

const IMPLIED = "Other rules of the schema already reject the values that this change rejects.";

/**
 * Returns the changes of findings, in the same order. A change that breaks calls on the wire gets a counterexample; without
 * one its class becomes `unknown`, unless the callers' types break anyway.
 */
export function confirmFindings(findings: readonly UnconfirmedChange[]): readonly Change[] {
  const requests = findings.flatMap(({ request }) => (request === undefined ? [] : [request]));
  const answers = findWitnesses(requests).values();
  return findings.map((finding) => {
    const answer = finding.request === undefined ? undefined : answers.next().value;
    return answer === undefined ? finding.change : judge(finding, answer);
  });
}

function judge({ change, unwitnessed }: UnconfirmedChange, answer: WitnessAnswer): Change {
  // The types of callers break even if no value does.
  const isBreakingAnyway = unwitnessed === "breaking";
  switch (answer.kind) {
    case "found": {
      const shown: { -readonly [K in keyof Change]: Change[K] } = {
        ...change,
        class: "breaking",
        witness: answer.instance,
        witnessAt: answer.rejectedAt,
      };
      // The reason explained why the class was unknown.
      if (change.class === "unknown") delete shown.reason;
      return shown;
    }
    case "none":
      if (change.class !== "breaking") return change;
      return isBreakingAnyway
        ? withoutWire(change)
        : { ...change, class: "unknown", reason: "No counterexample was found." };
    case "implied":
      return isBreakingAnyway ? withoutWire(change) : { ...change, class: "safe", reason: IMPLIED };
    case "exhausted":
    case "unsearched":
      return isBreakingAnyway ? change : { ...change, class: "unknown", reason: GIVEN_UP[answer.kind] };
    default:
      return answer satisfies never;
  }
}

/**
 * Returns an answer for each request: an instance that one schema accepts and the other rejects, and from which
 * nothing can be removed; or that none was found, or that the search took too many steps. The same requests get
 * the same answers on every machine.
 */
export function findWitnesses(requests: readonly WitnessRequest[]): readonly WitnessAnswer[] {
  const answers = new Map<number, WitnessAnswer>();
  const steps = new Steps(STEPS_OF_ALL);
  // Each pair of schemas is read once.
  for (const same of groupBy(requests.entries(), ([, { accepts }]) => accepts).values())
    for (const pair of groupBy(same, ([, { rejects }]) => rejects).values()) searchPair(pair, steps, answers);
  return requests.map((_, id) => answers.get(id) ?? { kind: "unsearched" });
}

type Numbered = readonly [id: number, request: WitnessRequest];

/** Answers the requests about the changes between two schemas. */
function searchPair(
  pair: readonly [Numbered, ...Numbered[]],
  steps: Steps,
  answers: Map<number, WitnessAnswer>,
): void {
  let search: ReturnType<typeof createWitnessSearch> | undefined;
  const apart: WitnessRequest[] = [];
  const open: (WitnessRequest & { readonly id: number })[] = [];
  let unread: WitnessAnswer | undefined;
  for (const [id, request] of pair) {
    if (!steps.hasMore) return;
    // Reading a pair takes the same steps for each of its changes.
    if (unread !== undefined) {
      answers.set(id, unread);
      continue;
    }
    steps.begin(STEPS_OF_SEARCH);
    try {
      search ??= createWitnessSearch(request, pair.length + (request.quiet ?? 0), steps.spend);
      const { isShared = false, ...answer } = search.find(request);
      answers.set(id, answer);
      if (answer.kind === "found" && !isShared) apart.push(request);
      else if (request.rule !== undefined) open.push({ ...request, id });
    } catch (error) {
      // Otherwise the schema cannot be parsed, or its nesting is too deep: no instance can show the change.
      const answer: WitnessAnswer = { kind: error instanceof OutOfStepsError ? "exhausted" : "none" };
      if (search === undefined) unread = answer;
      answers.set(id, answer);
    }
  }
  if (search === undefined || apart.length === 0 || open.length === 0 || !steps.hasMore) return;
  steps.begin(STEPS_OF_SEARCH);
  try {
    for (const { id } of search.findImplied(open, apart)) answers.set(id, { kind: "implied" });
  } catch (error) {
    if (!(error instanceof OutOfStepsError)) throw error;
  }
}
