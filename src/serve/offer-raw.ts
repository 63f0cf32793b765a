import { McpServer, ProtocolError, type CallToolResult, type Tool } from "@modelcontextprotocol/server";
import { isJsonObject } from "../contract/json.js";
import { McpCodegenError } from "../contract/errors.js";
import { rpcDataOf, rpcErrorOf } from "../runtime/fail-call.js";
import type { RawSource, ServeOptions } from "./offer.js";

/** Creates a server whose list and results are sent as they are. */
export function createRawServer(
  source: RawSource,
  { identity, onError }: Pick<ServeOptions, "identity" | "onError">,
): McpServer {
  const { instructions, serverInfo } = source.identity;
  const info = { name: "mcp-codegen", version: "0.0.0", ...identity, ...serverInfo };
  const mcp = new McpServer(info, {
    capabilities: { tools: source.onChange === undefined ? {} : { listChanged: true } },
    ...(instructions !== undefined && { instructions }),
  });
  const { server } = mcp;
  if (onError !== undefined) server.onerror = onError;
  // What a source lists and answers is from a server, and need not have the form that the SDK's types require.
  server.setRequestHandler("tools/list", () => {
    const tools: unknown = source.tools();
    return { tools: tools as Tool[] };
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    const { name, arguments: args = {} } = params;
    try {
      const result: unknown = await source.call(name, isJsonObject(args) ? args : {});
      return result as CallToolResult;
    } catch (error) {
      throw toProtocolError(error);
    }
  });
  return mcp;
}

function toProtocolError(error: unknown): unknown {
  const rpc = rpcErrorOf(error);
  if (rpc !== undefined) return new ProtocolError(rpc.code, rpc.message, rpcDataOf(error));
  // What the user can fix, such as a broken cassette.
  return error instanceof McpCodegenError ? new ProtocolError(INTERNAL_ERROR, error.message) : error;
}

const INTERNAL_ERROR = -32603;
