import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Change } from "../../src/core/change.js";
import type { Step } from "./read-histories.js";

/** A rename of a tool or property, labelled by a person or claimed by the engine. */
export interface Rename {
  readonly history: string;
  readonly commit: string;
  readonly kind: "tool" | "property";
  /** The new name of the tool that has the property. */
  readonly tool?: string;
  readonly before: string;
  readonly after: string;
  /** Present if people may disagree: such a claim counts neither as right nor as wrong. */
  readonly arguable?: true;
}

export interface Score {
  readonly right: number;
  readonly claimed: number;
  readonly known: number;
}

/** The renames in the histories, labelled by hand. */
export function readTruth(): readonly Rename[] {
  const file = fileURLToPath(new URL("renames.jsonl", import.meta.url));
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Rename);
}

/** The renames that the engine claims in a step. */
export function claimsOf({ history, commit }: Step, changes: readonly Change[]): readonly Rename[] {
  return changes.flatMap(({ rule, tool = "", before, after }): readonly Rename[] => {
    if (!rule.endsWith("-renamed") || typeof before !== "string" || typeof after !== "string") return [];
    const names = { history, commit, before, after };
    return [rule === "tool-renamed" ? { ...names, kind: "tool" } : { ...names, kind: "property", tool }];
  });
}

/** Compares claims with the truth. A property that is renamed in input and output counts once. */
export function scoreClaims(claims: readonly Rename[], truth: readonly Rename[], details: string[]): Score {
  const claimed = new Map(claims.map((each) => [keyOf(each), each]));
  const judged = new Map(truth.map((each) => [keyOf(each), each]));
  const score = { right: 0, claimed: 0, known: 0 };
  for (const [key, { arguable }] of judged) {
    if (arguable === true) continue;
    score.known++;
    if (!claimed.has(key)) details.push(`rename missed ${key}`);
  }
  for (const [key] of claimed) {
    const known = judged.get(key);
    if (known?.arguable === true) continue;
    score.claimed++;
    if (known === undefined) details.push(`rename wrong ${key}`);
    else score.right++;
  }
  return score;
}

function keyOf({ history, commit, kind, tool = "", before, after }: Rename): string {
  return `${history} ${commit.slice(0, 10)} ${kind} ${tool}: ${before} > ${after}`;
}
