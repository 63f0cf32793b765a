import type { Change } from "../../contract/change.js";
import type { JsonObject } from "../../contract/json.js";
import type { ServerIdentity, ToolSnapshot } from "../../contract/snapshot.js";
import { makeChange } from "../make-change.js";
import { findPoison, type Poison, type PoisonOptions } from "./find-poison.js";

/**
 * Finds misleading texts in the definitions under a tool's name, normally one, that an earlier definition did not have.
 * A finding in several of the definitions is reported once.
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

/** As {@link diffToolPoison}, for a server's metadata; paths point into `identity`. */
export function diffIdentityPoison(
  before: ServerIdentity | undefined,
  after: ServerIdentity,
  options: Omit<PoisonOptions, "tool" | "earlier">,
): readonly Change[] {
  return diffPoison(before && textsOfIdentity(before), textsOfIdentity(after), options);
}

function textsOfIdentity({ serverInfo, instructions }: ServerIdentity): JsonObject {
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
  // Only late parameters are found here, so they are always new.
  const isNew = (poison: Poison): boolean =>
    poison.rule === "poison-secret-parameter" || !known.has(keyOf(poison));
  return found.filter(isNew).map(toChange);
}
