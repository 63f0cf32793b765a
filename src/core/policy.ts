import { McpCodegenError } from "./errors.js";
import { getOwn } from "./json.js";
import { nameServers } from "./tool-name.js";
import { assertNamePatterns } from "./name-pattern.js";
import { readStatedEffect, type ToolAnnotations } from "./snapshot.js";
import {
  checkOptions,
  FLAG,
  LIST,
  listOf,
  OBJECT,
  recordOf,
  TEXT,
  TEXTS,
  type OptionRules,
} from "./check-options.js";

/** Selects the tools that match all given conditions. */
export interface ToolSelector {
  /** Categories, or patterns as in `names`; `uncategorized` matches tools without one. */
  readonly categories?: readonly string[] | undefined;
  /** Patterns with `*`, `?` and `{a,b}`. Those with `__` are compared with `server__tool`, others with the tool's own name. */
  readonly names?: readonly string[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
}

/** The visible tools: those that `allow` selects (default: all), except those that `deny` selects. */
export interface PolicyRules {
  readonly allow?: readonly ToolSelector[] | undefined;
  readonly deny?: readonly ToolSelector[] | undefined;
}

/** Which tools may be found and called: the same object as `policy` of the configuration. Checked where it is given. */
export interface Policy {
  /** A built-in focus mode or one of `focusModes`. Default: `full-admin`. */
  readonly focusMode?: string | undefined;
  readonly focusModes?: { readonly [name: string]: PolicyRules } | undefined;
  /** A built-in role or one of `roles`, or several, which restrict the focus mode further. Default: none. */
  readonly role?: string | readonly string[] | undefined;
  readonly roles?: { readonly [name: string]: PolicyRules } | undefined;
  /** Whether tools that are not read-only may be called, in general or by server. Default: false. */
  readonly writes?: boolean | { readonly [server: string]: boolean } | undefined;
  /** Annotations by patterns as in `names`, which override those of the tools. Later patterns take precedence. */
  readonly annotations?: { readonly [pattern: string]: ToolAnnotations } | undefined;
}

export const FOCUS_MODES: { readonly [name: string]: PolicyRules } = {
  "full-admin": {},
  "content-editing": { allow: [{ categories: ["content", "media", "taxonomy", "comments"] }] },
  "read-only": { allow: [{ effects: ["reads"] }] },
};

export const ROLES: { readonly [name: string]: PolicyRules } = {
  "content-editor": { deny: [{ effects: ["destroys"] }] },
};

/** A focus mode or role in effect. */
export interface PolicyLayer {
  readonly kind: "focus mode" | "role";
  readonly name: string;
  readonly rules: PolicyRules;
}

/** Allows every tool. */
export const EVERYTHING: Policy = { writes: true };

/**
 * Checks a policy that was passed to `caller`, and returns a copy.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for an unknown focus mode or role, and for a malformed pattern; `USAGE` for an
 * unknown key or value, and for a selector without a condition.
 */
export function readPolicy(caller: string, policy: Policy): Policy {
  const place = `${caller}: policy`;
  checkOptions(place, policy, POLICY);
  for (const kind of ["focusModes", "roles"] as const)
    for (const [name, rules] of Object.entries(policy[kind] ?? {}))
      checkRules(`${place}.${kind}.${name}`, rules);
  assertNamePatterns(`${place}.annotations`, Object.keys(policy.annotations ?? {}));
  for (const [pattern, hints] of Object.entries(policy.annotations ?? {}))
    checkOptions(`${place}.annotations[${JSON.stringify(pattern)}]`, hints, ANNOTATIONS);
  layersOf(policy);
  const { writes } = policy;
  if (typeof writes !== "object") return { ...policy };
  // Of two keys for one server, `false` wins.
  const entries = Object.entries(writes).sort(([, a], [, b]) => Number(b) - Number(a));
  return { ...policy, writes: nameServers(Object.fromEntries(entries)) };
}

/**
 * Returns the policy with an additional role. A role can only restrict a policy.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for an unknown role.
 */
export function addRole(policy: Policy, role: string): Policy {
  const restricted = { ...policy, role: [...rolesOf(policy), role] };
  layersOf(restricted);
  return restricted;
}

function rolesOf({ role = [] }: Policy): readonly string[] {
  return typeof role === "string" ? [role] : role;
}

/** Returns the focus mode and the roles in effect. A tool must be allowed by each of them. */
export function layersOf(policy: Policy): readonly PolicyLayer[] {
  const { focusMode = "full-admin", focusModes, roles } = policy;
  return [
    findLayer("focus mode", focusMode, FOCUS_MODES, focusModes),
    ...rolesOf(policy).map((role) => findLayer("role", role, ROLES, roles)),
  ];
}

function findLayer(
  kind: PolicyLayer["kind"],
  name: string,
  builtIn: { readonly [name: string]: PolicyRules },
  ofUser: { readonly [name: string]: PolicyRules } = {},
): PolicyLayer {
  const rules = getOwn(ofUser, name) ?? getOwn(builtIn, name);
  if (rules !== undefined) return { kind, name, rules };
  const names = Object.keys({ ...builtIn, ...ofUser }).map((key) => JSON.stringify(key));
  throw new McpCodegenError("CONFIG_INVALID", `There is no ${kind} ${JSON.stringify(name)}.`, {
    hint: `Known: ${names.join(", ")}.`,
  });
}

/** The possible effect of a call: it only reads data, changes data, or may destroy data. */
export type Effect = "reads" | "writes" | "destroys";

/** By the specification's defaults ("ToolAnnotations"), a tool without hints may destroy data. */
export function effectOfHints(annotations?: ToolAnnotations): Effect {
  const stated = readStatedEffect(annotations);
  return stated === "unstated" ? "destroys" : stated;
}

const POLICY: OptionRules<Policy> = {
  focusMode: TEXT,
  focusModes: OBJECT,
  role: [TEXT, TEXTS],
  roles: OBJECT,
  writes: [FLAG, recordOf(FLAG, "an object of true and false by server")],
  annotations: OBJECT,
};
const RULES: OptionRules<PolicyRules> = { allow: LIST, deny: LIST };
const EFFECTS: readonly Effect[] = ["reads", "writes", "destroys"];
const SELECTOR: OptionRules<ToolSelector> = {
  categories: TEXTS,
  names: TEXTS,
  effects: listOf(
    { words: "", is: (value) => EFFECTS.some((effect) => effect === value) },
    'an array of "reads", "writes", "destroys"',
  ),
};
export const ANNOTATIONS: OptionRules<ToolAnnotations> = {
  readOnlyHint: FLAG,
  destructiveHint: FLAG,
  idempotentHint: FLAG,
  openWorldHint: FLAG,
};

/** Refuses misspelt keys, which would forbid nothing, and selectors without a condition, which would select every tool. */
function checkRules(place: string, rules: PolicyRules): void {
  checkOptions(place, rules, RULES);
  for (const key of ["allow", "deny"] as const)
    for (const [index, selector] of (rules[key] ?? []).entries()) {
      const where = `${place}.${key}[${index}]`;
      checkOptions(where, selector, SELECTOR);
      assertNamePatterns(`${where}.names`, selector.names ?? []);
      assertNamePatterns(`${where}.categories`, selector.categories ?? []);
      if (Object.values(selector).some((condition) => condition !== undefined)) continue;
      const message = `${where}: the selector has no condition, so it selects every tool.`;
      const hint = 'Set names, categories or effects. To select every tool, write { names: ["*"] }.';
      throw new McpCodegenError("USAGE", message, { hint });
    }
}
