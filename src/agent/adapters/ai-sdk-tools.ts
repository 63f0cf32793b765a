import { ToolCallError, type ToolError, type ToolContent } from "../../runtime/result.js";
import { DEFAULT_OUTPUT_MODE, validateOutput } from "../../runtime/validate-call.js";
import { describeIssues, findIssues, type Issue } from "../../validation/schema.js";
import type { AnyTool, Tool } from "../../runtime/tool.js";
import { toModelSchema } from "../../contract/model-schema.js";
import type { StaticTool } from "../define-static-tool.js";
import type { ToolSession } from "../session/tool-session.js";
import {
  NAME_LIMITS,
  callForModel,
  checkAdapterOptions,
  toModelTool,
  type ModelTool,
  type ModelToolsOptions,
  withModelTools,
  needsApproval,
  type ApprovalOptions,
} from "./model-tools.js";
import { isContent, toModelParts, type PlainContent } from "./model-parts.js";
import { readTool, type Made, type ToolSource } from "./tool-source.js";

export type AiSdkToolsOptions = ModelToolsOptions & ApprovalOptions;

/**
 * A tool of the shape that `tool()` of the Vercel AI SDK returns. Versions 5, 6 and 7 take it; what a version does not know it
 * leaves alone.
 */
export interface AiSdkTool<I = unknown, O = unknown> {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: AiSdkSchema;
  readonly outputSchema?: AiSdkSchema;
  /** `true` on tools whose calls need a person's approval. */
  readonly needsApproval?: boolean;
  /** @throws ToolCallError, of which the AI SDK makes a `tool-error` for the model. */
  execute(input: I, options: AiSdkCallOptions): Promise<O>;
  /** Present if results are content blocks, so that models see texts and images as such. */
  readonly toModelOutput?: ToModelOutput;
}

/**
 * A schema of the AI SDK, made when it is asked for. Every version of `ai` marks its schemas with a symbol of its own types, which
 * cannot be named without importing one of them; `never` is what all of them take.
 */
type AiSdkSchema = () => never;

/** The options of the AI SDK that we use. */
interface AiSdkCallOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
  /** The conversation so far, with the approvals of version 6. */
  readonly messages?: readonly { readonly content: unknown }[];
}

type MediaPart<T extends string> = { type: T; data: string; mediaType: string };
type ModelOutput<T extends string> =
  | { type: "text"; value: string }
  | { type: "content"; value: ({ type: "text"; text: string } | MediaPart<T>)[] };

interface GivenOutput {
  readonly toolCallId: string;
  readonly output: unknown;
}

interface ToModelOutput {
  /** `ai` 6 and 7. */
  (given: GivenOutput): ModelOutput<"image-data">;
  /** `ai` 5, which passes only the output. */
  (output: unknown): ModelOutput<"media">;
}

/** Converts a tool's value to JSON for the results of a step. */
type Plain<O> = O extends ToolContent ? PlainContent : O;

/**
 * The tools of a source for `generateText`, `streamText` and agents of the Vercel AI SDK, by names that every provider takes. The model
 * is shown the raw schemas; what it sends is validated before anybody is asked or anything is sent.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export function toAiSdkTools<S extends ToolSource>(
  source: S,
  options?: AiSdkToolsOptions,
): Made<S, Record<string, AiSdkTool>>;
export function toAiSdkTools(source: ToolSource, options: AiSdkToolsOptions = {}): unknown {
  checkAdapterOptions("toAiSdkTools", options);
  return withModelTools(source, options, NAME_LIMITS.openai, (tools) =>
    Object.fromEntries([...tools].map(([name, tool]) => [name, build(tool, options)])),
  );
}

/** One tool for the AI SDK, with its types; models know it by the name that it has among your `tools`. */
export function toAiSdkTool<I, O, Environment extends string>(
  tool: Tool<I, O, Environment> | StaticTool<I, O>,
  options: AiSdkToolsOptions = {},
): AiSdkTool<I, Plain<O>> {
  checkAdapterOptions("toAiSdkTool", options);
  const any: AnyTool = tool;
  return build(toModelTool(readTool(any, any.definition.name), options), options) as AiSdkTool<I, Plain<O>>;
}

function build(modelTool: ModelTool, options: AiSdkToolsOptions): AiSdkTool {
  const { tool, description } = modelTool;
  const { output } = tool;
  const waits = options.approve === undefined && needsApproval(tool, options.approval);
  return {
    ...(tool.title !== undefined && { title: tool.title }),
    ...(description !== undefined && { description }),
    inputSchema: toAiSdkSchema(
      (value) => findIssues(tool.input, value),
      () => toModelSchema(tool.inputSchema()),
    ),
    ...(output && {
      // As `execute` has read the answer by default.
      outputSchema: toAiSdkSchema(
        (value) => validateOutput(output, value, DEFAULT_OUTPUT_MODE, () => undefined),
        () => ({}),
      ),
    }),
    ...(waits && { needsApproval: true }),
    execute: async (input, sdkOptions) => {
      const { toolCallId, abortSignal } = sdkOptions;
      const isApproved = waits && wasApproved(sdkOptions);
      const call = { id: toolCallId, input, isApproved, ...(abortSignal && { signal: abortSignal }) };
      const result = await callForModel(modelTool, call, options);
      if (!result.ok) throw toThrown(result.error);
      return toPlain(result.value);
    },
    ...(tool.output === undefined && { toModelOutput }),
  };
}

