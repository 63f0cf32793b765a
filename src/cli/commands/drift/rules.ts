import { nearestName } from "../../../core/nearest-name.js";
import { rulesFor } from "../../../core/hosts/find-host-findings.js";
import { HOST_IDS } from "../../../core/hosts/host.js";
import { HOST_RULES } from "../../../core/hosts/host-rules.js";
import { adviseOnRule } from "../../../drift/rules.js";
import {
  explainRule,
  listHostRule,
  listRules,
  printRule,
  printRules,
  showExample,
} from "../../../report/print-rules.js";
import { OWN_RULES } from "../../../report/rows.js";
import { type Runner, usageError } from "../../command-spec.js";
import type { OptionTable } from "../../options.js";

/** Explains one rule, or lists all or those of a host. Throws `USAGE` for an unknown name, with the most similar one. */
export const runExplain: Runner<OptionTable> = (context, [name]) => {
  if (name === undefined) {
    const rules = listRules();
    const more = `Hosts have rules too, which "npx mcp-codegen explain <host>" lists: ${HOST_IDS.join(", ")}.`;
    return context.report({ report: "rules", exitCode: 0, rules }, [...printRules(rules, context), more]);
  }
  const host = HOST_IDS.find((id) => id === name);
  if (host !== undefined) {
    const rules = rulesFor(host).flatMap((each) => listHostRule(each) ?? []);
    const how = `To check them: npx mcp-codegen check --hosts ${host}`;
    return context.report({ report: "rules", exitCode: 0, rules }, [...printRules(rules, context), how]);
  }
  const rule = explainRule(name);
  if (rule === undefined) {
    const meaning = Object.entries(OWN_RULES).find(([id]) => id === name)?.[1];
    if (meaning !== undefined)
      throw usageError(
        `${JSON.stringify(name)} is not a rule of drift. It means: ${meaning}`,
        "Such a finding has no class and no waiver: fix what it names.",
      );
    const names = [...listRules().map((row) => row.rule), ...Object.keys(HOST_RULES), ...HOST_IDS];
    const nearest = nearestName(name, names);
    throw usageError(
      `Unknown rule ${JSON.stringify(name)}${adviseOnRule(name)}.`,
      nearest === undefined
        ? 'Run "npx mcp-codegen explain" to list the rules.'
        : `Did you mean "${nearest}"?`,
    );
  }
  const shown = { ...rule, ...showExample(name) };
  return context.report({ report: "explain", exitCode: 0, ...shown }, printRule(shown, context));
};
