import { byCodeUnit } from "../json.js";
import type { Finding } from "../finding.js";
import {
  FORM_OF,
  HOST_EFFECT_WORDS,
  type HostHit,
  HOSTS,
  type HostId,
  type HostRule,
  type HostTool,
  nameForHost,
  type HostToolView,
  viewTools,
} from "./host.js";
import { HOST_RULES, type HostRuleName } from "./host-rules.js";

const LONGEST_DETAIL = 120;

/**
 * Finds what hosts refuse or change in a list of tools: a finding for each rule and tool, in the order of the hosts and rules.
 * A rule that holds for a host and a form of it is reported once.
 */
export function findHostFindings(tools: readonly HostTool[], hosts: readonly HostId[]): readonly Finding[] {
  const views = viewTools(tools);
  const asked = new Set(hosts);
  return [...asked].flatMap((host) => {
    const named = nameForHost(views, host);
    const rules = ALL.filter(
      ([, rule]) => rule.host === host || (holdsFor(rule, host) && !asked.has(rule.host)),
    );
    return rules.flatMap(([name, rule]) =>
      rule.find(named).map(({ tool, hits }) => toFinding(name, { ...rule, host }, tool, hits)),
    );
  });
}

const ALL = Object.entries(HOST_RULES) as readonly (readonly [HostRuleName, HostRule])[];

/** Whether a rule holds for a host: its own, or one of the host that it is a form of. */
export function holdsFor({ host, isOfOneForm }: HostRule, form: HostId): boolean {
  return host === form || (host === FORM_OF[form] && isOfOneForm !== true);
}

/** Returns the hosts that do not take so many tools, each with how many it takes, fewest first. */
export function hostsWithFewer(tools: number): readonly { readonly host: HostId; readonly most: number }[] {
  return ALL.flatMap(([, { host, effect, mostTools = tools }]) =>
    mostTools < tools && effect !== "altered" ? [{ host, most: mostTools }] : [],
  ).sort((a, b) => a.most - b.most);
}

/** The names of all rules that hold for a host, in the order of the table. */
export function rulesFor(host: HostId): readonly HostRuleName[] {
  return ALL.filter(([, rule]) => holdsFor(rule, host)).map(([name]) => name);
}

function toFinding(
  rule: HostRuleName,
  { host, effect, says, fix }: HostRule,
  tool: HostToolView | undefined,
  hits: readonly HostHit[],
): Finding {
  const owner = tool === undefined ? {} : { server: tool.server, tool: tool.name };
  const details = [...new Set(hits.flatMap(({ detail }) => detail ?? []))].sort(byCodeUnit);
  const named = details.length === 0 ? "" : ` (${details.join(", ").slice(0, LONGEST_DETAIL)})`;
  const paths = [...new Set(hits.map(({ at }) => at))].sort(byCodeUnit);
  return {
    rule,
    ...owner,
    message: `${HOSTS[host]} ${HOST_EFFECT_WORDS[effect]}: ${lowerFirst(says)}${named}.`,
    hint: fix,
    facts: { host, effect, paths },
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
