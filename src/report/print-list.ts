import { INSTALL_PEER } from "../core/packages.js";
import { findingOfNote } from "../core/findings.js";
import { ENTRY_LIST_NAMES, ENTRY_LISTS } from "../core/entries.js";
import { formatNumber, printable } from "../core/printable.js";
import { EFFECT_WORDS } from "../core/snapshot.js";
import type { Fidelity } from "../pipeline/list.js";
import type { ToolState } from "../pipeline/list.js";
import type { FoundTool } from "./documents.js";
import { count, countEntries, firstOf, type Layout, type Paint } from "./layout.js";
import type { ListedCategory, ListedServer, ListedTool } from "./list-tools.js";
import { printNotes } from "./print-generate.js";

/** Prints the locked tools as an indented list: server, category, tool. */
export function printList(servers: readonly ListedServer[], paint: Paint): readonly string[] {
  return [
    ...servers.flatMap((server) => [...printServer(server, paint), ""]),
    ...explainTokens(servers, paint),
  ];
}

/** Prints the tools by tokens: server, category, tool, each with its tokens, and the total. */
export function printTokenList(servers: readonly ListedServer[], paint: Paint): readonly string[] {
  const tokens = servers.reduce((total, server) => total + server.tokens, 0);
  const isEstimate = servers.some(({ tokenizer }) => tokenizer === undefined);
  return [
    ...servers.flatMap((server) => [
      headOf(server, paint),
      ...server.categories.flatMap((category) => {
        const isEstimate = category.tools.some((tool) => tool.isEstimate);
        return [
          `  ${nameOf(category, paint)} ${count(category.tools.length, "tool")}, ${printTokens({ ...category, isEstimate })}`,
          ...category.tools.map(
            (tool) =>
              `    ${printable(tool.name, 80)} ${paint.dim(printTokens(tool))}${printState(tool, paint)}`,
          ),
        ];
      }),
      "",
    ]),
    `${paint.bold("Total:")} ${printTokens({ tokens, isEstimate })} in every turn that lists all tools.`,
    ...explainTokens(servers, paint),
  ];
}

function explainTokens(servers: readonly ListedServer[], paint: Paint): readonly string[] {
  const counted = [...new Set(servers.map(({ tokenizer }) => tokenizer))].sort();
  return counted.map((name) =>
    paint.dim(
      name === undefined
        ? `≈ tokens: bytes / 4 of name, description and input schema as JSON. To count them: ${INSTALL_PEER["gpt-tokenizer"]}, then npx mcp-codegen pull`
        : `tokens: name, description and input schema as JSON, counted with ${printable(name, 40)}.`,
    ),
  );
}

function headOf(server: ListedServer, paint: Paint): string {
  const { contract, tools, tokens, tokenizer, environment } = server;
  const locked = contract === undefined ? "not locked" : `contract ${contract}`;
  const name = environment === undefined ? server.server : `${server.server} (${printable(environment)})`;
  const lists = countEntries((list) => server.entries?.[list]?.length);
  const parts = [
    count(tools, "tool"),
    ...lists,
    printTokens({ tokens, isEstimate: tokenizer === undefined }),
    ...countStates(server),
  ];
  return `${paint.bold(name)} ${locked}, ${parts.join(", ")}`;
}

function countStates({ categories }: ListedServer): readonly string[] {
  const states = categories.flatMap(({ tools }) => tools.flatMap(({ state }) => state ?? []));
  return STATES.flatMap((state) => {
    const amount = states.filter((each) => each === state).length;
    return amount === 0 ? [] : [`${formatNumber(amount)} ${state}`];
  });
}

const STATES: readonly ToolState[] = ["unlocked", "different", "gone"];

function printState({ state }: ListedTool, paint: Paint): string {
  return state === undefined ? "" : ` ${paint.yellow(state)}`;
}

/** Follows a category that the server does not state. */
export const GUESSED = "(guessed from the names)";

function nameOf({ category, isGuess }: ListedCategory, paint: Paint): string {
  const name = paint.cyan(category === null ? "(no category)" : printable(category, 80));
  return isGuess === true ? `${name} ${paint.dim(GUESSED)}` : name;
}

function printServer(server: ListedServer, paint: Paint): readonly string[] {
  // A single heading would add nothing.
  const isSorted = server.categories.some(({ category }) => category !== null);
  return [
    headOf(server, paint),
    ...server.categories.flatMap((category) => [
      ...(isSorted ? [`  ${nameOf(category, paint)}`] : []),
      ...category.tools.flatMap((tool) => printTool(tool, isSorted ? "    " : "  ", paint)),
    ]),
    ...printEntries(server, paint),
    ...(server.fidelity === undefined ? [] : printFidelity(server.fidelity, paint)),
  ];
}

