import { HOST_EFFECT_WORDS, HOST_IDS, HOSTS } from "../../src/core/hosts/host.js";
import { HOST_RULES } from "../../src/core/hosts/host-rules.js";

/** The names of hosts in `docs/hosts.md`. */
export function printHostNames(): string {
  return HOST_IDS.map((host) => `- \`${host}\`: ${HOSTS[host]}`).join("\n");
}

/** The tables of `docs/hosts.md`: the effects, and the rules, of which equal ones share a row. */
export function printHosts(): string {
  const rules = new Map<string, string[]>();
  const sorted = HOST_IDS.flatMap((host) =>
    Object.entries(HOST_RULES).filter(([, rule]) => rule.host === host),
  );
  for (const [name, { says, effect, fix }] of sorted) {
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
