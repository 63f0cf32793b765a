import { checkArgument, FLAG, type OptionKind, type OptionRules } from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import type { ContentBlock, ToolContent } from "../../core/call.js";
import { contentBeside, ToolCallError } from "../../runtime/result.js";
import { DEFAULT_OUTPUT_MODE, validateOutput } from "../../runtime/validate-call.js";
import type { Issue } from "../../core/schema.js";
import { describeIssues } from "../../schema/validation/schema.js";
import type { AnyTool, Tool, ToolMembers } from "../../core/tool.js";
import type { Connection } from "../../runtime/define-tool.js";
import type { StaticTool } from "../define-static-tool.js";
import { readFoundNames } from "../toolset/find-tools.js";
import {
  asksFor,
  callForModel,
  checkAdapterOptions,
  findInputIssues,
  toModelTool,
  type ModelTool,
  type AdapterOptions,
  openModelTools,
  PROVIDER_OPTIONS,
  type ProviderOptions,
  readProvider,
  type SharedOptions,
} from "./model-tools.js";
import { explainName } from "./answer-calls.js";
import { isContent, toModelParts, toPlainText, type PlainContent } from "./model-parts.js";
import { type ApprovalOptions, needsApproval } from "../registry/approval.js";
import type { ToolSource } from "../registry/registry.js";
import { assertEnvironment } from "../registry/server-source.js";
import { isTool } from "../../runtime/tool.js";
import { openView, registerIn } from "../registry/tool-view.js";

export interface AiSdkToolsOptions extends AdapterOptions, ApprovalOptions, ProviderOptions {
  /**
   * Of a session, for `@ai-sdk/anthropic`: gives all tools, deferred, and a search whose answers refer to the found ones.
   * `toAiSdkRun` is not needed then.
   */
  readonly deferLoading?: boolean | undefined;
}

const OPTIONS: OptionRules<Omit<AiSdkToolsOptions, keyof SharedOptions>> = {
  ...PROVIDER_OPTIONS,
  deferLoading: FLAG,
};

/** A tool in the form that `tool()` of the AI SDK returns, versions 5 to 7: each ignores members that it does not know. */
export interface AiSdkTool<I = unknown, O = unknown> {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: AiSdkSchema;
  readonly outputSchema?: AiSdkSchema;
  /** Whether calls need a person's approval; a function if that depends on the input, as for `execute` of a toolset. */
  readonly needsApproval?: boolean | ((input: I) => Promise<boolean>);
  /** @throws ToolCallError, which the AI SDK converts to a `tool-error` for the model. */
  execute(input: I, options: AiSdkCallOptions): Promise<O>;
  /** Converts results, so that models see texts and images as such, and numbers with the digits of the server. */
  readonly toModelOutput?: ToModelOutput;
  readonly providerOptions?: { readonly anthropic: { readonly deferLoading: true } };
}

/**
 * A schema of the AI SDK, created on demand. Each version of `ai` marks its schemas with a symbol of its own types, which cannot be
 * named without importing one of them; all of them accept `never`.
 */
type AiSdkSchema = () => never;

interface AiSdkCallOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
  /** The conversation so far, with the approvals of version 6. */
  readonly messages?: readonly { readonly content: unknown }[];
}

type MediaPart<T extends string> = { type: T; data: string; mediaType: string };
/** The SDK's type of JSON is not readonly. */
type SdkJson = null | boolean | number | string | SdkJson[] | { [key: string]: SdkJson };

type ModelOutput<T extends string> =
  | { type: "text"; value: string }
  | { type: "json"; value: SdkJson }
  | { type: "content"; value: ({ type: "text"; text: string } | MediaPart<T>)[] };

/** `ai` 6 and 7 also pass parts that only a provider knows. */
type NewModelOutput = ModelOutput<"image-data"> | SdkReferences;
type AnyModelOutput = ModelOutput<"image-data" | "media"> | SdkReferences;

type SdkReferences = { type: "content"; value: SdkReference[] };

interface SdkReference {
  type: "custom";
  providerOptions: { anthropic: { type: "tool-reference"; toolName: string } };
}

interface GivenOutput {
  readonly toolCallId: string;
  readonly output: unknown;
}

interface ToModelOutput {
  /** `ai` 6 and 7. */
  (output: GivenOutput): NewModelOutput;
  /** `ai` 5, which passes only the output. */
  (output: unknown): ModelOutput<"media">;
}

/** Converts a tool's value to JSON for the results of a step. */
type Plain<O> = O extends ToolContent ? PlainContent : O;

/** The tools by the names that models see: with their types for what a generated `connect()` returned, else any names. */
export type AiSdkTools<Source> =
  Source extends Connection<infer Names>
    ? unknown extends Names
      ? Record<string, AiSdkTool>
      : {
          -readonly [K in keyof Names & keyof Source as Names[K] & string]: Source[K] extends ToolMembers<
            infer I,
            infer O,
            infer _E
          >
            ? AiSdkTool<I, Plain<O>>
            : never;
        }
    : Record<string, AiSdkTool>;

