import { CLIENT_SCENARIOS, SERVER_SCENARIOS, type Scenario } from "../protocol/scenarios.js";

/** Prints how many scenarios of the conformance suite pass, and why others do not apply. */
export function printConformance(): string {
  return [printSide("client", CLIENT_SCENARIOS), printSide("server", SERVER_SCENARIOS)].join("\n");
}

function printSide(side: string, scenarios: { readonly [name: string]: Scenario }): string {
  const results = Object.values(scenarios);
  const passed = results.filter((result) => result === true).length;
  const counts = new Map<string, number>();
  for (const reason of results.flatMap(reasonsOf)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${reason} (${count})`);
  return `- **As a ${side}**, ${passed} scenarios pass. The others do not apply, or not in all parts: ${reasons.join("; ")}.`;
}

function reasonsOf(result: Scenario): readonly string[] {
  if (result === true) return [];
  return typeof result === "string" ? [result] : [...new Set(Object.values(result))];
}
