import { listRules } from "../../report/list-rules.js";
import { printRules } from "../../report/print-rules.js";
import type { Runner } from "../runner.js";

/** The table of rules. */
export const runRules: Runner<"rules"> = (context) => {
  const rules = listRules();
  context.say(printRules(rules, context));
  context.answer({ report: "rules", exitCode: 0, rules });
  return Promise.resolve(0);
};
