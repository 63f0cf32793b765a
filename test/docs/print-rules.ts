import { listRules } from "../../src/report/print-rules.js";

/** The table of `docs/drift.md`. */
export function printRules(): string {
  const rows = listRules().map((rule) => {
    const kind = rule.security ? `${rule.class}, security` : rule.class;
    return `| \`${rule.rule}\` | ${kind} | ${rule.says}: ${rule.why} |`;
  });
  return ["| rule | class | what and why |", "| --- | --- | --- |", ...rows].join("\n");
}
