import { SIDED_RULES } from "../../src/drift/rules.js";
import type { SidedRule, ToolSide } from "../../src/drift/rules/named-rules.js";
import { listRules } from "../../src/report/print-rules.js";

/** The tables of `docs/drift.md`. The command `explain` also prints why. */
export function printRules(): string {
  const sided = Object.entries<SidedRule>(SIDED_RULES);
  const names = new Set(sided.flatMap(([name]) => [`input-${name}`, `output-${name}`]));
  const rows = listRules()
    .filter(({ rule }) => !names.has(rule))
    .map((rule) => {
      const kind = rule.security ? `${rule.class}, security` : rule.class;
      return `| \`${rule.rule}\` | ${kind} | ${rule.says} |`;
    });
  const pairs = new Map<string, string[]>();
  for (const [name, rule] of sided) {
    const classOf = (side: ToolSide): string =>
      rule.only === undefined || rule.only === side ? rule[side] : "–";
    const pair = `${classOf("input")} | ${classOf("output")}`;
    pairs.set(pair, [...(pairs.get(pair) ?? []), `\`${name}\``]);
  }
  return [
    "| in an input | in an output | rules, after `input-` or `output-` |",
    "| --- | --- | --- |",
    ...[...pairs].map(([pair, rules]) => `| ${pair} | ${rules.join(", ")} |`),
    "",
    "| other rules | class | what changed |",
    "| --- | --- | --- |",
    ...rows,
  ].join("\n");
}
