import type { JsonValue } from "../../contract/json.js";
import { NO_EVIDENCE, type RenameEvidence } from "./rename-evidence.js";
import { findSites, type RenameSite } from "./rename-sites.js";
import { scoreProperties } from "./score-properties.js";

/** A property that goes on under another name. */
export interface PropertyRename {
  /** JSON Pointer of the schema that has it, in both documents. */
  readonly site: string;
  readonly before: string;
  readonly after: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** Below this, a removal and an addition are reported apart. */
const LEAST = 0.7;
/** The same where nothing else fits: other candidates are at least this much worse. */
const [CLEAR_LEAST, CLEAR_LEAD] = [0.65, 0.3];
/** How much better than the next the best candidate must be: between two that fit alike nothing is claimed. */
const LEAD = 0.15;
/**
 * The properties that are gone from an object and live on in it under a new name, wherever the two schemas have an
 * object at the same place. Matched on name, schema and description, and on what the other tools of the server rename.
 * What has references into `properties` is left alone: such a reference would lead nowhere under the new name.
 */
export function findPropertyRenames(
  before: JsonValue,
  after: JsonValue,
  evidence: RenameEvidence = NO_EVIDENCE,
): readonly PropertyRename[] {
  return findSites(before, after).flatMap((site) => renamesIn(site, evidence));
}

function renamesIn(
  { pointer: site, gone, come }: RenameSite,
  evidence: RenameEvidence,
): readonly PropertyRename[] {
  const pairs = gone.flatMap((was) =>
    come.map((is) => ({ was: was[0], is: is[0], score: scoreProperties(was, is, evidence(was[0], is[0])) })),
  );
  return pairs.flatMap(({ was, is, score: confidence }): readonly PropertyRename[] => {
    const rivals = pairs.filter((pair) => (pair.was === was) !== (pair.is === is));
    const lead = confidence - Math.max(0, ...rivals.map((rival) => rival.score));
    const isClear = lead >= LEAD && confidence >= (lead >= CLEAR_LEAD ? CLEAR_LEAST : LEAST);
    if (!isClear) return [];
    return [{ site, before: was, after: is, confidence: Math.round(confidence * 100) / 100 }];
  });
}
