import type { Change, ChangeClass, Impact } from "../core/change.js";
import { HOST_EFFECT_WORDS, HOSTS, type HostRuleFacts } from "../core/hosts/host.js";
import { findHostRule } from "../core/hosts/host-rules.js";
import { getOwn, isNamedObject, type JsonValue } from "../core/json.js";
import { printable } from "../core/printable.js";
import { diffDeprecations } from "../drift/diff-metadata.js";
import { diffTools, type DiffToolsOptions } from "../drift/diff-tools.js";
import { SIDED_EXAMPLES, ABILITY_EXAMPLES, TOOL_EXAMPLES } from "../drift/rules/examples.js";
import { ALL_RULES } from "../drift/rules.js";
import { indexToolNames } from "../drift/security/texts.js";
import { FILE_RULES, type Rule, SIDES, UNVERIFIED_RULES } from "../drift/rules/named-rules.js";
import { describeChanges } from "./describe-change.js";
import { joinNote } from "./describe-findings.js";
import { nameClass } from "./fold-changes.js";
import { COLOUR_OF_CLASS, type Layout, type Paint, present } from "./layout.js";

/** A rule of drift as listed in the table. */
export interface ListedRule {
  readonly rule: string;
  /**
   * `unverified`: not a change; the tool could not be verified (exit code 3). `file`: the problem is in a file. `host`: a host
   * refuses or changes tools.
   */
  readonly class: ChangeClass | "unverified" | "file" | "host";
  readonly security: boolean;
  readonly impacts: readonly Impact[];
  /** What happened, without a full stop. */
  readonly says: string;
  /** The reason for its class. */
  readonly why: string;
}

/** A rule with related rules and an example. */
export interface ExplainedRule extends ListedRule, ShownExample {
  /** The rule for the same change in the other schema (input or output), which often has another class. */
  readonly otherSide?: ListedRule | undefined;
  /** What is known about the rule of a host. */
  readonly host?: HostRuleFacts | undefined;
}

interface ShownExample {
  /** The rule for the reverse change. */
  readonly mirror?: string | undefined;
  /** Two values, and the change that the rule finds between them. */
  readonly example?: RuleExample | undefined;
}

/** Two values, the change that the rule finds between them, and its class as `check` gives it. */
interface RuleExample {
  /** The kind of the values: definitions of tools, of a WordPress ability, or the schema of a property named `value`. */
  readonly of: "tools" | "ability" | "property";
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly change: Change;
}

/** Every rule, in the order of the table. */
export function listRules(): readonly ListedRule[] {
  return [
    ...Array.from(ALL_RULES).map(([name, rule]) => listRule(name, rule)),
    ...Object.entries(UNVERIFIED_RULES).map(([name, rule]) => listOther(name, "unverified", rule)),
    ...Object.entries(FILE_RULES).map(([name, rule]) => listOther(name, "file", rule)),
  ];
}

/** Returns a rule with its related rules; undefined for an unknown name. */
export function explainRule(name: string): ExplainedRule | undefined {
  const listed = listRules().find((row) => row.rule === name);
  if (listed === undefined) return explainHostRule(name);
  const side = SIDES.find((candidate) => name.startsWith(`${candidate}-`));
  const other = side && name.replace(side, side === "input" ? "output" : "input");
  const rule = other && ALL_RULES.get(other);
  return rule ? { ...listed, otherSide: listRule(other, rule) } : listed;
}

function explainHostRule(name: string): ExplainedRule | undefined {
  const hostRule = findHostRule(name);
  const listed = listHostRule(name);
  if (hostRule === undefined || listed === undefined) return undefined;
  const { find: _find, isOfOneForm: _isOfOneForm, ...host } = hostRule;
  return { ...listed, host };
}

/** Returns a rule of a host; undefined for another name. */
export function listHostRule(name: string): ListedRule | undefined {
  const hostRule = findHostRule(name);
  if (hostRule === undefined) return undefined;
  const { host, effect, says } = hostRule;
  return listOther(name, "host", { says, why: `${HOSTS[host]} ${HOST_EFFECT_WORDS[effect]}` });
}

function listOther(
  name: string,
  kind: "unverified" | "file" | "host",
  { says, why }: { readonly says: string; readonly why: string },
): ListedRule {
  return { rule: name, class: kind, security: false, impacts: [], says, why };
}

function listRule(name: string, { class: kind, security, impacts, says, why }: Rule): ListedRule {
  return { rule: name, class: kind, security: security === true, impacts, says, why };
}

/** Returns an example of a rule and the reverse rule; empty for rules about servers and texts. */
export function showExample(rule: string): ShownExample {
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
    const [listBefore = {}, listAfter = {}] = [before, after].map((definition) => ({ tool: { definition } }));
    const change = diffDeprecations("", listBefore, listAfter).find((candidate) => candidate.rule === rule);
    return { mirror, example: change && { of: "ability", before, after, change } };
  }
  const side = SIDES.find((candidate) => rule.startsWith(`${candidate}-`));
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

function mirrorOf(mirror: string | { readonly waived: string }, prefix: string): ShownExample {
  return typeof mirror === "string" ? { mirror: prefix + mirror } : {};
}

