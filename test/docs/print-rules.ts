import { listRules } from "../../src/report/print-rules.js";

/** The table of `docs/drift.md`. The command `explain` also prints why. */
export function printRules(): string {
  const rows = listRules().map((rule) => {
    const kind = rule.security ? `${rule.class}, security` : rule.class;
    return `| \`${rule.rule}\` | ${kind} | ${rule.says} |`;
  });
  return ["| rule | class | what changed |", "| --- | --- | --- |", ...rows].join("\n");
}
