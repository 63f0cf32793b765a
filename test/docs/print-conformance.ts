import { CLIENT_SCENARIOS, SERVER_SCENARIOS, type Scenario } from "../protocol/scenarios.js";

/** Prints the scenarios of the conformance suite and their results. Those with the same reason share a row. */
export function printConformance(): string {
  return [
    ...printTable("As a client", CLIENT_SCENARIOS),
    "",
    ...printTable("As a server", SERVER_SCENARIOS),
  ].join("\n");
}

function printTable(title: string, scenarios: { readonly [name: string]: Scenario }): readonly string[] {
  const byResult = new Map<string, string[]>();
  for (const [name, result] of Object.entries(scenarios)) {
    const text = describe(result);
    byResult.set(text, [...(byResult.get(text) ?? []), `\`${name}\``]);
  }
  const rows = [...byResult].map(([result, names]) => `| ${names.join(", ")} | ${result} |`);
  return [`| ${title} | Result |`, "| --- | --- |", ...rows];
}

function describe(result: Scenario): string {
  if (result === true) return "passes";
  if (typeof result === "string") return `does not apply: ${result}`;
  const reasons = [...new Set(Object.values(result))];
  return `passes, except where ${reasons.join("; ")}`;
}
