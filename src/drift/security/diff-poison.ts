import type { Change } from "../../contract/change.js";
import type { JsonObject } from "../../contract/json.js";
import type { ServerIdentity, ToolSnapshot } from "../../contract/snapshot.js";
import { makeChange } from "../make-change.js";
import { findPoison, type Poison, type PoisonOptions } from "./find-poison.js";

/**
 * What misleads in the definitions under a tool's name, which is one as a rule, and did not in an earlier one: of a text
 * that stays, nothing is said twice, nor of one that several of them have.
 */
export function diffToolPoison(
  before: ToolSnapshot | undefined,
  after: readonly ToolSnapshot[],
  options: Omit<PoisonOptions, "tool" | "earlier">,
): readonly Change[] {
  const found = after.flatMap((tool) => diffPoison(before, tool, { ...options, tool: tool.name }));
  if (after.length < 2) return found;
  return [...new Map(found.map((change) => [keyOfChange(change), change])).values()];
}

function keyOfChange({ rule, path, after }: Change): string {
  return JSON.stringify([rule, path, after]);
}

/** As {@link diffToolPoison}, for what a server says of itself; paths point into `identity`. */
export function diffIdentityPoison(
  before: ServerIdentity | undefined,
  after: ServerIdentity,
  options: Omit<PoisonOptions, "tool" | "earlier">,
): readonly Change[] {
  return diffPoison(before && wordsOf(before), wordsOf(after), options);
}

function wordsOf({ serverInfo, instructions }: ServerIdentity): JsonObject {
  return { serverInfo, ...(instructions !== undefined && { instructions }) };
}

function diffPoison(
  before: JsonObject | undefined,
  after: JsonObject,
  options: PoisonOptions,
): readonly Change[] {
  const { server, tool } = options;
  const place = { server, ...(tool !== undefined && { tool }) };
  const toChange = ({ rule, path, passage, marks }: Poison): Change => ({
    ...makeChange(rule, { ...place, path }, { after: passage }),
    marks,
  });
  if (before === undefined) return findPoison(after, "", options).map(toChange);
  const found = findPoison(after, "", { ...options, earlier: before });
  if (found.length === 0) return [];
  const keyOf = ({ rule, passage }: Poison): string => `${rule} ${passage}`;
  const known = new Set(findPoison(before, "", options).map(keyOf));
  // Of parameters, only those are found that are late.
  const isNew = (poison: Poison): boolean =>
    poison.rule === "poison-secret-parameter" || !known.has(keyOf(poison));
  return found.filter(isNew).map(toChange);
}
