import { oneLine } from "../../contract/one-line.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { categoryOf } from "../registry/registry-change.js";
import { serverNameOf } from "../registry/tool-names.js";
import type { SearchHit } from "../search/create-search-index.js";
import type { ToolNames } from "./tool-names.js";

/** A tool as a search describes it to a model. */
export interface DescribedHit {
  /** What to call it by. */
  readonly name: string;
  /** One line. */
  readonly description: string;
  readonly category: string;
  readonly server: string;
  readonly score: number;
}

/** Categories may be a server's words, of any length. */
const LONGEST_CATEGORY = 80;

export function describeHit(
  { tool, score }: SearchHit<RegisteredTool>,
  names: Pick<ToolNames, "nameOf">,
): DescribedHit & { readonly [key: string]: string | number } {
  return {
    name: names.nameOf(tool),
    description: summarize(tool.description ?? tool.title ?? ""),
    category: oneLine(categoryOf(tool), LONGEST_CATEGORY),
    server: serverNameOf(tool),
    score: Math.round(score * 1_000) / 1_000,
  };
}

const LONGEST = 120;

/** The first sentence of a description on one line, cut where it is long. */
export function summarize(description: string): string {
  const line = oneLine(description, LONGEST);
  // "e.g. a" does not end a sentence.
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs|no))\.(?= [\p{Lu}\p{N}"'([])/u.exec(line);
  return end === null || end.index < 10 ? line : line.slice(0, end.index + 1);
}
