import { getOwn } from "../../contract/json.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";
import { EFFECT_WORDS, readStatedEffect, type StatedEffect } from "../../contract/tool-effect.js";
import { type RegisteredTool, categoryOf } from "../registry/registered-tool.js";
import { ownNameOf, serverNameOf } from "../registry/tool-names.js";
import type { Effect, Policy, PolicyLayer, PolicyRules, ToolSelector } from "./policy.js";

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
  /** Why the tool counts as one that destroys despite its annotations: it is not locked. */
  readonly because?: "not-locked";
  /** What the tool does by its annotations; absent where these do not count. */
  readonly effect?: StatedEffect;
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
  const effect = worstOf(known);
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
  return worstOf(knownEffectOf(tool, policy));
}

/** As {@link effectOf}, but a tool without any hint keeps that it states none. */
export function statedEffectOf(tool: PolicyTool, policy: Pick<Policy, "annotations">): StatedEffect {
  return knownEffectOf(tool, policy) ?? "unstated";
}

function worstOf(known: StatedEffect | undefined): Effect {
  return known === undefined || known === "unstated" ? "destroys" : known;
}

/** Undefined for an unlocked tool without an assertion. */
function knownEffectOf(
  tool: PolicyTool,
  { annotations }: Pick<Policy, "annotations">,
): StatedEffect | undefined {
  const said = annotations.filter(([pattern]) => fitsName(tool, pattern)).map(([, value]) => value);
  if (!tool.isLocked && (said.length === 0 || tool.isProduction === true)) return undefined;
  const own = tool.isLocked ? tool.annotations : undefined;
  return readStatedEffect(said.reduce((sum, value): ToolAnnotations => ({ ...sum, ...value }), own ?? {}));
}

function judgeLayer(
  tool: PolicyTool,
  known: StatedEffect | undefined,
  layer: PolicyLayer,
): readonly PolicyReason[] {
  const effect = worstOf(known);
  const { allow, deny = [] } = layer.rules;
  const isSelected = (selector: ToolSelector): boolean => fits(tool, effect, selector);
  const denied = deny.find(isSelected);
  if (denied === undefined && (allow === undefined || allow.some(isSelected))) return [];
  const by = `${layer.kind} ${JSON.stringify(layer.name)}`;
  const what = `${wordsOf(known)}, category ${JSON.stringify(categoryOf(tool))}`;
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

/** Words for the effect of a tool whose annotations do not count. */
export const NOT_LOCKED = "not locked, so it counts as one that destroys";

function wordsOf(known: StatedEffect | undefined): string {
  return known === undefined ? NOT_LOCKED : EFFECT_WORDS[known];
}

function becauseOf(known: StatedEffect | undefined): Pick<PolicyReason, "because" | "effect"> {
  return known === undefined ? { because: "not-locked" } : { effect: known };
}

function refuseWrite({ name }: PolicyTool, known: StatedEffect | undefined): PolicyReason {
  const message = `Tool ${JSON.stringify(name)} (${wordsOf(known)}) may not be called: writes are switched off. This is a setting of this program ("writes" in its policy), not of the server.`;
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

/** The innermost alternatives of a pattern. */
const CHOICE = /\{([^{}]*,[^{}]*)\}/;

/**
 * Whether a name fits a pattern, in which `*` stands for any characters, `?` for one, and `{a,b}` for either; everything
 * else stands for itself. Takes at most the product of both lengths in steps for each choice: patterns are not made into
 * regular expressions.
 */
export function matchesName(name: string, pattern: string): boolean {
  const choice = pattern.includes("{") ? CHOICE.exec(pattern) : null;
  if (choice === null) return fitsGlob(name, pattern);
  const [group, choices = ""] = choice;
  const before = pattern.slice(0, choice.index);
  const after = pattern.slice(choice.index + group.length);
  return choices.split(",").some((one) => matchesName(name, `${before}${one}${after}`));
}

function fitsGlob(name: string, pattern: string): boolean {
  let at = 0;
  let from = 0;
  /** Behind the last `*`, and how far the name was when it stood for nothing. */
  let star: { readonly from: number; readonly at: number } | undefined;
  while (at < name.length) {
    if (pattern[from] === "*") {
      from += 1;
      star = { from, at };
    } else if (pattern[from] === "?" || pattern[from] === name[at]) {
      from += 1;
      at += 1;
    } else if (star !== undefined) {
      star = { from: star.from, at: star.at + 1 };
      ({ from, at } = star);
    } else {
      return false;
    }
  }
  while (pattern[from] === "*") from += 1;
  return from === pattern.length;
}
