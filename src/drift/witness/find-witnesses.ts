import type { JsonValue } from "../../contract/json.js";
import type { WitnessAnswer, WitnessRequest } from "../finding.js";
import type { PairQuestion, WorkerSays } from "./witness-messages.js";
import { startWitnessThread, type WitnessThread } from "./witness-thread.js";

/** How long the search for one instance may take, in milliseconds. A pattern such as `^(a+)+$` may take for ever. */
export const WITNESS_LIMIT = 2_000;

const START_LIMIT = 30_000;

/** After so many searches without an end the rest is given up: a server could ask for any number of them. */
const MAX_TIMEOUTS = 3;

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
  for (let timeouts = 0; answers.size < requests.length && timeouts < MAX_TIMEOUTS; timeouts++) {
    const open = questionsOf(requests, answers);
    hearAnswers(open, requests.length, answers);
    const stuck = open.flatMap(({ asked }) => asked).find(({ id }) => !answers.has(id));
    if (stuck === undefined) break;
    answers.set(stuck.id, { kind: "timeout" });
    thread?.stop();
    thread = undefined;
  }
  return requests.map((_, id) => answers.get(id) ?? { kind: "timeout" });
}

/** Asks, and listens until everything is answered or the thread falls silent. */
function hearAnswers(
  questions: readonly PairQuestion[],
  total: number,
  answers: Map<number, WitnessAnswer>,
): void {
  thread ??= startWitnessThread();
  thread.ask(questions);
  // Starting a thread and loading Ajv may be slow on a busy machine, and is not the search.
  for (let limit = START_LIMIT; answers.size < total; limit = WITNESS_LIMIT) {
    const said = thread.hear(limit);
    if (said === undefined) return;
    switch (said.kind) {
      case "answer":
        answers.set(said.id, said.answer);
        break;
      case "error":
        throw reviveError(said);
      case "ready":
        break;
      default:
        said satisfies never;
    }
  }
}

/** What is still to be answered, by pair of schemas: each is sent and compiled once. */
function questionsOf(
  requests: readonly WitnessRequest[],
  answers: ReadonlyMap<number, WitnessAnswer>,
): readonly PairQuestion[] {
  const pairs: (Omit<PairQuestion, "asked"> & { asked: PairQuestion["asked"][number][]; changes: number })[] =
    [];
  const byAccepted = new Map<JsonValue, Map<JsonValue, (typeof pairs)[number]>>();
  for (const [id, { accepts, rejects, dialect, formats, at, value }] of requests.entries()) {
    const byRejected = byAccepted.get(accepts) ?? new Map<JsonValue, (typeof pairs)[number]>();
    byAccepted.set(accepts, byRejected);
    let pair = byRejected.get(rejects);
    if (pair === undefined) {
      pair = { accepts, rejects, dialect, formats, changes: 0, asked: [] };
      byRejected.set(rejects, pair);
      pairs.push(pair);
    }
    pair.changes += 1;
    if (!answers.has(id)) pair.asked.push({ id, at, ...(value !== undefined && { value }) });
  }
  return pairs.filter(({ asked }) => asked.length > 0);
}

function reviveError({ message, stack, code }: WorkerSays & { readonly kind: "error" }): Error {
  // The code tells a missing package from a bug.
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
