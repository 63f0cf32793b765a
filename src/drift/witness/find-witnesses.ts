import type { WitnessAnswer, WitnessRequest } from "../finding.js";
import { openCompiler, type Compile } from "./compile-schema.js";
import { pairQuestions, type PairQuestion } from "./pair-questions.js";
import { openSearch } from "./search-witness.js";
import { OutOfStepsError, Steps } from "../steps.js";

/** The steps that the search for one instance may take, about two seconds. Nearly all take a few thousand. */
export const STEPS_OF_SEARCH = 2_000_000;
/** The steps of all searches together. They end even for a list that was made to be slow. */
export const STEPS_OF_ALL = 6_000_000;

/**
 * For each request an instance that one schema accepts and the other rejects, both according to Ajv, and from which
 * nothing can be removed; or that none was found, or that the search was given up after too many steps. The same requests
 * get the same answers on every machine.
 *
 * @throws Error with the code `MODULE_NOT_FOUND` when Ajv is not installed
 */
export function findWitnesses(requests: readonly WitnessRequest[]): readonly WitnessAnswer[] {
  const answers = new Map<number, WitnessAnswer>();
  const steps = new Steps(STEPS_OF_ALL);
  const compile = openCompiler(steps.spend);
  for (const question of pairQuestions(requests)) answerQuestion(question, { steps, compile }, answers);
  return requests.map((_, id) => answers.get(id) ?? { kind: "unsearched" });
}

function answerQuestion(
  question: PairQuestion,
  { steps, compile }: { readonly steps: Steps; readonly compile: Compile },
  answers: Map<number, WitnessAnswer>,
): void {
  let find: ReturnType<typeof openSearch> | undefined;
  for (const { id, ...part } of question.asked) {
    if (!steps.hasMore) return;
    steps.begin(STEPS_OF_SEARCH);
    try {
      find ??= openSearch(question, question.asked.length, { compile, spend: steps.spend });
      answers.set(id, find(part));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") throw error;
      // Otherwise Ajv cannot compile the schema, or it is nested too deep: no instance shows anything.
      answers.set(id, { kind: error instanceof OutOfStepsError ? "exhausted" : "none" });
    }
  }
}
