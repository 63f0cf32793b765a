/** A problem with a site, and what is printed about it. */
export interface ShownProblem {
  readonly cause: string;
  readonly message: string;
  readonly hint: string;
}

/** The rows of a table of `docs/wordpress.md`. The terminal prints the message too. */
export function printProblems(problems: readonly ShownProblem[]): string {
  const causes = new Map<string, string[]>();
  for (const { cause, hint } of problems) causes.set(hint, [...(causes.get(hint) ?? []), cause]);
  const rows = [...causes].map(([hint, all]) => `| ${all.join("; ")} | ${escapeCell(hint)} |`);
  return ["| what is wrong | how to fix it |", "| --- | --- |", ...rows].join("\n");
}

/** All that is printed about problems. */
export function printMessages(problems: readonly ShownProblem[]): string {
  return problems
    .map(({ cause, message, hint }) => `${cause}\n  error: ${message}\n  hint: ${hint}\n`)
    .join("\n");
}

function escapeCell(text: string): string {
  return text.replace(/[\\|<>*_[\]]/g, "\\$&");
}
