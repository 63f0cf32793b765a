import { decide, type PolicyReason } from "../policy/decide.js";
import type { Policy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ToolSearchOptions } from "../search/create-tool-search.js";
import { createToolFinder, type ToolFinder } from "./find-tools.js";
import { nearestNames } from "./nearest-names.js";
import { createToolNames, type ToolNames } from "./tool-names.js";

/** What a name stands for under a policy. */
export type Resolution =
  | { readonly kind: "tool"; readonly tool: RegisteredTool }
  /** A tool that a focus mode or a role hides. */
  | { readonly kind: "hidden"; readonly reason: PolicyReason }
  | { readonly kind: "several"; readonly names: readonly string[] }
  | { readonly kind: "none"; readonly nearest: readonly string[] };

/** The tools of one moment as a policy shows them. */
export interface ToolCatalog extends ToolFinder, Pick<ToolNames, "nameOf"> {
  /** Resolves a name as a model wrote it. Hidden tools neither block other tools nor appear in an answer. */
  resolve(name: string): Promise<Resolution>;
}

/** Tools by name, by words and by category, under a policy. */
export function createToolCatalog(
  tools: readonly RegisteredTool[],
  options: ToolSearchOptions & { readonly policy: Policy },
): ToolCatalog {
  const finder = createToolFinder(tools, options);
  const names = createToolNames(tools);
  return {
    ...finder,
    nameOf: (tool) => names.nameOf(tool),
    resolve: async (name) => {
      const meant = names.find(name).map((tool) => judge(tool, options.policy));
      const shown = meant.filter((one) => one.kind === "tool");
      const [only] = shown;
      if (shown.length > 1) return { kind: "several", names: shown.map(({ tool }) => names.nameOf(tool)) };
      return only ?? meant[0] ?? { kind: "none", nearest: await nearestNames(name, finder, names) };
    },
  };
}

/** Whether a policy shows a tool, as the answer to its name. */
export function judge(
  tool: RegisteredTool,
  policy: Policy,
): Extract<Resolution, { readonly kind: "tool" | "hidden" }> {
  const { isVisible, reasons } = decide(tool, policy);
  const [reason] = reasons;
  return isVisible || reason === undefined ? { kind: "tool", tool } : { kind: "hidden", reason };
}