function printEntries({ entries = {} }: ListedServer, paint: Paint): readonly string[] {
  return ENTRY_LIST_NAMES.flatMap((list) => {
    const listed = entries[list];
    if (listed === undefined || listed.length === 0) return [];
    return [
      `  ${paint.cyan(count(listed.length, ENTRY_LISTS[list].noun))}`,
      ...listed.flatMap(({ id, title, description, required }) => {
        const args =
          required === undefined ? "" : `(${required.map((name) => printable(name, 40)).join(", ")})`;
        return [`    ${printable(id, 120)}${args}`, ...printAbout(description ?? title, "      ", paint)];
      }),
    ];
  });
}

function printAbout(about: string | undefined, indent: string, paint: Paint): readonly string[] {
  if (about === undefined || about === "") return [];
  return [`${indent}${paint.dim(printable(about.replace(/\s+/g, " ").trim(), 100))}`];
}

function printFidelity({ exact, of, diagnostics }: Fidelity, paint: Paint): readonly string[] {
  // Rounded down, so that 100 % means all tools.
  const share = of === 0 ? 100 : Math.floor((1000 * exact) / of) / 10;
  const line = `  exact: ${formatNumber(exact)} of ${count(of, "tool")}, ${share} %`;
  return [
    exact === of ? paint.green(line) : paint.yellow(line),
    ...printNotes(diagnostics.map(findingOfNote), paint),
  ];
}

const MOST_OPTIONAL = 4;

const COLOUR_OF_EFFECT = {
  reads: "green",
  writes: "yellow",
  destroys: "red",
  unstated: "dim",
} as const satisfies Record<ListedTool["effect"], keyof Paint>;

function printTool(tool: ListedTool, indent: string, paint: Paint): readonly string[] {
  const optional = tool.optional.map((name) => `${printable(name, 40)}?`);
  const parameters = [
    ...tool.required.map((name) => printable(name, 40)),
    ...firstOf(optional, MOST_OPTIONAL, (rest) => `… ${rest} more`),
  ].join(", ");
  const effect = paint[COLOUR_OF_EFFECT[tool.effect]](EFFECT_WORDS[tool.effect]);
  const onlyApps = tool.visibility === undefined ? "" : ` ${paint.dim("not for models")}`;
  const line = `${indent}${printable(tool.name, 80)}(${parameters}) ${effect}${paint.dim(`, ${printTokens(tool)}`)}${printState(tool, paint)}${onlyApps}`;
  if (tool.unusable !== undefined)
    return [line, `${indent}  ${paint.yellow(`unusable: ${printable(tool.unusable, 160)}`)}`];
  const signature = tool.signature?.split("\n").map((each) => `${indent}  ${printable(each, 1_000)}`) ?? [];
  return [line, ...printAbout(tool.description ?? tool.title, `${indent}  `, paint), ...signature];
}

interface Cost {
  readonly tokens: number;
  readonly isEstimate?: boolean | undefined;
}

function printTokens({ tokens, isEstimate }: Cost): string {
  return `${isEstimate === true ? "≈ " : ""}${count(tokens, "token")}`;
}

/**
 * Prints the matches, best first: name, score, category, effect and description, a line each.
 *
 * @param total the number of matches, with those that are not printed
 * @param list the command that lists all tools
 */
export function printSearch(
  tools: readonly FoundTool[],
  total: number,
  list: string,
  { paint, width }: Layout,
): readonly string[] {
  if (tools.length === 0) {
    return [
      "No matching tool.",
      paint.dim("Try other or fewer words, or --category. To list all tools:"),
      paint.dim(`  ${printable(list, 1_000)}`),
    ];
  }
  const names = Math.min(40, Math.max(...tools.map(({ name }) => printable(name, 80).length)));
  const rest = total - tools.length;
  return [
    ...tools.map((tool) => printHit(tool, { names, width, paint })),
    ...(rest > 0 ? [paint.dim(`and ${count(rest, "other tool")}: raise --limit to see them`)] : []),
  ];
}

function printHit(
  { name, category, guessedCategory: isGuess, effect, description, score }: FoundTool,
  { names, width, paint }: Layout & { readonly names: number },
): string {
  const head = printable(name, 80).padEnd(names);
  const about = `${score.toFixed(2)}  ${printable(category, 30)}${isGuess === true ? " (guessed)" : ""}, ${EFFECT_WORDS[effect]}`;
  const left = Math.max(20, width - head.length - about.length - 4);
  const text = description === "" ? "" : `  ${printable(description, left)}`;
  return `${paint.bold(head)}  ${paint.dim(about)}${text}`;
}
