import {
  McpServer,
  ProtocolError,
  type CallToolResult,
  type GetPromptResult,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  type ServerCapabilities,
  type Tool,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../core/json.js";
import { McpCodegenError } from "../core/errors.js";
import { rpcDataOf, rpcErrorOf } from "../runtime/fail-call.js";
import type { RawSource, ServeOptions } from "./offer.js";

/** Creates a server that sends its list and results unchanged. */
export function createRawServer(source: RawSource, { identity, onError }: ServeOptions): McpServer {
  const { instructions, serverInfo } = source.identity;
  const info = { name: "mcp-codegen", version: "0.0.0", ...identity, ...serverInfo };
  // Recorded declarations, lists and answers may not match the SDK's types.
  const capabilities: unknown = source.identity.capabilities;
  const mcp = new McpServer(info, instructions === undefined ? {} : { instructions });
  const { server } = mcp;
  // The constructor would declare `listChanged` too.
  server.registerCapabilities(capabilities as ServerCapabilities);
  if (onError !== undefined) server.onerror = onError;
  server.setRequestHandler("tools/list", () => {
    const tools: unknown = source.tools();
    return { tools: tools as Tool[] };
  });
  const { prompts, resources } = source.identity.capabilities;
  if (prompts !== undefined) {
    server.setRequestHandler("prompts/list", () => {
      const found: unknown = source.entries("prompts");
      return { prompts: found as Prompt[] };
    });
    server.setRequestHandler("prompts/get", async ({ params: { name, arguments: args = {} } }) => {
      const result = await answer(source.read({ method: "prompts/get", name, arguments: args }));
      return result as GetPromptResult;
    });
  }
  if (resources !== undefined) {
    server.setRequestHandler("resources/list", () => {
      const found: unknown = source.entries("resources");
      return { resources: found as Resource[] };
    });
    server.setRequestHandler("resources/templates/list", () => {
      const found: unknown = source.entries("resourceTemplates");
      return { resourceTemplates: found as ResourceTemplateType[] };
    });
    server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
      const result = await answer(source.read({ method: "resources/read", uri }));
      return result as ReadResourceResult;
    });
  }
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }) => {
    const result = await answer(source.call(name, isJsonObject(args) ? args : {}));
    return result as CallToolResult;
  });
  return mcp;
}

async function answer(result: Promise<JsonObject>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    throw toProtocolError(error);
  }
}

function toProtocolError(error: unknown): unknown {
  const rpc = rpcErrorOf(error);
  if (rpc !== undefined) return new ProtocolError(rpc.code, rpc.message, rpcDataOf(error));
  // The user can fix it, such as a broken cassette.
  return error instanceof McpCodegenError ? new ProtocolError(INTERNAL_ERROR, error.message) : error;
}

const INTERNAL_ERROR = -32603;
