import type { JsonValue } from "../../contract/json.js";
import type { WitnessRequest } from "../finding.js";
import type { ChangedPart } from "./undo-change.js";

/** What is asked about one pair of schemas. */
export interface PairQuestion extends Pick<WitnessRequest, "accepts" | "rejects" | "dialect" | "formats"> {
  readonly asked: readonly (ChangedPart & {
    /** The index of the request. */
    readonly id: number;
  })[];
}

/** The requests by pair of schemas, so that each pair is read and compiled once. */
export function pairQuestions(requests: readonly WitnessRequest[]): readonly PairQuestion[] {
  const pairs: (Omit<PairQuestion, "asked"> & { asked: PairQuestion["asked"][number][] })[] = [];
  const byAccepted = new Map<JsonValue, Map<JsonValue, (typeof pairs)[number]>>();
  for (const [id, { accepts, rejects, dialect, formats, ...part }] of requests.entries()) {
    const byRejected = byAccepted.get(accepts) ?? new Map<JsonValue, (typeof pairs)[number]>();
    byAccepted.set(accepts, byRejected);
    let pair = byRejected.get(rejects);
    if (pair === undefined) {
      pair = { accepts, rejects, dialect, formats, asked: [] };
      byRejected.set(rejects, pair);
      pairs.push(pair);
    }
    pair.asked.push({ ...part, id });
  }
  return pairs;
}
