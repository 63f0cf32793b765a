import type { Fidelity } from "../contract/reports.js";
import { count, formatNumber } from "./count.js";
import type { ListedServer, ListedTool } from "./list-tools.js";
import type { Paint } from "./paint.js";
import { printable } from "./printable.js";
import { printDiagnostics } from "./print-diagnostics.js";

/** The locked tools as an indented list: server, category, tool. */
export function printList(servers: readonly ListedServer[], paint: Paint): readonly string[] {
  return [
    ...servers.flatMap((server) => [...printServer(server, paint), ""]),
    paint.dim("≈ tokens: bytes of the definition's JSON / 4, an estimate that holds for no model exactly."),
  ];
}

function printServer(server: ListedServer, paint: Paint): readonly string[] {
  const head = `${paint.bold(server.server)} contract ${server.contract}, ${count(server.tools, "tool")}, ${printTokens(server.tokens)}`;
  // A heading over everything says nothing.
  const isSorted = server.categories.some(({ category }) => category !== null);
  return [
    head,
    ...server.categories.flatMap(({ category, tools }) => [
      ...(isSorted ? [`  ${paint.cyan(category === null ? "(no category)" : printable(category, 80))}`] : []),
      ...tools.flatMap((tool) => printTool(tool, isSorted ? "    " : "  ", paint)),
    ]),
    ...(server.fidelity === undefined ? [] : printFidelity(server.fidelity, paint)),
  ];
}

function printFidelity({ exact, of, diagnostics }: Fidelity, paint: Paint): readonly string[] {
  // Rounded down, so that 100 % is all of them.
  const share = of === 0 ? 100 : Math.floor((1000 * exact) / of) / 10;
  const line = `  exact: ${formatNumber(exact)} of ${count(of, "tool")}, ${share} %`;
  return [exact === of ? paint.green(line) : paint.yellow(line), ...printDiagnostics(diagnostics, paint)];
}

function printTool(tool: ListedTool, indent: string, paint: Paint): readonly string[] {
  const required = tool.required.map((name) => printable(name, 40)).join(", ");
  const about = tool.description ?? tool.title;
  const line = `${indent}${printable(tool.name, 80)}(${required}) ${paint.dim(printTokens(tool.tokens))}`;
  if (tool.unusable !== undefined)
    return [line, `${indent}  ${paint.yellow(`unusable: ${printable(tool.unusable, 160)}`)}`];
  return about === undefined || about === ""
    ? [line]
    : [line, `${indent}  ${paint.dim(printable(about, 100))}`];
}

function printTokens(tokens: number): string {
  return `≈ ${formatNumber(tokens)} tokens`;
}
