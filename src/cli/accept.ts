import { McpCodegenError } from "../contract/errors.js";
import type { Change } from "../contract/change.js";
import { explain } from "../drift/explain.js";
import { ALL_RULES } from "../drift/rules.js";
import type { Accept, Acceptance } from "../pipeline.js";
import { printChanges } from "../report/print-changes.js";
import { ask, confirm } from "./prompts.js";
import type { Context } from "./context.js";

/** Why, when nobody said so. */
const NO_REASON = "Accepted by pull.";

/**
 * Accepts the findings of the rules that the command line names; on a terminal, asks about the others, rule by rule.
 *
 * @throws McpCodegenError `USAGE` for a rule that does not exist
 */
export function acceptBy(
  context: Context,
  {
    rules,
    reason,
    asks,
  }: { readonly rules: readonly string[]; readonly reason?: string; readonly asks: boolean },
): Accept {
  const unknown = rules.find((rule) => !ALL_RULES.has(rule));
  if (unknown !== undefined) {
    throw new McpCodegenError("USAGE", `--accept: there is no rule "${unknown}".`, {
      hint: "A report names the rule of a finding in brackets.",
    });
  }
  return async (findings) => {
    const named = findings.filter(({ rule }) => rules.includes(rule));
    const accepted = named.map((finding): Acceptance => ({ finding, reason: reason ?? NO_REASON }));
    if (!asks) return accepted;
    const groups = new Map<string, Change[]>();
    for (const finding of findings.filter((each) => !named.includes(each))) {
      const key = `${finding.server} ${finding.rule}`;
      groups.set(key, [...(groups.get(key) ?? []), finding]);
    }
    for (const group of groups.values()) accepted.push(...(await askAbout(context, group, reason)));
    return accepted;
  };
}

async function askAbout(
  context: Context,
  findings: readonly Change[],
  reason: string | undefined,
): Promise<readonly Acceptance[]> {
  const [first] = findings;
  if (first === undefined) return [];
  context.say([explain(first), ...printChanges(findings, context)]);
  const what = findings.length === 1 ? "this finding" : `these ${findings.length} findings`;
  if (!(await confirm(context, `Accept ${what} of ${first.rule} in "${first.server}"?`))) return [];
  const why = reason ?? (await ask(context, "Why?", NO_REASON));
  return findings.map((finding) => ({
    finding,
    reason: why === undefined || why.trim() === "" ? NO_REASON : why,
  }));
}

/** The options that accept these findings. */
export function acceptOptions(findings: readonly Change[]): readonly string[] {
  return [...new Set(findings.map(({ rule }) => `--accept ${rule}`))];
}
