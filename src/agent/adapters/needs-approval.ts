import { effectOfHints } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";

/**
 * Which tools a person has to agree to: `destructive` ones (what is not annotated is destructive, as the specification
 * has it), all that do not only read (`writes`), `none`, or those that a function picks.
 */
export type ApprovalRule = "destructive" | "writes" | "none" | ((tool: RegisteredTool) => boolean);

export interface ApprovalOptions {
  /** The tools that need approval; default: `destructive`. */
  readonly approval?: ApprovalRule;
  /**
   * Asked before such a tool is called, once its input is known to be valid. Without it such a call is refused with
   * `TOOL_NOT_ALLOWED`, unless the AI SDK has asked for the approval.
   */
  readonly approve?: (request: ApprovalRequest) => boolean | Promise<boolean>;
}

/** A call that needs approval. */
export interface ApprovalRequest {
  readonly tool: RegisteredTool;
  readonly input: unknown;
  /** The model's id of the call. */
  readonly toolCallId: string;
}

/** Whether a tool's calls wait for a person. The annotations of an unlocked tool are not reviewed, so it counts as destructive. */
export function needsApproval(tool: RegisteredTool, rule: ApprovalRule = "destructive"): boolean {
  if (typeof rule === "function") return rule(tool);
  switch (rule) {
    case "none":
      return false;
    case "writes":
      return !tool.isLocked || effectOfHints(tool.annotations) !== "reads";
    case "destructive":
      return !tool.isLocked || effectOfHints(tool.annotations) === "destroys";
    default:
      return rule satisfies never;
  }
}