/**
 * Converts the tools of a source for `generateText`, `streamText` and agents of the Vercel AI SDK, under names that every provider
 * accepts. The model sees the raw schemas. Its input is validated before a person is asked or the tool is called.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name; `USAGE` for a session without `deferLoading`, whose
 * tools change between the steps of a run: see {@link toAiSdkRun}
 */
export async function toAiSdkTools<Source extends ToolSource>(
  source: Source,
  options: AiSdkToolsOptions = {},
): Promise<AiSdkTools<Source>> {
  checkAdapterOptions("toAiSdkTools", options, OPTIONS);
  if (options.deferLoading !== true && openView(source, options).getDeferrable !== undefined) {
    const message = "toAiSdkTools: the SDK would not see the tools that the session finds.";
    const hint = "Write generateText({ …, ...(await toAiSdkRun(session)) }).";
    throw new McpCodegenError("USAGE", message, { hint });
  }
  return (await convertAll(source, options)) as AiSdkTools<Source>;
}

async function convertAll(
  source: ToolSource,
  options: AiSdkToolsOptions,
): Promise<Record<string, AiSdkTool>> {
  const tools = await openModelTools(source, options, readProvider(options, "ai-sdk-google"));
  return Object.fromEntries([...tools].map(([name, tool]) => [name, build(tool)]));
}

const TOOL: OptionKind = { words: "a generated or static tool; toAiSdkTools takes many", is: isTool };

/** Converts one tool for the AI SDK, with its types. Models know it by its key in your `tools`. */
export function toAiSdkTool<I, O, Environment extends string>(
  tool: Tool<I, O, Environment> | StaticTool<I, O>,
  options: AiSdkToolsOptions = {},
): AiSdkTool<I, Plain<O>> {
  checkAdapterOptions("toAiSdkTool", options, OPTIONS);
  checkArgument("toAiSdkTool", "tool", tool, TOOL);
  const any: AnyTool = tool;
  assertEnvironment(options.environment, Object.keys(any.definition.server?.environments ?? {}));
  const registered = registerIn(options.environment, any, any.definition.name);
  const provider = readProvider(options, "ai-sdk-google");
  return build(toModelTool(registered, undefined, options, provider)) as AiSdkTool<I, Plain<O>>;
}

function build(modelTool: ModelTool): AiSdkTool {
  const { tool, description, fitted, approvals } = modelTool;
  const { output, findTarget } = tool;
  const waits =
    approvals.approve === undefined && (findTarget !== undefined || needsApproval(tool, approvals.approval));
  const asks = findTarget === undefined || ((input: unknown) => asksFor(modelTool, input));
  return omitUndefined({
    title: tool.title,
    description,
    inputSchema: toAiSdkSchema(
      (value) => findInputIssues(tool, fitted.restore(value)),
      () => fitted.schema,
    ),
    outputSchema:
      output &&
      toAiSdkSchema(
        // `execute` has read the answer in the same mode.
        (value) => validateOutput(output, value, DEFAULT_OUTPUT_MODE, () => undefined),
        () => ({}),
      ),
    needsApproval: waits ? asks : undefined,
    execute: async (input: unknown, sdkOptions: AiSdkCallOptions) => {
      const { toolCallId, abortSignal } = sdkOptions;
      const isApproved = waits && wasApproved(sdkOptions);
      const call = { id: toolCallId, input, isApproved, signal: abortSignal };
      const result = await callForModel(modelTool, call);
      if (!result.ok) {
        const { modelError, message: words } = result.error;
        // The AI SDK passes only the message to the model.
        const message = modelError ? JSON.stringify(modelError) : words;
        throw new ToolCallError({ ...result.error, message });
      }
      const value = toPlain(result.value);
      if (typeof value === "object" && value !== null) blocksBeside.set(value, contentBeside(result));
      return value;
    },
    toModelOutput: convertWith(
      tool.isSearch === true ? toReferences : output === undefined ? toModelOutput : toDataOutput,
    ),
    providerOptions: tool.isDeferred === true ? { anthropic: { deferLoading: true as const } } : undefined,
  });
}

/**
 * Whether the AI SDK itself has obtained the approval. Version 5 ignores `needsApproval` and calls every tool. Version 6 adds the
 * answer to the messages. Version 7 also accepts approvals from its setting `toolApproval`, without a message; its calls
 * have the key `context`, which earlier versions call `experimental_context`.
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

type MessagePart = { readonly [key in "type" | "toolCallId" | "approvalId" | "approved"]?: unknown };

function isParts(content: unknown): content is readonly MessagePart[] {
  return Array.isArray(content) && content.every((part) => typeof part === "object" && part !== null);
}

function toPlain(value: unknown): unknown {
  if (!isContent(value)) return value;
  const { text, content, structuredContent } = value;
  return omitUndefined({ text, content, structuredContent });
}

/** The symbols by which the AI SDK recognizes schemas. Version 5 also requires the second one. */
const MARKS = { [Symbol.for("vercel.ai.schema")]: true, [Symbol.for("vercel.ai.validator")]: true };

