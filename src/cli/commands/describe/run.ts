import type { Runner } from "../../command-spec.js";
import type { describeOptions } from "./spec.js";
import type { RegisteredTool } from "../../../agent/registry/registered-tool.js";
import { serverNameOf } from "../../../agent/registry/tool-names.js";
import { describeToolData } from "../../../agent/toolset/describe-tool-data.js";
import { printJson } from "../../../contract/printable.js";
import type { DescribedTool } from "../../../report/documents.js";
import type { Context } from "../../context.js";
import { findVisibleTool, type OpenedTools, withTools } from "../../open-tools.js";
import { printServerText } from "../../print-text.js";
import { describeForPeople } from "./describe-for-people.js";

/** Prints the definitions of tools: as text, as schemas, or as TypeScript. */
export const runDescribe: Runner<typeof describeOptions> = (
  context,
  wanted,
  { format = "text", ...options },
) =>
  withTools(context, options, async (opened) => {
    const tools: RegisteredTool[] = [];
    for (const name of new Set(wanted)) tools.push(await findVisibleTool(opened, name));
    await show(context, tools, opened, format);
    return 0;
  });

async function show(
  context: Context,
  tools: readonly RegisteredTool[],
  { names, policy, serverWords }: OpenedTools,
  format: "text" | "schema" | "typescript",
): Promise<void> {
  const described = tools.map((tool) => toDocument(tool, names.nameOf(tool)));
  context.printDocument({ report: "describe", exitCode: 0, tools: described });
  switch (format) {
    case "text":
      for (const [at, tool] of tools.entries()) {
        const options = { name: names.nameOf(tool), policy, serverWords, layout: context };
        context.print([...(at > 0 ? [""] : []), ...(await describeForPeople(tool, options))]);
      }
      return;
    case "schema":
      if (context.options.json !== true) context.io.stdout.write(`${printJson(described)}\n`);
      return;
    case "typescript": {
      const { describeToolSignature } = await import("../../../agent/toolset/describe-tool-data.js");
      const signatures = await Promise.all(
        tools.map(async (tool) => `// ${names.nameOf(tool)}\n${await describeToolSignature(tool)}`),
      );
      if (context.options.json !== true)
        context.io.stdout.write(`${printServerText(signatures.join("\n\n")).join("\n")}\n`);
      return;
    }
    default:
      format satisfies never;
  }
}

/** Returns the `--json` form of a tool. */
export function toDocument(tool: RegisteredTool, name: string): DescribedTool {
  const { title } = tool;
  return {
    ...describeToolData(tool, name),
    server: serverNameOf(tool),
    ...(title !== undefined && { title }),
  };
}
