import { STATIC_TOOLS } from "./connection.js";
import { getOwn } from "./json.js";
import { compileNamePattern } from "./name-pattern.js";
import {
  type Effect,
  FOCUS_MODES,
  layersOf,
  type Policy,
  type PolicyLayer,
  type PolicyRules,
  ROLES,
  type ToolSelector,
} from "./policy.js";
import { EFFECT_WORDS, readStatedEffect, type StatedEffect, type ToolAnnotations } from "./snapshot.js";
import type { RegisteredTool } from "./tool.js";
import {
  categoryNameOf,
  ownNameOf,
  serverNameOf,
  type ToolAddress,
  toWholeName,
  wholeNameOf,
} from "./tool-name.js";

/** The decision of a policy about a tool, with every reason for a refusal. */
export interface PolicyDecision {
  /** Whether the tool may be called. */
  readonly isAllowed: boolean;
  /** Whether the tool may be found and described. Tools that only `writes` forbids are visible, so that a refusal can explain it. */
  readonly isVisible: boolean;
  /** A call fails with the first reason. */
  readonly reasons: readonly PolicyReason[];
}

export interface PolicyReason {
  readonly code: "TOOL_NOT_ALLOWED" | "WRITES_DISABLED";
  /** The setting that forbids the call, such as `focus mode "read-only"` or `writes`. */
  readonly by: string;
  readonly message: string;
  /** The selector of the mode or role that denies the tool, or those that would allow it, without names of other tools. */
  readonly rule?: PolicyRules;
  /** Why the tool counts as destructive regardless of its annotations: it is not locked. */
  readonly because?: "not-locked";
  /** The effect that the annotations state; absent if they do not count. */
  readonly effect?: StatedEffect;
}

/** The properties of a tool that a policy considers. */
export type PolicyTool = Pick<
  RegisteredTool,
  "name" | "server" | "category" | "annotations" | "isLocked" | "hasTrustedHints" | "isProduction"
>;

/**
 * Whether the annotations of a tool count: a person has reviewed them in the lock, or the program trusts the server. Any other
 * tool counts as one that destroys.
 */
export function hasReviewedHints({
  isLocked,
  hasTrustedHints,
}: Pick<PolicyTool, "isLocked" | "hasTrustedHints">): boolean {
  return isLocked || hasTrustedHints === true;
}

/** Decides whether a policy allows a tool. All code that shows, finds or calls tools under a policy uses this function. */
export function decide(tool: PolicyTool, policy: Policy): PolicyDecision {
  const stated = knownEffectOf(tool, policy);
  const effect = worstOf(stated);
  const hidden = layersOf(policy).flatMap((layer) => judgeLayer(tool, stated, layer));
  const unwritten = mayWrite(tool, effect, policy) ? [] : [refuseWrite(tool, stated)];
  const reasons = [...hidden, ...unwritten];
  return { isAllowed: reasons.length === 0, isVisible: hidden.length === 0, reasons };
}

/**
 * Returns the effect of a tool, from its hints and the annotations of the policy. The hints of an unlocked tool are not
 * reviewed, so they do not count unless the program trusts its server. In production, the annotations of the policy do not count for it either, since a server may
 * give any tool the name that a pattern expects.
 */
export function effectOf(tool: PolicyTool, policy: Policy): Effect {
  return worstOf(knownEffectOf(tool, policy));
}

/** As {@link effectOf}, but `unstated` for a tool without hints. */
export function statedEffectOf(tool: PolicyTool, policy: Policy): StatedEffect {
  return knownEffectOf(tool, policy) ?? "unstated";
}

function worstOf(effect: StatedEffect | undefined): Effect {
  return effect === undefined || effect === "unstated" ? "destroys" : effect;
}

/** Undefined for an unlocked tool without annotations of the policy that count. */
function knownEffectOf(tool: PolicyTool, policy: Policy): StatedEffect | undefined {
  const annotations = annotationsUnder(tool, policy);
  return annotations && readStatedEffect(annotations);
}

/** Returns the annotations of a tool that count under a policy; undefined where none do. */
function annotationsUnder(tool: PolicyTool, { annotations = {} }: Policy): ToolAnnotations | undefined {
  const said = Object.entries(annotations)
    .filter(([pattern]) => fitsName(tool, pattern))
    .map(([, value]) => value);
  const isReviewed = hasReviewedHints(tool);
  if (!isReviewed && (said.length === 0 || tool.isProduction === true)) return undefined;
  const hints = isReviewed ? tool.annotations : undefined;
  return said.reduce((sum, value): ToolAnnotations => ({ ...sum, ...value }), hints ?? {});
}

/** Returns a tool with the annotations that count under a policy. */
export function toolUnder(tool: RegisteredTool, policy: Policy): RegisteredTool {
  const annotations = annotationsUnder(tool, policy);
  return annotations === undefined ? tool : { ...tool, annotations, hasTrustedHints: true };
}

