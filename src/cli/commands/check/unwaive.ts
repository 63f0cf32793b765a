import type { Waiver } from "../../../core/waivers.js";
import { WAIVERS_NAME } from "../../../core/waivers.js";
import { printable } from "../../../core/printable.js";
import type { Project } from "../../../project/project.js";
import { count } from "../../../report/layout.js";
import { usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";

/**
 * Removes the waivers of a rule, in all tools or in one, before the check that then judges their findings.
 *
 * @throws McpCodegenError `USAGE` if every waiver is used
 */
export async function removeWaivers(
  context: Context,
  project: Project,
  [rule, tool, ...others]: readonly string[],
): Promise<void> {
  if (others.length > 0)
    throw usageError(
      "--unwaive takes one rule and at most one tool.",
      "Write the names of servers before it.",
    );
  const waivers = await project.waivers();
  const isRemoved = (waiver: Waiver): boolean =>
    waiver.rule === rule && (tool === undefined || waiver.tool === tool);
  const removed = waivers.filter(isRemoved);
  if (removed.length === 0) {
    const where = tool === undefined ? "" : ` in tool ${JSON.stringify(tool)}`;
    const names = [...new Set(waivers.map((waiver) => describe(waiver)))].join(", ");
    throw usageError(
      `--unwaive: no waiver of rule ${JSON.stringify(rule)}${where}.`,
      names === "" ? `${WAIVERS_NAME} has none.` : `${WAIVERS_NAME} has ${names}.`,
    );
  }
  await project.writeWaivers(waivers.filter((waiver) => !isRemoved(waiver)));
  context.print([
    `${WAIVERS_NAME}: ${count(removed.length, "waiver")} removed.`,
    ...removed.map((waiver) => `  ${describe(waiver)}`),
  ]);
}

function describe({ rule, server, tool = "", path }: Waiver): string {
  return printable([rule, server, tool, path].filter((part) => part !== "").join(" "), 200);
}
