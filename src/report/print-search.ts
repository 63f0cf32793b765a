import { count } from "./count.js";
import type { FoundTool, SearchDocument } from "./documents.js";
import type { Layout } from "./paint.js";
import { printable } from "../contract/printable.js";

/**
 * Prints the matches, best first: name, category and description, a line each. `list` is the command that lists all
 * tools.
 */
export function printSearch(
  { tools, total, list }: Pick<SearchDocument, "tools" | "total"> & { readonly list: string },
  { paint, width }: Layout,
): readonly string[] {
  if (tools.length === 0) {
    return [
      "No matching tool.",
      paint.dim("Try other or fewer words, or --category. To list all tools:"),
      paint.dim(`  ${printable(list, 1_000)}`),
    ];
  }
  const names = Math.min(40, Math.max(...tools.map(({ name }) => printable(name, 80).length)));
  const rest = total - tools.length;
  return [
    ...tools.map((tool) => printHit(tool, { names, width, paint })),
    ...(rest > 0 ? [paint.dim(`and ${count(rest, "other tool")}: raise --limit to see them`)] : []),
  ];
}

function printHit(
  { name, category, description, score }: FoundTool,
  { names, width, paint }: Layout & { readonly names: number },
): string {
  const head = printable(name, 80).padEnd(names);
  const about = `${score.toFixed(2)}  ${printable(category, 30)}`;
  const left = Math.max(20, width - head.length - about.length - 4);
  const text = description === "" ? "" : `  ${printable(description, left)}`;
  return `${paint.bold(head)}  ${paint.dim(about)}${text}`;
}
