import type { WitnessAnswer, WitnessRequest } from "../finding.js";
import { pairQuestions, type OpenPair } from "./pair-questions.js";
import type { WorkerSays } from "./witness-messages.js";
import { startWitnessThread, type WitnessThread } from "./witness-thread.js";

/** How long the search for one instance may take, in milliseconds. A pattern such as `^(a+)+$` may take for ever. */
export const WITNESS_LIMIT = 2_000;
/** How long it may take after many that had no end. Nearly all take some milliseconds. */
const HASTY_LIMIT = 250;
const MAX_PATIENT = 3;

const START_LIMIT = 30_000;
const MAX_STARTS = 2;

/** After so many searches without an end in one pair of schemas, the others in it are given up. */
const MAX_OF_PAIR = 2;
/** After so many in all, so are those in schemas whose patterns may take for ever; what has none is always searched. */
const MAX_TIMEOUTS = 10;

/** Kept from one call to the next, since starting it takes longer than most searches. */
let thread: WitnessThread | undefined;

/**
 * For each request an instance that one schema accepts and the other rejects, both according to Ajv, and from which
 * nothing can be removed; or that none was found. Waits for a thread that is ended when a search takes too long. Starts
 * nothing when there is nothing to look for.
 *
 * @throws Error with `ERR_MODULE_NOT_FOUND` when Ajv is not installed
 */
export function findWitnesses(requests: readonly WitnessRequest[]): readonly WitnessAnswer[] {
  const answers = new Map<number, WitnessAnswer>();
  const pairs = pairQuestions(requests);
  const timeouts = new Map<OpenPair, number>();
  for (let total = 0, starts = 0; starts < MAX_STARTS;) {
    const open = pairs
      .filter((pair) => (timeouts.get(pair) ?? 0) < MAX_OF_PAIR && (!pair.isSlow || total < MAX_TIMEOUTS))
      .map((pair) => ({ ...pair, pair, asked: pair.asked.filter(({ id }) => !answers.has(id)) }))
      .filter(({ asked }) => asked.length > 0);
    if (open.length === 0) break;
    const limit = total < MAX_PATIENT ? WITNESS_LIMIT : HASTY_LIMIT;
    const hasStarted = hearAnswers(open, limit, answers);
    const stuck = open.find(({ asked }) => asked.some(({ id }) => !answers.has(id)));
    if (stuck === undefined) continue;
    thread?.stop();
    thread = undefined;
    const [first] = stuck.asked.filter(({ id }) => !answers.has(id));
    if (hasStarted && first !== undefined) {
      answers.set(first.id, { kind: "timeout" });
      timeouts.set(stuck.pair, (timeouts.get(stuck.pair) ?? 0) + 1);
      total += 1;
    } else starts += 1;
  }
  return requests.map((_, id) => answers.get(id) ?? { kind: "unsearched" });
}

/** Asks, and listens until everything is answered or the thread falls silent; whether it has said anything. */
function hearAnswers(
  questions: readonly OpenPair[],
  limit: number,
  answers: Map<number, WitnessAnswer>,
): boolean {
  thread ??= startWitnessThread();
  thread.ask(
    questions.map(({ accepts, rejects, dialect, formats, changes, asked }) => ({
      accepts,
      rejects,
      dialect,
      formats,
      changes,
      asked,
    })),
  );
  let open = questions.flatMap(({ asked }) => asked).length;
  let hasStarted = false;
  while (open > 0) {
    // Starting a thread and loading Ajv may be slow on a busy machine, and is not the search.
    const said = thread.hear(hasStarted ? limit : START_LIMIT);
    if (said === undefined) break;
    hasStarted = true;
    switch (said.kind) {
      case "answer":
        answers.set(said.id, said.answer);
        open -= 1;
        break;
      case "error":
        throw reviveError(said);
      case "ready":
        break;
      default:
        said satisfies never;
    }
  }
  return hasStarted;
}

function reviveError({ message, stack, code }: WorkerSays & { readonly kind: "error" }): Error {
  // The code tells a missing package from a bug.
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
