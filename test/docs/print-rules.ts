import { ALL_RULES } from "../../src/drift/rules.js";

/** The table of `docs/drift.md`. */
export function printRules(): string {
  const rows = [...ALL_RULES].map(([name, rule]) => {
    const kind = rule.security === true ? `${rule.class}, security` : rule.class;
    return `| \`${name}\` | ${kind} | ${rule.says}: ${rule.why} |`;
  });
  return ["| rule | class | what and why |", "| --- | --- | --- |", ...rows].join("\n");
}