function exampleOf<Value extends JsonValue>(
  rule: string,
  of: "tools" | "property",
  before: Value,
  after: Value,
  toTools: (value: Value) => readonly JsonValue[],
  options?: DiffToolsOptions,
): ShownExample {
  const toolsBefore = toTools(before).filter(isNamedObject);
  const toolsAfter = toTools(after).filter(isNamedObject);
  const change = diffTools(toolsBefore, toolsAfter, options).find((candidate) => candidate.rule === rule);
  return change === undefined ? {} : { example: { of, before, after, change } };
}

const COLOUR_OF = {
  ...COLOUR_OF_CLASS,
  file: "red",
  host: "red",
} as const satisfies Record<ListedRule["class"], keyof Paint>;

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
  const widest = "dangerous, security".length;
  return [
    ...rules.map((rule) => `${rule.rule.padEnd(width)}  ${printClass(rule, paint, widest)}  ${rule.says}`),
    `${rules.length} rules. "npx mcp-codegen explain <rule>" shows why a rule has its class.`,
  ];
}

/** Prints a rule, and how to handle its findings. */
export function printRule(rule: ExplainedRule, { paint }: Layout): readonly string[] {
  return [
    `${paint.bold(rule.rule)}  ${printClass(rule, paint)}`,
    "",
    `${rule.says}: ${rule.why}.`,
    "",
    ...(rule.host === undefined ? printImpacts(rule) : printHost(rule.host)),
    ...printExample(rule),
    ...printOtherSide(rule, paint),
    ...(rule.mirror === undefined || rule.mirror === rule.rule
      ? []
      : [`The reverse change is ${paint.bold(rule.mirror)}.`, ""]),
    ...printRemedies(rule, paint),
  ];
}

function printClass(rule: ListedRule, paint: Paint, width = 0): string {
  return paint[COLOUR_OF[rule.class]](nameClass(rule).padEnd(width));
}

function printImpacts({ impacts, class: kind }: ListedRule): readonly string[] {
  if (kind === "unverified") return ["It was not verified: exit code 3, unless something fails (1).", ""];
  if (kind === "file")
    return ["It fails the check like a file that is out of date, unless --fail-on is never.", ""];
  if (impacts.length === 0) return ["Impacts: none. It is reported and never fails.", ""];
  return ["Impacts:", ...impacts.map((impact) => `  ${impact.padEnd(9)}  ${IMPACTS[impact]}`), ""];
}

const LOSSES = {
  true: "The tool then accepts the same calls.",
  false: "The model then sees less than the tool accepts.",
  undefined: "Whether something is lost depends on the tool.",
} as const;

const CERTAINTIES = {
  documentation: "the host's documentation",
  code: "the host's code",
  measured: "trials",
  maintainer: "a maintainer of the host",
  reports: "reports of several users",
} as const satisfies Record<HostRuleFacts["certainty"], string>;

function printHost(rule: HostRuleFacts): readonly string[] {
  const { field, effect, fix, isLossless, certainty, source, date } = rule;
  return [
    effect === "altered" ? "It is reported and never fails." : "It fails unless --fail-on is never.",
    "",
    `Field: ${field}`,
    `Known from ${CERTAINTIES[certainty]}, ${date}: ${source}`,
    "",
    `To avoid it: ${fix} ${LOSSES[`${isLossless}`]}`,
  ];
}

const WIDTH = 400;

const EXAMPLES_OF = {
  tools: "For example, between these lists of tools:",
  ability: "For example, between these definitions of a WordPress ability:",
  property: "For example, for a property `value`:",
} as const satisfies Record<NonNullable<ExplainedRule["example"]>["of"], string>;

function printExample({ example }: ExplainedRule): readonly string[] {
  if (example === undefined) return [];
  const { of, before, after, change } = example;
  const { says, notes } = describeChanges([change], { value: WIDTH, line: 2 * WIDTH });
  return [
    EXAMPLES_OF[of],
    `  before  ${printable(JSON.stringify(before), WIDTH)}`,
    `  after   ${printable(JSON.stringify(after), WIDTH)}`,
    `  is ${present(change.class, says, ...notes.map(joinNote)).join(": ")}`,
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
  const waive = `npx mcp-codegen check --waive ${rule.rule} <tool> --until <date> --reason "…"`;
  const toWaive = `To accept it for a time: ${paint.bold(waive)}`;
  if (rule.class === "host") return [toWaive];
  if (rule.class === "unverified")
    return ["There is nothing to accept. The report has a hint for each server."];
  if (rule.class === "file")
    return [
      "To fix it: correct the name. If the server has a new tool of this name, lock it with npx mcp-codegen pull.",
      toWaive,
      "To search other files, or none: the key references of the configuration.",
    ];
  return [
    ...(rule.security
      ? [
          `To accept one finding: ${paint.bold('npx mcp-codegen pull <server> --accept <finding> --reason "…"')}`,
          "<finding> is the ID of twelve digits that pull prints for each, or the rule for all of them. The command works in scripts and in CI.",
          "A security finding fails at every --fail-on except never, whatever its class.",
        ]
      : [`To accept the change: ${paint.bold("npx mcp-codegen pull <server>")}`]),
    adviseOnClass(rule),
  ];
}

function adviseOnClass(rule: ListedRule): string {
  if (rule.class === "unknown")
    return "A change that could not be proved safe is at least dangerous; no configuration makes it safe.";
  if (rule.security && rule.class === "dangerous") return "No configuration makes a security finding safe.";
  const other = rule.security || rule.class === "safe" ? "dangerous" : "safe";
  return `To change its class: check: { rules: { ${JSON.stringify(rule.rule)}: "${other}" } }`;
}
