import type { Change } from "../contract/change.js";
import type { Finding, WitnessAnswer } from "./finding.js";
import { withoutWire } from "./make-change.js";
import { findWitnesses, STEPS_OF_ALL, STEPS_OF_SEARCH } from "./witness/find-witnesses.js";

/**
 * Returns the changes of findings, in the same order. A change that breaks calls on the wire gets a counterexample; without
 * one its class becomes `unknown`, unless the callers' types break anyway.
 */
export function confirmFindings(findings: readonly Finding[]): readonly Change[] {
  const requests = findings.flatMap(({ request }) => (request === undefined ? [] : [request]));
  const answers = findWitnesses(requests).values();
  return findings.map((finding) => {
    const answer = finding.request === undefined ? undefined : answers.next().value;
    return answer === undefined ? finding.change : judge(finding, answer);
  });
}

function judge({ change, unwitnessed }: Finding, answer: WitnessAnswer): Change {
  // The types of callers break even if no value does.
  const isBreakingAnyway = unwitnessed === "breaking";
  switch (answer.kind) {
    case "found": {
      const shown: { -readonly [K in keyof Change]: Change[K] } = {
        ...change,
        class: "breaking",
        witness: answer.instance,
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
    case "exhausted":
    case "unsearched":
      return isBreakingAnyway ? change : { ...change, class: "unknown", reason: GIVEN_UP[answer.kind] };
    default:
      return answer satisfies never;
  }
}

const GIVEN_UP = {
  exhausted: `The search for a counterexample took more than ${STEPS_OF_SEARCH.toLocaleString("en")} steps.`,
  unsearched: `The search for a counterexample did not start: other searches took ${STEPS_OF_ALL.toLocaleString("en")} steps.`,
} as const;
