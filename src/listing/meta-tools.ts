import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../contract/json.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import { excerpt } from "../transport/server-text.js";
import type { RequestContext } from "./request-context.js";

/** The three tools that the adapter's default server lists instead of abilities. */
export const META_TOOLS = {
  discover: "mcp-adapter-discover-abilities",
  info: "mcp-adapter-get-ability-info",
  execute: "mcp-adapter-execute-ability",
} as const;

/** Whether these are the tools of the adapter's default server. */
export function hasMetaTools(tools: readonly { readonly name: string }[]): boolean {
  const names = new Set(tools.map(({ name }) => name));
  return Object.values(META_TOOLS).every((name) => names.has(name));
}

export interface MetaAnswer {
  readonly value: JsonObject;
  /** The JSON that the value was read from. */
  readonly text: string;
}

/**
 * Calls a meta-tool and returns its answer.
 *
 * @throws McpCodegenError `SERVER_REFUSED` for an error of the tool, `PROTOCOL_INVALID` for an answer that is
 *   not an object, and the errors of {@link Session.request}
 */
export async function callMetaTool(
  session: RequestContext,
  name: string,
  input: JsonObject,
  signal: AbortSignalLike | undefined,
): Promise<MetaAnswer> {
  let raw = "";
  const result = await session.request(
    "tools/call",
    { name, arguments: input },
    {
      ...(signal && { signal }),
      onText: (message) => {
        raw = message;
      },
    },
  );
  const text = textOf(result);
  if (getOwn(result, "isError") === true) {
    const reason = excerpt(session.scrub(text));
    throw new McpCodegenError("SERVER_REFUSED", `WordPress refused ${name}: ${reason}`, {
      hint: 'The account needs the capability that the adapter requires, by default "read".',
    });
  }
  const structured = getOwn(result, "structuredContent");
  if (isJsonObject(structured)) return { value: structured, text: raw };
  const parsed = tryParseJson(text);
  if (isJsonObject(parsed)) return { value: parsed, text };
  throw new McpCodegenError(
    "PROTOCOL_INVALID",
    `WordPress answered ${name} with something that is not an object.`,
    {
      hint: "Look at the server's log.",
    },
  );
}

function textOf(result: JsonObject): string {
  const content: JsonValue | undefined = getOwn(result, "content");
  const blocks: readonly JsonValue[] = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => {
      const text = isJsonObject(block) ? getOwn(block, "text") : undefined;
      return typeof text === "string" ? [text] : [];
    })
    .join("\n");
}
