import type { Effect } from "../../runtime/effect.js";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn } from "../../contract/json.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";

/** Some tools: those that fit everything that is given. */
export interface ToolSelector {
  /** The tool's category is one of these; `uncategorized` for a tool that has none. */
  readonly categories?: readonly string[];
  /** Patterns with `*`, `?` and `{a,b}`. One that holds `__` is compared with `server__tool`, any other with the tool's own name. */
  readonly names?: readonly string[];
  readonly effects?: readonly Effect[];
}

/** Which tools there are for somebody: those that `allow` selects (default: all), less those that `deny` selects. */
export interface PolicyRules {
  readonly allow?: readonly ToolSelector[];
  readonly deny?: readonly ToolSelector[];
}

export interface PolicyOptions {
  /** One of the focus modes below, or of those given. Default: `full-admin`. */
  readonly focusMode?: string;
  readonly focusModes?: { readonly [name: string]: PolicyRules };
  /** One of the roles below, or of those given. It narrows what the focus mode leaves. Default: none. */
  readonly role?: string;
  readonly roles?: { readonly [name: string]: PolicyRules };
  /** Whether tools that do not only read may be called: all of them, or those of these servers. Default: false. */
  readonly writes?: boolean | { readonly [server: string]: boolean };
  /** Says of tools, by patterns as in `names`, what their servers do not. Later ones win. */
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

/** What is allowed, as `createPolicy` makes it. */
export interface Policy {
  /** A tool has to pass all of them. */
  readonly layers: readonly PolicyLayer[];
  readonly writes: boolean | { readonly [server: string]: boolean };
  readonly annotations: readonly (readonly [pattern: string, annotations: ToolAnnotations])[];
  readonly roles: { readonly [name: string]: PolicyRules };
}

/**
 * A policy from settings.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a focus mode or a role that is not there.
 */
export function createPolicy(options: PolicyOptions = {}): Policy {
  const { focusMode = "full-admin", role, writes = false, annotations = {} } = options;
  const modes = { ...FOCUS_MODES, ...options.focusModes };
  const roles = { ...ROLES, ...options.roles };
  const layers = [findLayer("focus mode", focusMode, modes)];
  if (role !== undefined) layers.push(findLayer("role", role, roles));
  return { layers, writes, annotations: Object.entries(annotations), roles };
}

/**
 * The policy with one more role. What it forbids stays forbidden, so a role taken at run time can only narrow.
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
