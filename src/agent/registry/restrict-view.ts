import { decide, findUnmatched, type PolicyDecision } from "../../core/decide.js";
import { addRole, EVERYTHING, type Policy, readPolicy } from "../../core/policy.js";
import type { Result } from "../../core/call.js";
import type { RegisteredTool } from "../../core/tool.js";
import { createWarner } from "../../runtime/events.js";
import type { ToolView } from "./registry.js";
import { failTool, failUnknown, findCallable } from "./tool-names.js";

/**
 * Returns the tools of a view that a policy shows, or those that a role allows. Calls of hidden tools fail with
 * `TOOL_NOT_ALLOWED`, and calls of tools that may only be seen with `WRITES_DISABLED`.
 *
 * @throws McpCodegenError as {@link readPolicy} does
 */
export function restrictView(view: ToolView, rule: Policy | string): ToolView {
  return viewUnder(view, typeof rule === "string" ? addRole(EVERYTHING, rule) : readPolicy("restrict", rule));
}

/** Warns about names in a policy that no tool has. The tools of a server that could not be listed are not known. */
export function warnOfUnmatched(
  tools: readonly RegisteredTool[],
  { servers, isPartial }: Pick<ToolView, "servers" | "isPartial">,
  { policy, warn }: { readonly policy: Policy; readonly warn: (message: string) => void },
): void {
  if (isPartial === true || servers.some(({ error }) => error !== undefined)) return;
  const names = servers.map(({ name }) => name);
  for (const { message } of findUnmatched(tools, policy, names)) warn(message);
}

/** Returns the tools of a view under a policy that was checked. */
export function viewUnder(
  view: ToolView,
  policy: Policy,
  warn: (message: string) => void = createWarner(),
): ToolView {
  const show = (tool: RegisteredTool): readonly RegisteredTool[] => {
    const { isVisible, reasons } = decide(tool, policy);
    const [reason] = reasons;
    if (!isVisible) return [];
    if (reason === undefined) return [tool];
    const call = (): Promise<Result<never>> => Promise.resolve(failTool(tool, reason.code, reason.message));
    // No person is asked about a call that is then refused.
    return [{ ...tool, findTarget: () => Promise.resolve(undefined), call }];
  };
  let judged: readonly RegisteredTool[] | undefined;
  const restricted: ToolView = {
    environment: view.environment,
    environments: view.environments,
    approvals: view.approvals,
    for: (environment) => viewUnder(view.for(environment), policy, warn),
    get tools() {
      return view.tools.flatMap(show);
    },
    get servers() {
      return view.servers;
    },
    getTools: async (filter) => {
      const tools = await view.getTools(filter);
      if (filter === undefined && tools !== judged) warnOfUnmatched(tools, view, { policy, warn });
      judged = tools;
      return tools.flatMap(show);
    },
    getTool: async (name) => [await view.getTool(name)].flatMap((tool) => tool ?? []).flatMap(show)[0],
    call: async (name, input, options) => {
      const tool = await findCallable(view, name);
      if (tool === undefined) return failUnknown(name, restricted.tools, view.servers);
      // The policy is applied to the same object that is called, since the name may soon belong to another tool.
      const [reason] = decide(tool, policy).reasons;
      return reason === undefined ? tool.call(input, options) : failTool(tool, reason.code, reason.message);
    },
    decide: (name) => {
      const mine = decideByName(view.tools, name, policy);
      const others = view.decide(name);
      return {
        isAllowed: mine.isAllowed && others.isAllowed,
        isVisible: mine.isVisible && others.isVisible,
        reasons: [...others.reasons, ...mine.reasons],
      };
    },
    restrict: (rule) =>
      typeof rule === "string"
        ? viewUnder(view, addRole(policy, rule), warn)
        : restrictView(restricted, rule),
  };
  return restricted;
}

/** Decides about one of the last known tools. Another name may not be called, without a reason. */
export function decideByName(
  tools: readonly RegisteredTool[],
  name: string,
  policy: Policy = EVERYTHING,
): PolicyDecision {
  const tool = tools.find((each) => each.name === name);
  return tool === undefined ? { isAllowed: false, isVisible: false, reasons: [] } : decide(tool, policy);
}
