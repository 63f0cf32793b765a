import type { ReportingDescriptor } from "sarif";
import type { ChangeClass } from "../contract/change.js";
import { findRule } from "../drift/rules.js";
import type { Rule } from "../drift/rules/rule.js";

/** The findings that are not changes, by their SARIF rule ID. */
export const OWN_RULES = {
  "generated-file-stale": "A generated file differs from what the lock generates.",
  "generated-file-edited": "A generated file was edited by hand; the edits would be lost.",
  "over-token-budget": "A server's tools cost more tokens than the configuration allows.",
  "recorded-input-invalid": "The locked input schema refuses the arguments of a recorded call.",
  "recorded-output-invalid": "The locked output schema refuses a recorded answer.",
  "recorded-tool-missing": "The lock does not have the tool of recorded calls.",
  "recorded-entry-missing": "The lock does not have the prompt or resource of recorded requests.",
  "mention-unknown": "A file that agents read names a tool that the lock does not have.",
  "cassette-invalid": "A file of recorded calls cannot be read.",
  "not-verified": "A server could not be verified.",
} as const;

export type Level = "error" | "warning" | "note";

export const LEVEL_OF: Readonly<Record<ChangeClass, Level>> = {
  breaking: "error",
  dangerous: "warning",
  unknown: "warning",
  safe: "note",
};

/** Returns the descriptor of a drift rule, or of one of {@link OWN_RULES}. */
export function describeSarifRule(id: string): ReportingDescriptor {
  const own = Object.entries(OWN_RULES).find(([name]) => name === id)?.[1];
  const rule = findRule(id);
  if (rule === undefined) return { id, shortDescription: { text: own ?? `A change of the kind "${id}".` } };
  return {
    id,
    shortDescription: { text: `${rule.says}.` },
    fullDescription: { text: `${rule.says}: ${rule.why}.` },
    help: { text: `${rule.says}: ${rule.why}. "npx mcp-codegen explain ${id}" shows an example.` },
    defaultConfiguration: { level: LEVEL_OF[rule.class] },
    properties: propertiesOf(rule),
  };
}

/** GitHub sorts security alerts by `security-severity`, a string with a number from 0 to 10. */
function propertiesOf(rule: Rule): NonNullable<ReportingDescriptor["properties"]> {
  const severity = rule.class === "breaking" ? "8.0" : "6.0";
  return {
    tags: [...rule.impacts, ...(rule.security === true ? ["security"] : [])],
    ...(rule.security === true && { "security-severity": severity }),
  };
}
