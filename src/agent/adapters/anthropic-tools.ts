import { omitUndefined } from "../../core/collections.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { answerCalls, type CallAnswer, type CallToolsOptions, type WrittenCall } from "./answer-calls.js";
import { checkAdapterOptions, withModelTools, type ModelToolsOptions } from "./model-tools.js";
import type { ModelPart } from "./model-parts.js";
import type { ModelSchema } from "../../core/model-schema.js";
import type { Made, ToolSource } from "./tool-source.js";

export interface AnthropicToolsOptions extends ModelToolsOptions {
  /**
   * The tools with `defer_loading`, which cost no context before a tool search finds them. Your request also needs the
   * search tool: at least one tool must not be deferred.
   */
  readonly deferLoading?: boolean | ((tool: RegisteredTool) => boolean) | undefined;
}

/** A tool of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ModelSchema;
  defer_loading?: true;
}

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
 * Converts the tools of a source for Anthropic's Messages API.
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
  return withModelTools(source, options, "anthropic", (tools) =>
    [...tools].map(([name, { tool, description, fitted }]): AnthropicTool =>
      omitUndefined({
        name,
        description,
        input_schema: fitted.schema,
        defer_loading: isDeferred(tool) ? (true as const) : undefined,
      }),
    ),
  );
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
  options: CallToolsOptions = {},
): Promise<AnthropicToolResult[]> {
  checkAdapterOptions("callAnthropicTools", options);
  const answers = await answerCalls(source, content.flatMap(readCall), options, "anthropic");
  return answers.map(writeAnswer);
}

function readCall(block: AnthropicBlock): readonly WrittenCall[] {
  if (block.type !== "tool_use") return [];
  return [{ id: String(block.id), name: String(block.name), input: { value: block.input } }];
}

function writeAnswer({ id, isError, parts }: CallAnswer): AnthropicToolResult {
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
