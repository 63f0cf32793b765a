import { getOwn } from "../../contract/json.js";
import {
  effectOfHints,
  type Effect,
  type Policy,
  type PolicyLayer,
  type PolicyRules,
  type ToolSelector,
} from "./policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { categoryOf } from "../registry/registry-change.js";
import { ownNameOf, serverNameOf } from "../registry/tool-names.js";
import { matchesName } from "./matches-name.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";

/** The decision of a policy about a tool, with every reason against it. */
export interface PolicyDecision {
  /** Whether the tool may be called. */
  readonly isAllowed: boolean;
  /** Whether it may be found and described: what only `writes` forbids is shown, so that one can say how to get it. */
  readonly isVisible: boolean;
  /** A call fails with the first reason. */
  readonly reasons: readonly PolicyReason[];
}

export interface PolicyReason {
  readonly code: "TOOL_NOT_ALLOWED" | "WRITES_DISABLED";
  /** What forbids it, such as `focus mode "read-only"`; `writes`. */
  readonly by: string;
  readonly message: string;
  /** What of the mode or the role says so: what it denies, or what it allows. Names of other tools are left out. */
  readonly rule?: PolicyRules;
  /** Why the tool counts as destructive despite its annotations: it is not locked. */
  readonly because?: "not-locked";
}

/** The properties of a tool that a policy considers. */
export type PolicyTool = Pick<
  RegisteredTool,
  "name" | "server" | "category" | "annotations" | "isLocked" | "isProduction"
>;

/**
 * Whether a policy allows a tool. The one place that decides: who shows, finds or calls tools under a policy asks here.
 */
export function decide(tool: PolicyTool, policy: Policy): PolicyDecision {
  const known = knownEffectOf(tool, policy);
  const effect = known ?? "destroys";
  const hidden = policy.layers.flatMap((layer) => judgeLayer(tool, known, layer));
  const unwritten = mayWrite(tool, effect, policy) ? [] : [refuseWrite(tool, known)];
  const reasons = [...hidden, ...unwritten];
  return { isAllowed: reasons.length === 0, isVisible: hidden.length === 0, reasons };
}

/**
 * What a tool may do, by its hints and what the policy asserts of it. The hints of an unlocked tool are not reviewed and do not
 * count: it may destroy, unless the policy asserts something else. In production that does not count either, since a
 * server may give any tool the name that a pattern expects.
 */
export function effectOf(tool: PolicyTool, policy: Pick<Policy, "annotations">): Effect {
  return knownEffectOf(tool, policy) ?? "destroys";
}

/** Undefined for an unlocked tool without an assertion. */
function knownEffectOf(tool: PolicyTool, { annotations }: Pick<Policy, "annotations">): Effect | undefined {
  const said = annotations.filter(([pattern]) => fitsName(tool, pattern)).map(([, value]) => value);
  if (!tool.isLocked && (said.length === 0 || tool.isProduction === true)) return undefined;
  const own = tool.isLocked ? tool.annotations : undefined;
  return effectOfHints(said.reduce((sum, value): ToolAnnotations => ({ ...sum, ...value }), own ?? {}));
}

function judgeLayer(
  tool: PolicyTool,
  known: Effect | undefined,
  layer: PolicyLayer,
): readonly PolicyReason[] {
  const effect = known ?? "destroys";
  const { allow, deny = [] } = layer.rules;
  const isSelected = (selector: ToolSelector): boolean => fits(tool, effect, selector);
  const denied = deny.find(isSelected);
  if (denied === undefined && (allow === undefined || allow.some(isSelected))) return [];
  const by = `${layer.kind} ${JSON.stringify(layer.name)}`;
  const what = `${known ?? NOT_LOCKED}, category ${JSON.stringify(categoryOf(tool))}`;
  const message = `Tool ${JSON.stringify(tool.name)} (${what}) is not allowed by ${by}.`;
  const rule =
    denied === undefined
      ? { allow: (allow ?? []).filter(({ names }) => names === undefined) }
      : { deny: [withNamesOf(tool, denied)] };
  return [{ code: "TOOL_NOT_ALLOWED", by, message, rule, ...becauseOf(known) }];
}

function withNamesOf(tool: PolicyTool, { names, ...selector }: ToolSelector): ToolSelector {
  return names === undefined
    ? selector
    : { ...selector, names: names.filter((pattern) => fitsName(tool, pattern)) };
}

function mayWrite(tool: PolicyTool, effect: Effect, { writes }: Policy): boolean {
  if (effect === "reads") return true;
  return typeof writes === "boolean" ? writes : getOwn(writes, serverNameOf(tool)) === true;
}

const NOT_LOCKED = "not locked, so it counts as destructive";

function becauseOf(known: Effect | undefined): Pick<PolicyReason, "because"> {
  return known === undefined ? { because: "not-locked" } : {};
}

function refuseWrite({ name }: PolicyTool, known: Effect | undefined): PolicyReason {
  const why = known === undefined ? `is ${NOT_LOCKED}` : "is not read-only";
  const message = `Tool ${JSON.stringify(name)} ${why}, and writes are switched off. This is a setting of this program ("writes" in its policy), not of the server.`;
  return { code: "WRITES_DISABLED", by: "writes", message, ...becauseOf(known) };
}

function fits(tool: PolicyTool, effect: Effect, { categories, names, effects }: ToolSelector): boolean {
  return (
    categories?.includes(categoryOf(tool)) !== false &&
    names?.some((pattern) => fitsName(tool, pattern)) !== false &&
    effects?.includes(effect) !== false
  );
}

/** A tool that another server calls `a__b` is not tool `b` of server `a`. */
export function fitsName(tool: Pick<PolicyTool, "name" | "server">, pattern: string): boolean {
  const own = ownNameOf(tool);
  const isWhole = tool.server !== undefined && pattern.includes("__");
  return matchesName(isWhole ? `${tool.server}__${own}` : own, pattern);
}
