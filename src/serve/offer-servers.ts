import { checkArgument } from "../core/check-options.js";
import { SOURCE } from "../agent/registry/tool-view.js";
import {
  createRequestStateCodec,
  inputRequired,
  isSpecType,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type ContentBlock,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { digestOf } from "../core/digest.js";
import { omitUndefined } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { isJsonObject } from "../core/json.js";
import type { CallOptions } from "../core/call.js";
import type { ToolAnswer } from "../agent/toolset/toolset.js";
import { answerWithError, toolsetError } from "../agent/toolset/toolset-error.js";
import { canAsk, createHeldCalls, holdCall, newKey, newSessionId } from "./ask-client.js";
import { createRawServer, offerOf } from "./offer-directly.js";
import { isRawSource, type Offer, type Servable, type ServeOptions } from "./offer.js";

/**
 * Returns functions that create servers of one source: the SDK needs one for each connection or request. A confirmation
 * that one of them received is valid for all.
 */
export function offerServers(source: Servable, options: ServeOptions): ReturnType<typeof keepConnected> {
  checkArgument("Tools to serve", "source", source, SOURCE);
  if (isRawSource(source))
    return keepConnected(
      () => createRawServer(source, options),
      (listener) => source.onChange?.(listener),
    );
  const { identity = { name: "mcp-codegen", version: "0.0.0" }, instructions, onError } = options;
  const offer = offerOf(source, options);
  const seal = createRequestStateCodec<string>({ key: newKey() });
  const held = createHeldCalls();
  const create = (): McpServer => {
    const mcp = new McpServer(identity, {
      capabilities: { tools: offer.onChange === undefined ? {} : { listChanged: true } },
      requestState: { verify: (state, context) => seal.verify(state, context) },
      ...omitUndefined({ instructions }),
    });
    const { server } = mcp;
    if (onError !== undefined) server.onerror = onError;
    server.setRequestHandler("tools/list", async (_request, context) => {
      const tools = await offer.list(rolesOf(context)).catch(refuseRole);
      return { tools: tools.map((tool) => ({ ...tool, annotations: { ...tool.annotations } })) };
    });
    server.setRequestHandler("tools/call", ({ params }, context) =>
      answerCall(offer, params, context, {
        seal,
        held,
        // oxlint-disable-next-line typescript/no-deprecated -- the only source of what clients before 2026 declare
        declared: () => server.getClientCapabilities(),
      }),
    );
    return mcp;
  };
  return keepConnected(create, (listener) => offer.onChange?.(listener));
}

/** Servers that are notified when a list changes. */
function keepConnected(
  create: () => McpServer,
  subscribe: (listener: () => void) => (() => void) | undefined,
) {
  const connected = new Set<McpServer>();
  return {
    /** A server for one request. */
    create,
    /** A server for a connection, whose client is notified when the list of tools changes. */
    createConnected: (): McpServer => {
      const mcp = create();
      connected.add(mcp);
      mcp.server.onclose = () => {
        connected.delete(mcp);
      };
      return mcp;
    },
    /** Starts notifications of changes. Returns a function that stops them. */
    listen: (onChange: () => void): (() => void) =>
      subscribe(() => {
        for (const mcp of connected) mcp.sendToolListChanged();
        onChange();
      }) ?? (() => undefined),
  };
}

interface CallContext {
  /** Seals the id of a call that waits for its client. Each question has another. */
  readonly seal: RequestStateCodec<string>;
  readonly held: ReturnType<typeof createHeldCalls>;
  readonly declared: Parameters<typeof canAsk>[1];
}

/** Answers a call, or asks the client's user: for consent, or a question of the upstream server. */
async function answerCall(
  offer: Offer,
  { name, arguments: args = {} }: CallToolRequest["params"],
  context: ServerContext,
  { seal, held, declared }: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const roles = rolesOf(context);
  const digest = digestOf({ name, args: isJsonObject(args) ? args : {}, roles });
  const asked = context.mcpReq.requestState<string>();
  const waiting = asked === undefined ? undefined : held.release(asked, digest);
  if (asked !== undefined && waiting === undefined) return toResult(EXPIRED);
  waiting?.take(context);
  const canAnswer = (kind: "form" | "url"): boolean => canAsk(context, declared, kind);
  const call =
    waiting ??
    holdCall(canAnswer, ({ onInput, approve }, signal) =>
      offer.answer(name, args, {
        ...omitUndefined({
          roles: roles.length > 0 ? roles : undefined,
          approve: canAnswer("form") ? approve : undefined,
          onProgress: progressOf(context),
          onInput: canAnswer("form") || canAnswer("url") ? onInput : undefined,
        }),
        signal,
      }),
    );
  // Aborts when the client cancels the call, and when it drops the request: calls cannot be resumed.
  const signals = [context.mcpReq.signal, context.http?.req?.signal].filter((signal) => signal !== undefined);
  const outcome = await call.next(AbortSignal.any(signals)).catch(refuseRole);
  if (outcome.kind === "done") return boundResult(toResult(outcome.answer));
  const id = newSessionId();
  held.keep(id, digest, call);
  // A legacy request stays open while the client is asked. In a modern one, the question ends it.
  if (context.mcpReq.envelope === undefined)
    context.mcpReq.signal.addEventListener("abort", () => held.release(id, digest)?.abort());
  return inputRequired({
    inputRequests: { ...outcome.request },
    requestState: await seal.mint(id, context),
  });
}

/** The answer to a request for a call that was aborted. */
const EXPIRED: ToolAnswer = {
  isError: true,
  content: [
    { type: "text", text: "The question is no longer open. Call the tool again if it is still needed." },
  ],
};

/** The key of `_meta` in which a client restricts a request to roles. */
const ROLE_KEY = "mcp-codegen/role";

/** The roles that a request names: in its `_meta`, and over HTTP in the URL, `?role=`. */
function rolesOf({ mcpReq, http }: ServerContext): readonly string[] {
  const meta: { readonly [key: string]: unknown } = mcpReq._meta ?? {};
  const named = meta[ROLE_KEY];
  const inUrl = http?.req === undefined ? [] : new URL(http.req.url).searchParams.getAll("role");
  return [...(Array.isArray(named) ? named : named === undefined ? [] : [named]).map(String), ...inUrl];
}

/** A request with an unknown role is an error, not a request without a role. */
function refuseRole(error: unknown): never {
  if (error instanceof McpCodegenError && error.code === "CONFIG_INVALID")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message} ${error.hint ?? ""}`.trim());
  throw error;
}

function progressOf({ mcpReq }: ServerContext): CallOptions["onProgress"] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    // A disconnected client is not notified.
    mcpReq
      .notify({ method: "notifications/progress", params: { progressToken, ...progress } })
      .catch(() => undefined);
  };
}

/** Omits blocks that clients would reject. `structuredContent` has their contents. */
function toResult({ isError, content, structuredContent }: ToolAnswer): CallToolResult {
  return omitUndefined({
    content: content.filter((block): block is ContentBlock => isSpecType.ContentBlock(block)),
    structuredContent: structuredContent && { ...structuredContent },
    isError: isError ? true : undefined,
  });
}

/** Bytes of a result as JSON. The clients of the SDK end the connection at a message of ten mebibytes. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A shorter text stays below the limit however it is escaped. */
const SURELY_SMALL = 500_000;

/** Replaces a result that is too large with an error, since it would end the connection. */
function boundResult(result: CallToolResult): CallToolResult {
  const characters = result.content.reduce((sum, block) => sum + lengthOf(block), 0);
  if (characters < SURELY_SMALL) return result;
  const bytes = new TextEncoder().encode(JSON.stringify(result)).length;
  if (bytes <= MOST_BYTES) return result;
  const size = (bytes / 1024 / 1024).toFixed(0);
  return toResult(
    answerWithError(
      toolsetError(
        "TOOL_EXECUTION_FAILED",
        `The tool ran, and its result of ${size} MiB is larger than clients take (${MOST_BYTES / 1024 / 1024} MiB).`,
        "Ask for less: a page, a range, a filter. Calling it again as it was does not help.",
        { retryable: false },
      ),
    ),
  );
}

function lengthOf(block: CallToolResult["content"][number]): number {
  if (block.type === "text") return block.text.length;
  if (block.type === "image" || block.type === "audio") return block.data.length;
  return block.type === "resource" ? SURELY_SMALL : 1_000;
}
