import { HOSTS } from "../core/hosts/host.js";
import { hostsWithFewer } from "../core/hosts/find-host-findings.js";
import type { LockedServer } from "../core/lockfile.js";
import { formatNumber, printable } from "../core/printable.js";
import { count, firstOf, joinWithin, type Layout, wrap } from "./layout.js";
import { type ListedCategory, type ListedTool, listServerTools } from "./list-tools.js";

/** Fewer tools are named one by one. */
const FEW = 30;
/** The most lines of a server that is locked for the first time, besides its head. */
const MOST = 30;

/** Prints the tools of a new server: their cost, the hosts that do not take so many, and a line for each category. */
export function printNewServer(
  server: string,
  block: LockedServer,
  { paint, width }: Layout,
  isAll: boolean,
): readonly string[] {
  const { categories, tools, tokens } = listServerTools({ server, block, isLocked: true });
  const cost = `  ≈ ${count(tokens, "token")} in every turn that lists all tools`;
  const limits = hostsWithFewer(tools).map(
    ({ host, most }, at) => `${HOSTS[host]}${at === 0 ? " takes" : ""} ${most}`,
  );
  const names = Object.keys(block.tools);
  const lines =
    isAll || names.length <= FEW
      ? names.map((name) => paint.green(`  + ${printable(name, 80)}`))
      : printCategories(categories, width);
  return [
    ...firstOf(
      lines,
      isAll ? Infinity : MOST,
      (rest) => `  … ${count(rest, "more line")}: "--all" names every tool`,
    ),
    ...(limits.length === 0
      ? []
      : wrap(`${formatNumber(tools)} tools: ${limits.join(", ")}`, width - 2).map((line) =>
          paint.yellow(`  ${line}`),
        )),
    paint.dim(cost),
  ];
}

function printCategories(categories: readonly ListedCategory[], width: number): readonly string[] {
  const rows = categories.map(({ category, isGuess, tools }) => ({
    name:
      category === null ? "no category" : `${printable(category, 40)}${isGuess === true ? " (guessed)" : ""}`,
    effects: countEffects(tools),
    tools,
  }));
  const names = Math.max(...rows.map(({ name }) => name.length));
  const effects = Math.max(...rows.map((row) => row.effects.length));
  return rows.map(({ name, effects: counted, tools }) => {
    const head = `  ${name.padEnd(names)}  ${counted.padEnd(effects)}  `;
    const listed = joinWithin(
      tools.map((tool) => printable(tool.name, 80)),
      Math.max(20, width - head.length),
    );
    return head + listed;
  });
}

/** `20 reads, 3 writes, 1 unstated` */
function countEffects(tools: readonly ListedTool[]): string {
  return (["reads", "writes", "destroys", "unstated"] as const)
    .map((effect) => ({ effect, amount: tools.filter((tool) => tool.effect === effect).length }))
    .filter(({ amount }) => amount > 0)
    .map(({ effect, amount }) => `${formatNumber(amount)} ${effect}`)
    .join(", ");
}
