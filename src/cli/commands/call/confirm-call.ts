import { decide, statedEffectOf } from "../../../agent/policy/decide.js";
import type { Policy } from "../../../agent/policy/policy.js";
import type { RegisteredTool } from "../../../agent/registry/registered-tool.js";
import { serverNameOf } from "../../../agent/registry/tool-names.js";
import { McpCodegenError } from "../../../contract/errors.js";
import { getOwn, type JsonObject } from "../../../contract/json.js";
import { printable, printJson } from "../../../contract/printable.js";
import type { FormatRule } from "../../../contract/schema-ir.js";
import { EFFECT_WORDS } from "../../../contract/tool-effect.js";
import { count } from "../../../report/layout.js";
import { findIssues } from "../../../validation/schema.js";
import type { Context } from "../../context.js";
import type { OpenedTools } from "../../open-tools.js";
import { wrapLines } from "../../print-text.js";
import { confirm } from "../../prompts.js";
import type { RequestedCall } from "./report-call-failure.js";

/** Lines and characters of the arguments that are shown. */
const MOST_LINES = 40;
const LONGEST_LINE = 300;

/**
 * Whether `call` asks before it calls the tool: one that destroys or states no effect, and one that writes where writes
 * are not enabled. The policy's default is for agents; here a person has typed the command.
 */
export function needsConfirmation(tool: RegisteredTool, policy: Policy): boolean {
  const effect = statedEffectOf(tool, policy);
  return effect !== "reads" && (effect !== "writes" || !decide(tool, policy).isAllowed);
}

/**
 * Shows what would be sent and asks, unless the call is confirmed, needs no confirmation or has invalid arguments.
 *
 * @throws McpCodegenError `USAGE` where there is no terminal
 */
export async function mayCall(
  context: Context,
  { project, policy }: OpenedTools,
  { name, tool, options }: RequestedCall,
  args: JsonObject,
): Promise<boolean> {
  if (options.yes === true || !needsConfirmation(tool, policy)) return true;
  if ((await findIssues(tool.input, args)).length > 0) return true;
  const subject = `Tool ${JSON.stringify(name)} (${EFFECT_WORDS[statedEffectOf(tool, policy)]})`;
  if (!context.isInteractive) {
    throw new McpCodegenError("USAGE", `${subject} requires confirmation.`, {
      hint: "Pass --yes to call it.",
    });
  }
  const settings = tool.server === undefined ? undefined : getOwn(project.config.servers, tool.server);
  const sent = settings?.defaults === "send" ? await addDefaults(tool, args, settings.formats) : args;
  const place = tool.server === undefined ? "" : ` of server ${serverNameOf(tool)}`;
  const environment = options.env === undefined ? "" : ` in environment ${printable(options.env)}`;
  const lines = [`${subject}${place}${environment} would get:`, ...printArguments(sent)];
  context.io.stderr.write(`${wrapLines(lines, context.io.stderr).join("\n")}\n`);
  return confirm(context, "Call it?");
}

/** As the call adds them. */
async function addDefaults(
  { inputSchema, dialect }: RegisteredTool,
  args: JsonObject,
  formats: FormatRule | undefined,
): Promise<unknown> {
  const { fillDefaults } = await import("../../../validation/fill-defaults.js");
  return fillDefaults(args, inputSchema(), { dialect, formats });
}

function printArguments(args: unknown): readonly string[] {
  const lines = printJson(args).split("\n");
  const left = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, MOST_LINES).map((line) => printable(line, LONGEST_LINE)),
    ...(left > 0 ? [`… and ${count(left, "line")} more`] : []),
  ];
}
