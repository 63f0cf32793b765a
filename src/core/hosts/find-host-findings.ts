import { groupBy } from "../collections.js";
import { byCodeUnit } from "../json.js";
import type { HostFinding, Waivable } from "../findings.js";
import {
  HOST_EFFECT_WORDS,
  type HostHit,
  HOSTS,
  type HostId,
  type HostRule,
  type HostTool,
  nameForHost,
  viewTools,
} from "./host.js";
import { HOST_RULES, type HostRuleName } from "./host-rules.js";

/** Longer names of servers are cut in messages. */
const LONGEST_DETAIL = 120;

/**
 * Finds what hosts refuse or change in a list of tools: a finding for each rule and tool, in the order of the hosts and rules.
 * The servers are those that the host would have; their names become parts of the names of tools.
 */
export function findHostFindings(
  tools: readonly HostTool[],
  hosts: readonly HostId[],
): readonly HostFinding[] {
  const views = viewTools(tools);
  return [...new Set(hosts)].flatMap((host) => {
    const named = nameForHost(views, host);
    return rulesOfHost(host).flatMap(([name, rule]): readonly HostFinding[] => {
      const { find } = rule;
      if (find.in === "tool")
        return named.flatMap((tool) => {
          const hits = find.hits(tool);
          return hits.length === 0
            ? []
            : [toFinding(name, rule, { server: tool.server, tool: tool.name }, hits)];
        });
      return find
        .hits(named)
        .flatMap(({ tools: those, detail }) =>
          those.length === 0
            ? [toFinding(name, rule, {}, [{ at: "", detail }])]
            : [...groupBy(those, ({ server }) => server)].flatMap(([server, own]) =>
                own.map((tool) =>
                  toFinding(name, rule, { server, tool: tool.name }, [{ at: "/name", detail }]),
                ),
              ),
        );
    });
  });
}

/** The rules of a host, in the order of the table. */
export function rulesOfHost(host: HostId): readonly (readonly [HostRuleName, HostRule])[] {
  const all = Object.entries(HOST_RULES) as readonly (readonly [HostRuleName, HostRule])[];
  return all.filter(([, rule]) => rule.host === host);
}

function toFinding(
  rule: HostRuleName,
  { host, effect, says, fix }: HostRule,
  owner: { readonly server?: string; readonly tool?: string },
  hits: readonly HostHit[],
): HostFinding {
  const details = [...new Set(hits.flatMap(({ detail }) => detail ?? []))].sort(byCodeUnit);
  const named = details.length === 0 ? "" : ` (${details.join(", ").slice(0, LONGEST_DETAIL)})`;
  const paths = [...new Set(hits.map(({ at }) => at))].sort(byCodeUnit);
  return {
    rule,
    host,
    effect,
    ...owner,
    paths,
    message: `${HOSTS[host]} ${HOST_EFFECT_WORDS[effect]}: ${lowerFirst(says)}${named}.`,
    fix,
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** What a waiver of a finding covers: the places in the tool where the rule applies. */
export function placeOfHostFinding({ rule, server = "", tool, paths }: HostFinding): Waivable {
  return { rule, server, tool, path: "", security: false, after: paths };
}
