import type { Change } from "../contract/change.js";
import type { Finding, WitnessAnswer } from "./finding.js";
import { withoutWire } from "./make-change.js";
import { findWitnesses, STEPS_OF_ALL, STEPS_OF_SEARCH } from "./witness/find-witnesses.js";

/**
 * The changes of findings, in their order: the step between what the walk says and what is reported. A change that is
 * breaking on the wire is shown by an instance; one that no instance shows is not known to be.
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
  // Callers' types break, whether or not a value does.
  const isBreakingAnyway = unwitnessed === "breaking";
  switch (answer.kind) {
    case "found": {
      const shown: { -readonly [K in keyof Change]: Change[K] } = {
        ...change,
        class: "breaking",
        witness: answer.instance,
      };
      // It said why nothing was known.
      if (change.class === "unknown") delete shown.reason;
      return shown;
    }
    case "none":
      if (change.class !== "breaking") return change;
      return isBreakingAnyway
        ? withoutWire(change)
        : { ...change, class: "unknown", reason: "No value was found that shows it to break." };
    case "exhausted":
    case "unsearched":
      return isBreakingAnyway ? change : { ...change, class: "unknown", reason: GIVEN_UP[answer.kind] };
    default:
      return answer satisfies never;
  }
}

const GIVEN_UP = {
  exhausted: `The search for a value that shows it took more than ${STEPS_OF_SEARCH.toLocaleString("en")} steps.`,
  unsearched: `No value that shows it was searched for: other searches took ${STEPS_OF_ALL.toLocaleString("en")} steps.`,
} as const;
