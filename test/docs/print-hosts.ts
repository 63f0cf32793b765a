import { HOST_EFFECT_WORDS, HOST_IDS, HOSTS } from "../../src/core/hosts/host.js";
import { rulesOfHost } from "../../src/core/hosts/find-host-findings.js";

/** The names of hosts in `docs/hosts.md`. */
export function printHostNames(): string {
  return HOST_IDS.map((host) => `- \`${host}\`: ${HOSTS[host]}`).join("\n");
}

/** The tables of `docs/hosts.md`: the effects, and the rules, of which equal ones share a row. */
export function printHosts(): string {
  const rules = new Map<string, string[]>();
  for (const [name, { says, effect, fix }] of HOST_IDS.flatMap(rulesOfHost)) {
    const row = `${effect} | ${says}. | ${fix}`;
    rules.set(row, [...(rules.get(row) ?? []), `\`${name}\``]);
  }
  return [
    "| effect | the host |",
    "| --- | --- |",
    ...Object.entries(HOST_EFFECT_WORDS).map(([effect, words]) => `| ${effect} | ${words} |`),
    "",
    "| rule | effect | what | how to avoid it |",
    "| --- | --- | --- | --- |",
    ...[...rules].map(([row, names]) => `| ${names.join(", ")} | ${row} |`),
  ].join("\n");
}
