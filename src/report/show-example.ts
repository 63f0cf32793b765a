import { getOwn, type JsonValue } from "../contract/json.js";
import { isToolSnapshot } from "../contract/snapshot.js";
import { diffDeprecations } from "../drift/diff-metadata.js";
import { diffTools, type DiffToolsOptions } from "../drift/diff-tools.js";
import { indexToolNames } from "../drift/security/tool-name-index.js";
import { ABILITY_EXAMPLES, SIDED_EXAMPLES, TOOL_EXAMPLES } from "../drift/rules/examples.js";
import { SIDES } from "../drift/rules/rule.js";
import type { ExplainedRule } from "./print-rules.js";

/** Returns an example of a rule and the reverse rule; empty for rules about servers and texts. */
export function showExample(rule: string): Pick<ExplainedRule, "example" | "mirror"> {
  const whole = getOwn(TOOL_EXAMPLES, rule);
  if (whole !== undefined) {
    const { before, after, mirror, others = [] } = whole;
    const toolNames = indexToolNames(others);
    return {
      ...mirrorOf(mirror, ""),
      ...exampleOf(rule, "tools", before, after, (tools) => tools, { server: "server", toolNames }),
    };
  }
  const ofAbility = getOwn(ABILITY_EXAMPLES, rule);
  if (ofAbility !== undefined) {
    const { before, after, mirror } = ofAbility;
    const [old, now] = [before, after].map((definition) => ({ tool: { definition } }));
    const change = diffDeprecations("", old ?? {}, now ?? {}).find((found) => found.rule === rule);
    return { mirror, ...(change !== undefined && { example: { of: "ability", before, after, change } }) };
  }
  const side = SIDES.find((one) => rule.startsWith(`${one}-`));
  const sided = getOwn<(typeof SIDED_EXAMPLES)[keyof typeof SIDED_EXAMPLES]>(
    SIDED_EXAMPLES,
    rule.slice(`${side ?? ""}-`.length),
  );
  if (side === undefined || sided === undefined) return {};
  const { before, after, mirror } = sided;
  const wrap = (value: JsonValue): readonly JsonValue[] => [
    { name: "tool", [`${side}Schema`]: { type: "object", properties: { value } } },
  ];
  return { ...mirrorOf(mirror, `${side}-`), ...exampleOf(rule, "property", before, after, wrap) };
}

function mirrorOf(
  mirror: string | { readonly waived: string },
  prefix: string,
): { readonly mirror?: string } {
  return typeof mirror === "string" ? { mirror: prefix + mirror } : {};
}

function exampleOf<Value extends JsonValue>(
  rule: string,
  of: "tools" | "property",
  before: Value,
  after: Value,
  toTools: (value: Value) => readonly JsonValue[],
  options?: DiffToolsOptions,
): Pick<ExplainedRule, "example"> {
  const [old, now] = [before, after].map((value) => toTools(value).filter(isToolSnapshot));
  const change = diffTools(old ?? [], now ?? [], options).find((found) => found.rule === rule);
  return change === undefined ? {} : { example: { of, before, after, change } };
}
