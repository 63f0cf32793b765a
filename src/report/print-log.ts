import { printable } from "../core/printable.js";
import type { LogReport } from "../pipeline/log/log.js";
import { count, type Layout, present } from "./layout.js";
import { printChanges } from "./print-changes.js";

/** Prints the versions of a server's contract, newest first: version, date, commit, and the changes. */
export function printLog(
  { server, versions, isComplete, unreadable }: LogReport,
  layout: Layout,
): readonly string[] {
  const { paint } = layout;
  return [
    ...versions.flatMap(({ contract, date, commit, subject, changes, tools }, index) => {
      const isFirst = isComplete && index === versions.length - 1;
      const version = contract === null ? paint.red("removed") : paint.bold(contract);
      return [
        `${version}  ${date.slice(0, 10)}  ${paint.dim(commit.slice(0, 9))}  ${printable(subject, 80)}`,
        ...printChanges(changes, layout).lines,
        ...present(
          changes.length === 0 &&
            contract !== null &&
            `  ${isFirst ? "locked, " : ""}${count(tools, "tool")}`,
        ),
      ];
    }),
    ...unreadable.map((commit) => paint.yellow(`The lock of ${commit.slice(0, 9)} does not parse.`)),
    ...present(
      !isComplete &&
        `The history of ${server} goes back further: raise --limit, or run "git fetch --unshallow" in a shallow clone.`,
    ),
  ];
}
