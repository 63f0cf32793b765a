import type { ChangeClass } from "../../src/core/change.js";
import type { SidedRule } from "../../src/drift/rules/rule.js";
import { SCHEMA_RULES } from "../../src/drift/rules/schema-rules.js";
import { listRules } from "../../src/report/print-rules.js";

/** The tables of `docs/drift.md`. The command `explain` also prints why. */
export function printRules(): string {
  const sided = Object.entries<SidedRule>(SCHEMA_RULES);
  const names = new Set(sided.flatMap(([name]) => [`input-${name}`, `output-${name}`]));
  const rows = listRules()
    .filter(({ rule }) => !names.has(rule))
    .map((rule) => {
      const kind = rule.security ? `${rule.class}, security` : rule.class;
      return `| \`${rule.rule}\` | ${kind} | ${rule.says} |`;
    });
  return [
    "| `input-…`, `output-…` | input | output | what changed |",
    "| --- | --- | --- | --- |",
    ...sided.map(([name, rule]) => {
      const classOf = (side: "input" | "output"): ChangeClass | "–" =>
        rule.only === undefined || rule.only === side ? rule[side] : "–";
      // Without " of the input", where a sentence says that.
      const says = rule.says.replace(/ (?:from|in|of|to) the \{side\}/, "").replace("{side}", "schema");
      return `| \`${name}\` | ${classOf("input")} | ${classOf("output")} | ${says} |`;
    }),
    "",
    "| other rules | class | what changed |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}