/** Does the same as `jsonSchema()` of the AI SDK, without importing it. Valid values are returned unchanged. */
function toAiSdkSchema(
  judge: (value: unknown) => Promise<readonly Issue[]>,
  readJsonSchema: () => unknown,
): AiSdkSchema {
  const validate = async (value: unknown): Promise<object> => {
    const issues = await judge(value);
    if (issues.length === 0) return { success: true, value };
    return { success: false, error: new Error(describeIssues(issues)) };
  };
  const made = Object.defineProperty({ ...MARKS, _type: undefined, validate }, "jsonSchema", {
    get: readJsonSchema,
    enumerable: true,
  });
  return () => made as never;
}

/** The content blocks that came beside a value. The AI SDK passes only the value on. */
const blocksBeside = /* @__PURE__ */ new WeakMap<object, readonly ContentBlock[]>();

function findBeside(value: unknown): readonly ContentBlock[] {
  return typeof value === "object" && value !== null ? (blocksBeside.get(value) ?? []) : [];
}

/** Converts outputs in both forms in which the versions of the AI SDK pass them. */
function convertWith(convert: (output: unknown, isNew: boolean) => AnyModelOutput): ToModelOutput {
  const convertAny = (value: unknown): AnyModelOutput =>
    isGivenOutput(value) ? convert(value.output, true) : convert(value, false);
  // The form of the value decides that of the answer.
  return convertAny as ToModelOutput;
}

function toModelOutput(output: unknown, isNew: boolean): AnyModelOutput {
  const parts = toModelParts(output, findBeside(output));
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (text.length === parts.length) return { type: "text", value: text.join("\n") };
  const type = isNew ? "image-data" : "media";
  return {
    type: "content",
    value: parts.map((part) => (part.type === "text" ? { ...part } : { ...part, type })),
  };
}

/** As the AI SDK would, unless that lost content blocks or digits. */
function toDataOutput(output: unknown, isNew: boolean): AnyModelOutput {
  const json = JSON.stringify(output ?? null);
  const [part, ...others] = toModelParts(output, findBeside(output));
  const isPlain = others.length === 0 && part?.type === "text" && part.text === json;
  return isPlain ? { type: "json", value: JSON.parse(json) as SdkJson } : toModelOutput(output, isNew);
}

/** Refers to the found tools. Only `@ai-sdk/anthropic` 3 and later read this. */
function toReferences(output: unknown, isNew: boolean): AnyModelOutput {
  const names = isNew ? readFoundNames(output) : [];
  if (names.length === 0) return { type: "text", value: toPlainText(toModelParts(output)) };
  const value = names.map((name): SdkReference => ({
    type: "custom",
    providerOptions: { anthropic: { type: "tool-reference", toolName: name } },
  }));
  return { type: "content", value };
}

/** No content of a tool has these keys. */
function isGivenOutput(output: unknown): output is GivenOutput {
  return typeof output === "object" && output !== null && "toolCallId" in output && "output" in output;
}

/** Settings for `generateText`, `streamText` and agents of the Vercel AI SDK, versions 5, 6 and 7. */
export interface AiSdkRun {
  /** The tools that the model sees: always the same object, updated before each step. */
  readonly tools: Record<string, AiSdkTool>;
  readonly prepareStep: () => Promise<{ activeTools: string[] }>;
  /** Advises a model that calls an unknown tool. Repairs no calls. */
  readonly experimental_repairToolCall: (failed: {
    readonly toolCall: { readonly toolName: string };
  }) => Promise<null>;
}

/**
 * Converts what shows more as it goes, such as a session, for the Vercel AI SDK:
 * `generateText({ model, prompt, ...(await toAiSdkRun(session)) })`. A model can call only what it sees: of a session `search_tools`,
 * the core tools and the tools it has found. Convert it again for each run.
 */
export async function toAiSdkRun(source: ToolSource, options: AiSdkToolsOptions = {}): Promise<AiSdkRun> {
  checkAdapterOptions("toAiSdkRun", options, OPTIONS);
  // The SDK reads the object again at each step, and shows and calls only tools in it. Without a prototype, a tool named
  // "__proto__" is an ordinary key.
  const tools = Object.create(null) as Record<string, AiSdkTool>;
  const refresh = async (): Promise<{ activeTools: string[] }> => {
    const active = await convertAll(source, options);
    for (const name of Object.keys(tools)) Reflect.deleteProperty(tools, name);
    Object.assign(tools, active);
    return { activeTools: Object.keys(tools) };
  };
  await refresh();
  return {
    tools,
    prepareStep: refresh,
    experimental_repairToolCall: async ({ toolCall: { toolName } }) => {
      // The SDK itself reports invalid input.
      if (Object.hasOwn(tools, toolName)) return null;
      const view = openView(source, options);
      const names = Object.keys(tools).map((name) => ({ name }));
      const { message } = await explainName(view, toolName, names);
      throw new Error(message);
    },
  };
}
