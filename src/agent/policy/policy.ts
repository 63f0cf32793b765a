import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject } from "../../contract/json.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";
import { readStatedEffect } from "../../contract/tool-effect.js";
import {
  checkOptions,
  FLAG,
  LIST,
  OBJECT,
  recordOf,
  TEXT,
  TEXTS,
  type OptionKind,
  type OptionRules,
} from "../../contract/check-options.js";

/** Selects the tools that match all given conditions. */
export interface ToolSelector {
  /** The tool's category is one of these; `uncategorized` for a tool that has none. */
  readonly categories?: readonly string[];
  /** Patterns with `*`, `?` and `{a,b}`. One that holds `__` is compared with `server__tool`, any other with the tool's own name. */
  readonly names?: readonly string[];
  readonly effects?: readonly Effect[];
}

/** The visible tools: those that `allow` selects (default: all), without those that `deny` selects. */
export interface PolicyRules {
  readonly allow?: readonly ToolSelector[];
  readonly deny?: readonly ToolSelector[];
}

export interface PolicyOptions {
  /** A built-in or given focus mode. Default: `full-admin`. */
  readonly focusMode?: string;
  readonly focusModes?: { readonly [name: string]: PolicyRules };
  /** A built-in or given role, which restricts the focus mode further. Default: none. */
  readonly role?: string;
  readonly roles?: { readonly [name: string]: PolicyRules };
  /** Whether tools that are not read-only may be called: all, or those of some servers. Default: false. */
  readonly writes?: boolean | { readonly [server: string]: boolean };
  /** Asserts effects of tools by patterns as in `names`, which override annotations. Later patterns take precedence. */
  readonly annotations?: { readonly [pattern: string]: ToolAnnotations };
}

export const FOCUS_MODES: { readonly [name: string]: PolicyRules } = {
  "full-admin": {},
  "content-editing": { allow: [{ categories: ["content", "media", "taxonomy", "comments"] }] },
  "read-only": { allow: [{ effects: ["reads"] }] },
};

export const ROLES: { readonly [name: string]: PolicyRules } = {
  "content-editor": { deny: [{ effects: ["destroys"] }] },
};

/** A focus mode or a role that applies. */
export interface PolicyLayer {
  readonly kind: "focus mode" | "role";
  readonly name: string;
  readonly rules: PolicyRules;
}

/** A policy, created by `createPolicy`. */
export interface Policy {
  /** Every layer has to allow a tool. */
  readonly layers: readonly PolicyLayer[];
  readonly writes: boolean | { readonly [server: string]: boolean };
  readonly annotations: readonly (readonly [pattern: string, annotations: ToolAnnotations])[];
  readonly roles: { readonly [name: string]: PolicyRules };
}

/**
 * Creates a policy from settings.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a focus mode or a role that is not there; `USAGE` for an unknown key or value,
 * and for a selector without a condition.
 */
export function createPolicy(options: PolicyOptions = {}): Policy {
  checkPolicyOptions(options);
  const { focusMode = "full-admin", role, writes = false, annotations = {} } = options;
  const modes = { ...FOCUS_MODES, ...options.focusModes };
  const roles = { ...ROLES, ...options.roles };
  const layers = [findLayer("focus mode", focusMode, modes)];
  if (role !== undefined) layers.push(findLayer("role", role, roles));
  return { layers, writes, annotations: Object.entries(annotations), roles };
}

/**
 * Returns the policy with one more role. A role can only restrict a policy.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a role that is not there.
 */
export function narrowPolicy(policy: Policy, role: string): Policy {
  return { ...policy, layers: [...policy.layers, findLayer("role", role, policy.roles)] };
}

function findLayer(
  kind: PolicyLayer["kind"],
  name: string,
  known: { readonly [name: string]: PolicyRules },
): PolicyLayer {
  const rules = getOwn(known, name);
  if (rules !== undefined) return { kind, name, rules };
  const names = Object.keys(known).map((key) => JSON.stringify(key));
  throw new McpCodegenError("CONFIG_INVALID", `There is no ${kind} ${JSON.stringify(name)}.`, {
    hint: `Known: ${names.join(", ")}.`,
  });
}

/** What a call of a tool may do: change nothing, change something, or destroy something. */
export type Effect = "reads" | "writes" | "destroys";

/** By the defaults of the specification ("ToolAnnotations"), a tool that states no effect destroys. */
export function effectOfHints(annotations?: ToolAnnotations): Effect {
  const stated = readStatedEffect(annotations);
  return stated === "unstated" ? "destroys" : stated;
}

const POLICY: OptionRules<PolicyOptions> = {
  focusMode: TEXT,
  focusModes: OBJECT,
  role: TEXT,
  roles: OBJECT,
  writes: [FLAG, recordOf(FLAG, "an object of true and false by server")],
  annotations: OBJECT,
};
const RULES: OptionRules<PolicyRules> = { allow: LIST, deny: LIST };
const EFFECTS: readonly Effect[] = ["reads", "writes", "destroys"];
const SELECTOR: OptionRules<ToolSelector> = {
  categories: TEXTS,
  names: TEXTS,
  effects: {
    words: 'an array of "reads", "writes", "destroys"',
    is: (value) => Array.isArray(value) && value.every((each) => EFFECTS.some((effect) => effect === each)),
  },
};
const ANNOTATIONS: OptionRules<ToolAnnotations> = {
  readOnlyHint: FLAG,
  destructiveHint: FLAG,
  idempotentHint: FLAG,
  openWorldHint: FLAG,
};

/** An option that takes what `createPolicy` returns: rules as they are written would forbid nothing. */
export const CREATED_POLICY: OptionKind = {
  words: "what createPolicy returns",
  is: (value) => isJsonObject(value) && Array.isArray(value["layers"]) && Array.isArray(value["annotations"]),
};

/**
 * Refuses settings of a policy that would be read as something else: a misspelt key forbids nothing, and a selector without
 * a condition selects every tool.
 *
 * @throws McpCodegenError `USAGE`
 */
export function checkPolicyOptions(options: PolicyOptions): void {
  checkOptions("createPolicy", options, POLICY);
  for (const [kind, given = {}] of [
    ["focusModes", options.focusModes],
    ["roles", options.roles],
  ] as const)
    for (const [name, rules] of Object.entries(given)) checkRules(`createPolicy: ${kind}.${name}`, rules);
  for (const [pattern, hints] of Object.entries(options.annotations ?? {}))
    checkOptions(`createPolicy: annotations[${JSON.stringify(pattern)}]`, hints, ANNOTATIONS);
}

function checkRules(place: string, rules: PolicyRules): void {
  checkOptions(place, rules, RULES);
  for (const key of ["allow", "deny"] as const)
    for (const [index, selector] of (rules[key] ?? []).entries())
      checkSelector(`${place}.${key}[${index}]`, selector);
}

function checkSelector(place: string, selector: ToolSelector): void {
  checkOptions(place, selector, SELECTOR);
  if (Object.values(selector).some((condition) => condition !== undefined)) return;
  throw new McpCodegenError("USAGE", `${place}: the selector has no condition, so it selects every tool.`, {
    hint: 'Set names, categories or effects. To select every tool, write { names: ["*"] }.',
  });
}
