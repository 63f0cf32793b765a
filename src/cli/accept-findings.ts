import { type Change, findingId, isFindingId } from "../contract/change.js";
import { McpCodegenError } from "../contract/errors.js";
import { ALL_RULES } from "../drift/rules.js";
import type { Accept, Acceptance } from "../pipeline/pull/settle-plan.js";
import { count } from "../report/layout.js";
import { groupFindings, printFinding } from "../report/print-finding.js";
import { ask, confirm } from "./prompts.js";
import type { Context } from "./context.js";

export interface AcceptOptions {
  /** Names of rules, and ids of findings. */
  readonly names: readonly string[];
  readonly reason?: string;
  /** Whether to ask the user about all other findings. */
  readonly asks: boolean;
}

/**
 * Returns a function that accepts the findings that `names` lists, by id or by rule, and asks about the others if
 * `asks` is set.
 *
 * @throws McpCodegenError `USAGE` for a rule that does not exist, and for names without a reason
 */
export function createAccept(context: Context, { names, reason, asks }: AcceptOptions): Accept {
  const unknown = names.find((name) => !ALL_RULES.has(name) && !isFindingId(name));
  if (unknown !== undefined) {
    throw new McpCodegenError("USAGE", `--accept: unknown rule or finding "${unknown}".`, {
      hint: "Reports print the rule and the id of each finding in brackets.",
    });
  }
  if (reason !== undefined && !hasWords(reason)) throw noReason("--reason contains no words.");
  if (names.length > 0 && reason === undefined && !asks) throw noReason("--accept requires --reason.");
  return async (findings) => {
    const isNamed = (finding: Change): boolean =>
      names.includes(finding.rule) || names.includes(findingId(finding));
    const accepted = await acceptAll(context, findings.filter(isNamed), reason);
    if (!asks) return accepted;
    const taken = [...accepted];
    for (const group of groupFindings(findings.filter((each) => !isNamed(each))))
      taken.push(...(await askAbout(context, group, reason)));
    return taken;
  };
}

function noReason(message: string): McpCodegenError {
  return new McpCodegenError("USAGE", message, {
    hint: "Explain why these findings are harmless; the reason is saved in mcp-codegen.waivers.json.",
  });
}

/** Whether a reason contains letters. The `…` of a printed command does not. */
export function hasWords(text: string): boolean {
  return /\p{L}/u.test(text);
}

async function askAbout(
  context: Context,
  findings: readonly Change[],
  reason: string | undefined,
): Promise<readonly Acceptance[]> {
  const [first] = findings;
  if (first === undefined) return [];
  context.print(["", ...printFinding(findings, context)]);
  const what = findings.length === 1 ? "this finding" : `these ${count(findings.length, "finding")}`;
  const isAccepted = await confirm(context, `Accept ${what} (${first.rule})?`, { initial: false });
  return isAccepted ? acceptAll(context, findings, reason) : [];
}

/** Accepts findings for `reason`, or for the reason that the user enters; accepts none if the user cancels. */
async function acceptAll(
  context: Context,
  findings: readonly Change[],
  reason: string | undefined,
): Promise<readonly Acceptance[]> {
  if (findings.length === 0) return [];
  const why =
    reason ??
    (await ask(context, "Why is this harmless? The reason is saved in mcp-codegen.waivers.json.", {
      validate: (text) => (hasWords(text) ? undefined : "Write a reason, or press Ctrl+C to accept nothing."),
    }));
  return why === undefined ? [] : findings.map((finding) => ({ finding, reason: why.trim() }));
}
