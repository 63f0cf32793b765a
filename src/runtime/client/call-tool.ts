import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../../contract/json.js";
import { findHeaderFault, parameterHeaders } from "../../contract/parameter-headers.js";
import type { RequestOptions, Session } from "../../transport/session.js";
import type { CallerOptions, ToolRequest } from "./caller.js";
import { exchange } from "./exchange.js";
import type { InputAsker } from "./input-asker.js";

/** The raw result of a `tools/call` in a session, with its progress handed over and its questions answered. */
export async function callTool(
  session: Session,
  request: ToolRequest,
  options: CallerOptions,
  asker: InputAsker,
): Promise<JsonObject> {
  const headers = session.hasParameterHeaders ? headersOf(request) : undefined;
  const params = { name: request.name, arguments: request.arguments };
  const { isTask } = request;
  const call = { method: "tools/call", params, isTask, ...(headers && { headers }) } as const;
  const result = await exchange(session, call, options, asker);
  const failure = getOwn(result, "isError") === true ? asker.explainFailure(result) : undefined;
  if (failure !== undefined) throw failure;
  return result;
}

/**
 * Returns the arguments that a call carries in HTTP headers.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` when the schema marks them against the specification
 */
function headersOf(request: ToolRequest): RequestOptions["headers"] {
  const inputSchema = request.inputSchema?.();
  if (!isJsonObject(inputSchema)) return undefined;
  const fault = findHeaderFault(inputSchema);
  if (fault !== undefined) throw new McpCodegenError("SCHEMA_INVALID", fault.message);
  return parameterHeaders(inputSchema, request.arguments);
}
