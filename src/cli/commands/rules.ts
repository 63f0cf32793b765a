import { listRules, printRules } from "../../report/print-rules.js";
import type { Runner } from "../context.js";

/** Prints the table of rules. */
export const runRules: Runner<"rules"> = (context) => {
  const rules = listRules();
  context.print(printRules(rules, context));
  context.printDocument({ report: "rules", exitCode: 0, rules });
  return Promise.resolve(0);
};
