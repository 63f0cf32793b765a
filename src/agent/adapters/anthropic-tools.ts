import { FLAG, FUNCTION, OBJECT, type OptionRules } from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
import type { RegisteredTool } from "../../core/tool.js";
import {
  answerCalls,
  SIGNAL_OPTIONS,
  readCalls,
  type CallAnswer,
  type CallToolsOptions,
  type WrittenCall,
} from "./answer-calls.js";
import {
  checkAdapterOptions,
  openModelTools,
  type AdapterOptions,
  type SharedOptions,
} from "./model-tools.js";
import { toPlainText, type ModelPart } from "./model-parts.js";
import type { ModelSchema } from "../../core/model-schema.js";
import type { ToolSource } from "../registry/registry.js";

export interface AnthropicOptions extends AdapterOptions {
  /**
   * The tools with `defer_loading`, which cost no context before a search finds them. Of a session, `true` gives all tools,
   * with its own search, whose answers refer to the found tools. Of another source, your request also needs a search tool.
   */
  readonly deferLoading?: boolean | ((tool: RegisteredTool) => boolean) | undefined;
  /** The callers of a tool, such as `["code_execution_20260120"]` for programmatic calls. Default: the model. */
  readonly allowedCallers?: ((tool: RegisteredTool) => readonly AnthropicCaller[] | undefined) | undefined;
  /** Set on the last tool that is not deferred, so that the provider caches the tools. */
  readonly cacheControl?: { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" } | undefined;
}

/** A tool of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ModelSchema;
  defer_loading?: true;
  allowed_callers?: AnthropicCaller[];
  cache_control?: NonNullable<AnthropicOptions["cacheControl"]>;
}

type AnthropicCaller =
  | "direct"
  | "code_execution_20250825"
  | "code_execution_20260120"
  | "code_execution_20260521";

/** A block of a message's `content`. Blocks of the type `tool_use` are calls. */
export interface AnthropicBlock {
  readonly type: string;
  /** Of a call. A model may send any value. */
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  /** Of a text. */
  readonly text?: unknown;
}

/** The result of a call, for the content of a user message. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: AnthropicContent[];
  is_error?: true;
}

/** A reference makes the provider show the definition of a deferred tool. */
type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: (typeof MEDIA_TYPES)[number]; data: string } }
  | { type: "tool_reference"; tool_name: string };

const MEDIA_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

const OPTIONS: OptionRules<Omit<AnthropicOptions & CallToolsOptions, keyof SharedOptions>> = {
  ...SIGNAL_OPTIONS,
  deferLoading: [FLAG, FUNCTION],
  allowedCallers: FUNCTION,
  cacheControl: OBJECT,
};

/**
 * Converts the tools of a source for Anthropic's Messages API.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toAnthropicTools(
  source: ToolSource,
  options: AnthropicOptions = {},
): Promise<AnthropicTool[]> {
  checkAdapterOptions("toAnthropicTools", options, OPTIONS);
  const { deferLoading = false, allowedCallers, cacheControl } = options;
  const tools = await openModelTools(source, options, "anthropic");
  const hasSearch = [...tools.values()].some(({ tool }) => tool.isSearch === true);
  const isDeferred = (tool: RegisteredTool): boolean => {
    if (hasSearch && tool.isDeferred !== true) return false;
    return typeof deferLoading === "function" ? deferLoading(tool) : deferLoading;
  };
  const written = [...tools].map(([name, { tool, description, fitted }]): AnthropicTool => {
    const callers = allowedCallers?.(tool);
    return omitUndefined({
      name,
      description,
      input_schema: fitted.schema,
      defer_loading: isDeferred(tool) ? (true as const) : undefined,
      allowed_callers: callers && [...callers],
    });
  });
  // A deferred tool must not be cached.
  const last = written.findLast((tool) => tool.defer_loading === undefined);
  if (last !== undefined && cacheControl !== undefined) last.cache_control = cacheControl;
  return written;
}

/**
 * Makes the calls in a message's content blocks in parallel, and returns a `tool_result` for each in the same order: the content
 * of your next user message. For an unknown name, invalid input or a failed call, it has `is_error`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function callAnthropicTools(
  source: ToolSource,
  content: readonly AnthropicBlock[],
  options: CallToolsOptions & AnthropicOptions = {},
): Promise<AnthropicToolResult[]> {
  checkAdapterOptions("callAnthropicTools", options, OPTIONS);
  const calls = readCalls("callAnthropicTools", content, "message.content", "anthropic").flatMap(readCall);
  const answers = await answerCalls(source, calls, options, "anthropic");
  return answers.map(writeAnswer);
}

function readCall({ type, id, name, input }: AnthropicBlock): readonly WrittenCall[] {
  return type === "tool_use" ? [{ id: String(id), name: String(name), input: { value: input } }] : [];
}

function writeAnswer({ id, isError, parts, found: hits }: CallAnswer): AnthropicToolResult {
  const names = [...(hits?.keys() ?? [])];
  const references = names.map((name) => ({ type: "tool_reference" as const, tool_name: name }));
  return {
    type: "tool_result",
    tool_use_id: id,
    content: references.length > 0 ? references : parts.map(writePart),
    ...(isError && { is_error: true }),
  };
}

function writePart(part: ModelPart): AnthropicContent {
  if (part.type === "text") return { ...part };
  const media_type = MEDIA_TYPES.find((type) => type === part.mediaType);
  if (media_type === undefined) return { type: "text", text: toPlainText([part]) };
  return { type: "image", source: { type: "base64", media_type, data: part.data } };
}