function judgeLayer(
  tool: PolicyTool,
  stated: StatedEffect | undefined,
  layer: PolicyLayer,
): readonly PolicyReason[] {
  const effect = worstOf(stated);
  const { allow, deny = [] } = layer.rules;
  const isSelected = (selector: ToolSelector): boolean => fits(tool, effect, selector);
  const denied = deny.find(isSelected);
  if (denied === undefined && (allow === undefined || allow.some(isSelected))) return [];
  const by = `${layer.kind} ${JSON.stringify(layer.name)}`;
  const what = `${wordsOf(stated)}, category ${JSON.stringify(categoryNameOf(tool))}`;
  const message = `Tool ${JSON.stringify(tool.name)} (${what}) is not allowed by ${by}.`;
  const rule =
    denied === undefined
      ? { allow: (allow ?? []).filter(({ names }) => names === undefined) }
      : { deny: [withNamesOf(tool, denied)] };
  return [{ code: "TOOL_NOT_ALLOWED", by, message, rule, ...becauseOf(stated) }];
}

function withNamesOf(tool: PolicyTool, { names, ...selector }: ToolSelector): ToolSelector {
  if (names === undefined) return selector;
  return { ...selector, names: names.filter((pattern) => fitsName(tool, pattern)) };
}

function mayWrite(tool: PolicyTool, effect: Effect, { writes = false }: Policy): boolean {
  if (effect === "reads") return true;
  return typeof writes === "boolean" ? writes : getOwn(writes, serverNameOf(tool)) === true;
}

/** Words for the effect of a tool whose annotations do not count. */
export const NOT_LOCKED = "not locked, so it counts as destructive";

function wordsOf(effect: StatedEffect | undefined): string {
  return effect === undefined ? NOT_LOCKED : EFFECT_WORDS[effect];
}

function becauseOf(effect: StatedEffect | undefined): Pick<PolicyReason, "because" | "effect"> {
  return effect === undefined ? { because: "not-locked" } : { effect: effect };
}

function refuseWrite({ name }: PolicyTool, effect: StatedEffect | undefined): PolicyReason {
  const message = `Tool ${JSON.stringify(name)} (${wordsOf(effect)}) may not be called: writes are switched off. This is a setting of this program ("writes" in its policy), not of the server.`;
  return { code: "WRITES_DISABLED", by: "writes", message, ...becauseOf(effect) };
}

function fits(tool: PolicyTool, effect: Effect, { categories, names, effects }: ToolSelector): boolean {
  return (
    categories?.some((pattern) => fitsCategory(tool, pattern)) !== false &&
    names?.some((pattern) => fitsName(tool, pattern)) !== false &&
    effects?.includes(effect) !== false
  );
}

function fitsCategory(tool: Pick<PolicyTool, "category">, pattern: string): boolean {
  return compileNamePattern(pattern)(categoryNameOf(tool));
}

/** A tool named `a__b` on another server does not match as tool `b` of server `a`. */
export function fitsName(tool: ToolAddress, pattern: string): boolean {
  const isWhole = tool.server !== undefined && pattern.includes("__");
  return isWhole
    ? compileNamePattern(toWholeName(pattern))(wholeNameOf(tool))
    : compileNamePattern(pattern)(ownNameOf(tool));
}

/** A name or a category in a policy that no known tool has. */
interface UnmatchedPattern {
  readonly pattern: string;
  readonly message: string;
}

/**
 * Returns the names and categories of a policy that match none of these tools, and the names in `writes` that no server has: a
 * misspelt name denies or annotates nothing. The built-in focus modes and roles are for any servers.
 */
export function findUnmatched(
  tools: readonly Pick<PolicyTool, "name" | "server" | "category">[],
  policy: Policy,
  servers: readonly string[] = [],
): readonly UnmatchedPattern[] {
  const ofUser = layersOf(policy).filter(({ rules }) => !BUILT_IN.has(rules));
  const { writes = {} } = policy;
  const serverNames = new Set([
    ...servers,
    ...tools.map(({ server = STATIC_TOOLS }) => server),
    STATIC_TOOLS,
  ]);
  const unknown =
    typeof writes === "boolean" ? [] : Object.keys(writes).filter((name) => !serverNames.has(name));
  const inWrites = unknown.map((pattern) => {
    return { pattern, message: `No server is called ${JSON.stringify(pattern)}, which "writes" names.` };
  });
  const inRules = ofUser.flatMap(({ kind, name, rules }) =>
    (["allow", "deny"] as const).flatMap((list) => {
      const says = `which ${kind} ${JSON.stringify(name)} ${list === "allow" ? "allows" : "denies"}.`;
      const explain = (what: string) => (pattern: string) => {
        return { pattern, message: `No ${what} matches ${JSON.stringify(pattern)}, ${says}` };
      };
      return (rules[list] ?? []).flatMap(({ names = [], categories = [] }) => [
        ...names.filter((pattern) => !tools.some((tool) => fitsName(tool, pattern))).map(explain("tool")),
        ...categories
          .filter((pattern) => !tools.some((tool) => fitsCategory(tool, pattern)))
          .map(explain("category of a tool")),
      ]);
    }),
  );
  const inAnnotations = Object.keys(policy.annotations ?? {})
    .filter((pattern) => !tools.some((tool) => fitsName(tool, pattern)))
    .map((pattern) => {
      return { pattern, message: `No tool matches ${JSON.stringify(pattern)}, which "annotations" names.` };
    });
  return [...inWrites, ...inRules, ...inAnnotations];
}

const BUILT_IN: ReadonlySet<PolicyRules> = new Set([...Object.values(FOCUS_MODES), ...Object.values(ROLES)]);
