import { failNotFound } from "../../runtime/fail-call.js";
import type { Result, ToolErrorCode } from "../../runtime/result.js";
import type { ServerToolCache } from "./server-tool-cache.js";
import { splitToolName } from "./tool-names.js";

/** Why a name stands for no tool, as the result of calling it. */
export function failUnknownTool(name: string, slot: ServerToolCache | undefined): Result<never> {
  const split = splitToolName(name);
  const quoted = JSON.stringify(name);
  if (split === undefined || slot === undefined) {
    return fail("TOOL_NOT_FOUND", `There is no tool ${quoted}.`, name, "");
  }
  const { server, tool } = split;
  if (!slot.isEnabled) return fail("TOOL_NOT_FOUND", `Server "${server}" is switched off.`, tool, server);
  const refused = slot.findRefused(tool);
  if (refused !== undefined) {
    return fail("TOOL_NOT_ALLOWED", `Tool ${quoted} is not offered: ${refused.reason}`, tool, server);
  }
  const locked = slot.findLocked(tool);
  if (locked !== undefined) return failNotFound(locked.definition, undefined);
  return fail("TOOL_NOT_FOUND", `Server "${server}" has no tool ${JSON.stringify(tool)}.`, tool, server);
}

function fail(code: ToolErrorCode, message: string, tool: string, server: string): Result<never> {
  return { ok: false, error: { code, message, retryable: false, tool, server } };
}