/**
 * Whether the AI SDK itself has taken care of the approval. Version 5 ignores `needsApproval` and calls every tool. Version 6
 * puts the answer among the messages. Version 7 also takes approvals from its setting `toolApproval`, which leave no
 * message; its calls are recognized by the key `context`, which earlier versions call `experimental_context`.
 */
function wasApproved(options: AiSdkCallOptions): boolean {
  if ("context" in options) return true;
  const parts = (options.messages ?? []).flatMap(({ content }) => (isParts(content) ? content : []));
  const approvals = parts.flatMap(({ type, toolCallId, approvalId }) =>
    type === "tool-approval-request" && toolCallId === options.toolCallId ? [approvalId] : [],
  );
  return parts.some(
    ({ type, approvalId, approved }) =>
      type === "tool-approval-response" && approved === true && approvals.includes(approvalId),
  );
}

/** What a part of a message of the AI SDK may hold. */
type MessagePart = { readonly [key in "type" | "toolCallId" | "approvalId" | "approved"]?: unknown };

function isParts(content: unknown): content is readonly MessagePart[] {
  return Array.isArray(content) && content.every((part) => typeof part === "object" && part !== null);
}

/** The AI SDK passes only the message to the model. */
function toThrown(error: ToolError): ToolCallError {
  return new ToolCallError(
    error.modelError ? { ...error, message: JSON.stringify(error.modelError) } : error,
  );
}

function toPlain(value: unknown): unknown {
  if (!isContent(value)) return value;
  const { text, content, structuredContent } = value;
  return { text, content, ...(structuredContent !== undefined && { structuredContent }) };
}

/** How the AI SDK knows its schemas: version 5 asks for the second symbol as well. */
const MARKS = { [Symbol.for("vercel.ai.schema")]: true, [Symbol.for("vercel.ai.validator")]: true };

/** What `jsonSchema()` of the AI SDK returns, without importing it. A value that fits stays as it is. */
function toAiSdkSchema(
  judge: (value: unknown) => Promise<readonly Issue[]>,
  readJsonSchema: () => unknown,
): AiSdkSchema {
  const made = {
    ...MARKS,
    _type: undefined,
    get jsonSchema() {
      return readJsonSchema();
    },
    validate: async (value: unknown) => {
      const issues = await judge(value);
      if (issues.length === 0) return { success: true, value };
      return { success: false, error: new Error(describeIssues(issues)) };
    },
  };
  return () => made as never;
}

function toModelOutput(given: GivenOutput): ModelOutput<"image-data">;
function toModelOutput(output: unknown): ModelOutput<"media">;
function toModelOutput(given: unknown): ModelOutput<"image-data" | "media"> {
  const isNew = isGivenOutput(given);
  const parts = toModelParts(isNew ? given.output : given);
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (text.length === parts.length) return { type: "text", value: text.join("\n") };
  const type = isNew ? "image-data" : "media";
  return {
    type: "content",
    value: parts.map((part) => (part.type === "text" ? { ...part } : { ...part, type })),
  };
}

/** No content of a tool has these keys. */
function isGivenOutput(given: unknown): given is GivenOutput {
  return typeof given === "object" && given !== null && "toolCallId" in given && "output" in given;
}

/** What `generateText`, `streamText` and agents of the Vercel AI SDK take of a session. Versions 5, 6 and 7 take it. */
export interface AiSdkSession {
  /** The tools that are active: the same object throughout, brought up to date before each step. */
  readonly tools: Record<string, AiSdkTool>;
  readonly prepareStep: () => Promise<{ activeTools: string[] }>;
  /** Repairs nothing: advises a model that calls an unknown tool to search for it. */
  readonly experimental_repairToolCall: (failed: {
    readonly toolCall: { readonly toolName: string };
  }) => Promise<null>;
}

/**
 * A session for the Vercel AI SDK: `generateText({ model, prompt, ...(await toAiSdkSession(session)) })`. A model is shown
 * `search_tools`, the core tools and what it has found, and nothing else can be called. Make one for each run.
 */
export async function toAiSdkSession(
  session: ToolSession,
  options: AiSdkToolsOptions = {},
): Promise<AiSdkSession> {
  // The SDK reads the object anew at each step. A tool that is not in it, it neither shows nor calls. Without a
  // prototype, a tool that is called "__proto__" is a key like the others.
  checkAdapterOptions("toAiSdkSession", options);
  const tools = Object.create(null) as Record<string, AiSdkTool>;
  const refresh = async (): Promise<{ activeTools: string[] }> => {
    const active = await toAiSdkTools(session, options);
    for (const name of Object.keys(tools)) Reflect.deleteProperty(tools, name);
    Object.assign(tools, active);
    return { activeTools: Object.keys(tools) };
  };
  await refresh();
  return {
    tools,
    prepareStep: refresh,
    experimental_repairToolCall: async ({ toolCall: { toolName } }) => {
      // The SDK itself reports input that does not fit.
      if (Object.hasOwn(tools, toolName)) return null;
      throw new Error(await session.explainUnknown(toolName));
    },
  };
}
