import { FORM_OF, HOST_EFFECT_WORDS, HOST_IDS, HOSTS } from "../../src/core/hosts/host.js";
import { rulesOfHost } from "../../src/core/hosts/find-host-findings.js";

/** The names of hosts in `docs/hosts.md`, and whose rules hold for them too. */
export function printHostNames(): string {
  return HOST_IDS.map((host) => {
    const base = FORM_OF[host];
    const more = base === undefined ? "" : `, with the rules of \`${base}\` that hold for this form`;
    return `- \`${host}\`: ${HOSTS[host]}${more}`;
  }).join("\n");
}

/** The table of `docs/hosts.md`. */
export function printHosts(): string {
  const rows = HOST_IDS.flatMap((host) =>
    rulesOfHost(host).map(([name, { says, effect, fix, certainty, date }]) => {
      const happens = `${HOSTS[host]} ${HOST_EFFECT_WORDS[effect]}`;
      return `| \`${name}\` | ${happens} | ${says}. ${fix} | ${certainty}, ${date} |`;
    }),
  );
  return [
    "| rule | effect | what, and how to avoid it | known from |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
