import { FUNCTION, type OptionRules } from "../../core/check-options.js";
import { messageOf } from "../../core/errors.js";
import { endSentence } from "../../core/printable.js";
import { mergeDefined } from "../../core/json.js";
import { hasReviewedHints } from "../../core/decide.js";
import { effectOfHints } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import { ownNameOf } from "../../core/tool-name.js";

/**
 * The tools whose calls need approval: `destructive` ones, which by the specification include tools without annotations; all
 * that do not only read (`writes`); `none`; or those for which a function returns true.
 */
export type ApprovalRule = "destructive" | "writes" | "none" | ((tool: RegisteredTool) => boolean);

/** A call that needs approval. */
export interface ApprovalRequest {
  /** The server's name of the tool that would run: of the one behind `execute` of a toolset. */
  readonly name: string;
  /** The server of that tool, since another may have a tool of the same name; absent for a static tool. */
  readonly server?: string | undefined;
  readonly tool: RegisteredTool;
  readonly input: unknown;
  /** The model's id of the call, where an adapter asks. */
  readonly toolCallId?: string | undefined;
  /** The line of the script that makes the call. */
  readonly line?: number | undefined;
}

/** Asks a person whether to make a call. Only `true` approves. */
export type Approve = (request: ApprovalRequest) => boolean | Promise<boolean>;

/** The calls that need approval, and who gives it. */
export interface ApprovalOptions {
  /** The tools that need approval. Default: that of the registry, or else `destructive`. */
  readonly approval?: ApprovalRule | undefined;
  /** Asked before each call that needs approval and has valid input. Default: that of the registry. */
  readonly approve?: Approve | undefined;
}

export const APPROVAL_OPTIONS: OptionRules<ApprovalOptions> = {
  approval: ["destructive", "writes", "none", FUNCTION],
  approve: FUNCTION,
};

/** Returns the approvals of a view, as far as options do not replace them. */
export function approvalsOf(
  { approvals = {} }: { readonly approvals?: ApprovalOptions | undefined },
  { approval, approve }: ApprovalOptions,
): ApprovalOptions {
  return mergeDefined(approvals, { approval, approve });
}

/** Asks a person about a call. Returns why it is not approved; undefined if it is. */
export async function askPerson(
  approve: Approve,
  { tool, ...call }: Omit<ApprovalRequest, "name" | "server">,
): Promise<string | undefined> {
  try {
    // A program without types may return anything: only `true` approves.
    const said: unknown = await approve({ name: ownNameOf(tool), server: tool.server, tool, ...call });
    return said === true ? undefined : "The user declined the call.";
  } catch (error) {
    return endSentence(`The user could not be asked: ${messageOf(error)}`);
  }
}

/** Whether a tool's calls need approval. The annotations of an unlocked tool are not reviewed, so it counts as destructive. */
export function needsApproval(tool: RegisteredTool, rule: ApprovalRule = "destructive"): boolean {
  if (tool.asksItself === true) return false;
  // A program without types may return anything: only `false` means that no approval is needed.
  if (typeof rule === "function") return (rule(tool) as unknown) !== false;
  if (rule === "none" || !hasReviewedHints(tool)) return rule !== "none";
  const effect = effectOfHints(tool.annotations);
  return rule === "writes" ? effect !== "reads" : effect === "destroys";
}
