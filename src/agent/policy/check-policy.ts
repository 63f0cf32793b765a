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
import { McpCodegenError } from "../../contract/errors.js";
import { isJsonObject } from "../../contract/json.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";
import type { Effect, PolicyOptions, PolicyRules, ToolSelector } from "./policy.js";

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
