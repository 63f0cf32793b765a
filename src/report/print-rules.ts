import { describeChanges } from "./describe-change.js";
import type { ExplainedRule, ListedRule } from "./list-rules.js";
import type { Layout, Paint } from "./paint.js";
import { printable } from "../contract/printable.js";

const COLOUR_OF = {
  breaking: "red",
  dangerous: "yellow",
  unknown: "yellow",
  safe: "green",
  unverified: "yellow",
} as const satisfies Record<ListedRule["class"], keyof Paint>;

/** A description of each impact. */
const IMPACTS = {
  wire: "calls that are rejected, or results that no longer match",
  types: "TypeScript that stops compiling",
  behaviour: "the same call does something else",
  model: "models choose tools or fill in arguments differently",
  trust: "something that was approved has changed",
} as const satisfies Record<ListedRule["impacts"][number], string>;

/** Prints a line for each rule: its name, its class, what happened. */
export function printRules(rules: readonly ListedRule[], { paint }: Layout): readonly string[] {
  const width = Math.max(...rules.map(({ rule }) => rule.length));
  return [
    ...rules.map((rule) => `${rule.rule.padEnd(width)}  ${printClass(rule, paint)}  ${rule.says}`),
    `${rules.length} rules. "npx mcp-codegen explain <rule>" shows why a rule has its class.`,
  ];
}

/** Prints a rule, and what to do about its findings. */
export function printRule(rule: ExplainedRule, { paint }: Layout): readonly string[] {
  return [
    `${paint.bold(rule.rule)}  ${printClass(rule, paint)}`,
    "",
    `${rule.says}: ${rule.why}.`,
    "",
    ...printImpacts(rule),
    ...printExample(rule),
    ...printOtherSide(rule, paint),
    ...(rule.mirror === undefined || rule.mirror === rule.rule
      ? []
      : [`The reverse change is ${paint.bold(rule.mirror)}.`, ""]),
    ...printRemedies(rule, paint),
  ];
}

function printClass(rule: ListedRule, paint: Paint): string {
  const text = rule.security ? `${rule.class}, security` : rule.class;
  return paint[COLOUR_OF[rule.class]](text.padEnd("dangerous, security".length));
}

function printImpacts({ impacts, class: kind }: ListedRule): readonly string[] {
  if (kind === "unverified")
    return ["Nothing was verified: exit code 3, unless there are other findings.", ""];
  if (impacts.length === 0) return ["Impacts: none. It is reported and never fails.", ""];
  return ["Impacts:", ...impacts.map((impact) => `  ${impact.padEnd(9)}  ${IMPACTS[impact]}`), ""];
}

/** Longer values are cut. */
const WIDTH = 400;

const EXAMPLES_OF = {
  tools: "For example, between these lists of tools:",
  ability: "For example, between these definitions of a WordPress ability:",
  property: "For example, for a property `value`:",
} as const satisfies Record<NonNullable<ExplainedRule["example"]>["of"], string>;

function printExample({ example }: ExplainedRule): readonly string[] {
  if (example === undefined) return [];
  const { of, before, after, change } = example;
  const { notes } = describeChanges([change], { value: WIDTH, line: 2 * WIDTH });
  return [
    EXAMPLES_OF[of],
    `  before  ${printable(JSON.stringify(before), WIDTH)}`,
    `  after   ${printable(JSON.stringify(after), WIDTH)}`,
    `  is ${change.class}${notes.map(({ quote, text }) => `: ${quote === undefined ? text : `${quote} ${text}`}`).join("")}`,
    "",
  ];
}

function printOtherSide({ otherSide }: ExplainedRule, paint: Paint): readonly string[] {
  if (otherSide === undefined) return [];
  const { rule, class: kind, why } = otherSide;
  return [
    `The same change in the ${rule.startsWith("input") ? "input" : "output"}, ${paint.bold(rule)}, is ${kind}: ${why}.`,
    "",
  ];
}

function printRemedies(rule: ListedRule, paint: Paint): readonly string[] {
  if (rule.class === "unverified")
    return ["There is nothing to accept. The report has a hint for each server."];
  const milder = rule.class === "safe" ? "dangerous" : "safe";
  return [
    ...(rule.security
      ? [
          `To accept one finding: ${paint.bold('npx mcp-codegen pull <server> --accept <finding> --reason "…"')}`,
          "<finding> is the ID of twelve digits that a report prints after the rule. The command works in scripts and in CI.",
          "A security finding fails at every --fail-on except never, whatever its class.",
        ]
      : [`To accept the change: ${paint.bold("npx mcp-codegen pull <server>")}`]),
    ...(rule.class === "unknown"
      ? ["A change that could not be proved safe is at least dangerous; no configuration makes it safe."]
      : [`To change its class: check: { rules: { ${JSON.stringify(rule.rule)}: "${milder}" } }`]),
  ];
}
