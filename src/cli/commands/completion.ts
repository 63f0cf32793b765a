import { McpCodegenError } from "../../contract/errors.js";
import { SHELLS } from "../completion/complete-words.js";
import { SCRIPTS } from "../completion/scripts.js";
import type { Runner } from "../context.js";

/** Prints the completion script of a shell. */
export const runCompletion: Runner<"completion"> = (context, [name = ""]) => {
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined)
    throw new McpCodegenError("USAGE", `Unknown shell ${JSON.stringify(name)}.`, {
      hint: `Known shells: ${SHELLS.join(", ")}.`,
    });
  context.printText(SCRIPTS[shell]);
  context.printDocument({ report: "completion", exitCode: 0, shell, script: SCRIPTS[shell] });
  return Promise.resolve(0);
};
