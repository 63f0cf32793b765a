import type { RegisteredTool } from "../registry/registered-tool.js";
import { answerCalls, type Answer, type CallToolsOptions, type WrittenCall } from "./answer-calls.js";
import { NAME_LIMITS, checkAdapterOptions, withModelTools, type ModelToolsOptions } from "./model-tools.js";
import type { ModelPart } from "./model-parts.js";
import { toModelSchema, type ModelSchema } from "../../contract/model-schema.js";
import type { Made, ToolSource } from "./tool-source.js";

export interface AnthropicToolsOptions extends ModelToolsOptions {
  /**
   * Which tools carry `defer_loading`, so that they cost no context before a tool search finds them. Your request needs
   * the search tool beside them: one tool at least must not be deferred.
   */
  readonly deferLoading?: boolean | ((tool: RegisteredTool) => boolean);
}

/** A tool of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ModelSchema;
  defer_loading?: true;
}

/** A block of a message's `content`; those of the type `tool_use` are calls. */
export interface AnthropicBlock {
  readonly type: string;
}

/** What a user message says of a call. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: (AnthropicText | AnthropicImage)[];
  is_error?: true;
}

interface AnthropicText {
  type: "text";
  text: string;
}

interface AnthropicImage {
  type: "image";
  source: { type: "base64"; media_type: AnthropicMediaType; data: string };
}

const MEDIA_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
type AnthropicMediaType = (typeof MEDIA_TYPES)[number];

/**
 * The tools of a source for Anthropic's Messages API.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export function toAnthropicTools<S extends ToolSource>(
  source: S,
  options?: AnthropicToolsOptions,
): Made<S, AnthropicTool[]>;
export function toAnthropicTools(source: ToolSource, options: AnthropicToolsOptions = {}): unknown {
  checkAdapterOptions("toAnthropicTools", options);
  const { deferLoading = false } = options;
  const isDeferred = typeof deferLoading === "function" ? deferLoading : () => deferLoading;
  return withModelTools(source, options, NAME_LIMITS.anthropic, (tools) =>
    [...tools].map(([name, { tool, description }]): AnthropicTool => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: toModelSchema(tool.inputSchema()),
      ...(isDeferred(tool) && { defer_loading: true }),
    })),
  );
}

/**
 * Makes the calls among a message's content blocks, side by side, and answers each with a `tool_result`, in their order:
 * the content of your next user message. An unknown name, invalid input and a failed call are answers with `is_error`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function callAnthropicTools(
  source: ToolSource,
  content: readonly AnthropicBlock[],
  options: CallToolsOptions = {},
): Promise<AnthropicToolResult[]> {
  checkAdapterOptions("callAnthropicTools", options);
  const answers = await answerCalls(source, content.flatMap(readCall), options, NAME_LIMITS.anthropic);
  return answers.map(writeAnswer);
}

function readCall(
  block: AnthropicBlock & { readonly id?: unknown; readonly name?: unknown; readonly input?: unknown },
): readonly WrittenCall[] {
  if (block.type !== "tool_use") return [];
  return [{ id: String(block.id), name: String(block.name), input: { value: block.input } }];
}

function writeAnswer({ id, isError, parts }: Answer): AnthropicToolResult {
  return {
    type: "tool_result",
    tool_use_id: id,
    content: parts.map(writePart),
    ...(isError && { is_error: true }),
  };
}

function writePart(part: ModelPart): AnthropicText | AnthropicImage {
  if (part.type === "text") return { ...part };
  const { data, mediaType } = part;
  if (!isShown(mediaType)) return { type: "text", text: `[${mediaType}: cannot be shown]` };
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

function isShown(mediaType: string): mediaType is AnthropicMediaType {
  return MEDIA_TYPES.some((known) => known === mediaType);
}
