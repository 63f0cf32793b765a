import { createToolset } from "../../../agent/toolset/create-toolset.js";
import { type Runner, usageError } from "../../command-spec.js";
import { withOpenedTools } from "../../open-tools.js";
import { printServerText } from "../../print-text.js";
import type { CONTEXT_FLAGS } from "./spec.js";

/** Prints the answer of a toolset's `context`. */
export const runContext: Runner<typeof CONTEXT_FLAGS> = (
  context,
  _words,
  { maxTokens: most, ...options },
) => {
  if (most !== undefined && !/^[1-9]\d{0,6}$/.test(most))
    throw usageError(`--max-tokens takes a number from 1, not ${JSON.stringify(most)}.`, "For example: 500.");
  return withOpenedTools(context, options, async ({ tools, policy }) => {
    const toolset = createToolset(tools, { policy });
    const { content } = await toolset.answer(
      "context",
      most === undefined ? {} : { maxTokens: Number(most) },
    );
    const text = content[0]?.text ?? "";
    context.print(printServerText(text));
    context.printDocument({ report: "context", exitCode: 0, text });
    return 0;
  });
};
