import type { Change } from "../contract/change.js";
import type { DiffReport } from "../contract/reports.js";
import { count } from "./count.js";
import type { Paint } from "./paint.js";
import { printable } from "./printable.js";
import { printChanges, type Explain } from "./print-changes.js";

/** How two contracts differ, server by server, and a line that sums up. */
export function printDiff(
  { before, after, changes, compared }: DiffReport,
  context: {
    readonly paint: Paint;
    readonly explain: Explain;
    /** Whether a change is at or above the threshold. */
    readonly fails: (change: Change) => boolean;
  },
): readonly string[] {
  const { paint, fails } = context;
  const servers = [...new Set(changes.map(({ server }) => server))];
  const lines = servers.flatMap((server) => {
    const those = changes.filter((change) => change.server === server);
    return [`${paint.bold(server)}: ${count(those.length, "change")}`, ...printChanges(those, context)];
  });
  const scope = `${count(compared.servers.length, "server")} and ${count(compared.tools, "tool")}`;
  const sides = `${printable(before)} → ${printable(after)}`;
  const failing = changes.some(fails) ? "" : ", none of which fails";
  return [
    ...lines,
    changes.length === 0
      ? `${paint.green("No difference:")} compared ${scope}, ${sides}.`
      : `Compared ${scope}, ${sides}: ${count(changes.length, "change")}${failing}.`,
  ];
}
