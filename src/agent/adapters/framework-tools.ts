import type { AbortSignalLike } from "../../core/abort-signal.js";
import { checkArgument, FUNCTION } from "../../core/check-options.js";
import type { Provider } from "../../core/hosts/fit-schema.js";
import type { ModelSchema } from "../../core/model-schema.js";
import { needsApproval } from "../registry/approval.js";
import type { ToolSource } from "../registry/registry.js";
import { answerCall, type WrittenCall } from "./answer-calls.js";
import { type ModelPart, toBlocks, toPlainText } from "./model-parts.js";
import {
  asksFor,
  checkAdapterOptions,
  openModelTools,
  readProvider,
  PROVIDER_OPTIONS,
  type ModelFrameworkOptions,
  type SharedOptions,
} from "./model-tools.js";

/** A framework, which shows tools to the model, asks a person about calls and makes them. */
interface Framework {
  /** The function of this package, whose options are checked. */
  readonly caller: string;
  /** The provider of all its models, or the form in which it sends tools to Gemini. */
  readonly provider: Provider | { readonly google: Provider };
  /** Whether it can ask a person. */
  readonly asks: boolean;
}

interface FrameworkCall {
  readonly id?: string | undefined;
  readonly signal?: AbortSignalLike | undefined;
  /** Whether a person has approved this call. Read only for a tool whose calls do not all need approval. */
  readonly isApproved?: boolean | undefined;
}

async function openFrameworkTools(source: ToolSource, options: ModelFrameworkOptions, framework: Framework) {
  const { caller, provider } = framework;
  checkAdapterOptions<object>(caller, options, typeof provider === "string" ? {} : PROVIDER_OPTIONS);
  const fitFor = typeof provider === "string" ? provider : readProvider(options, provider.google);
  const tools = await openModelTools(source, options, fitFor);
  return [...tools].map(([name, modelTool]) => {
    const { tool, description = "", fitted, approvals } = modelTool;
    const asks = framework.asks && approvals.approve === undefined;
    /** Whether the framework has to obtain an approval before each call. */
    const waits = asks && needsApproval(tool, approvals.approval);
    return {
      name,
      description,
      schema: fitted.schema,
      waits,
      /** As `waits`, for a call with this input: for `execute` of a toolset, the tool that it calls decides. Never rejects. */
      asks: async (input: unknown) => asks && (await asksFor(modelTool, input)),
      /** Makes one call. Never rejects: the model reads a failed call as text. */
      run: async (
        input: WrittenCall["input"],
        { id = name, signal, isApproved: wasApproved = true }: FrameworkCall,
      ): Promise<readonly ModelPart[]> => {
        const isApproved = waits && (tool.findTarget === undefined || wasApproved);
        return (await answerCall(modelTool, { id, input, signal, isApproved })).parts;
      },
    };
  });
}

/** `tool` of `@langchain/core/tools`, which makes the tools: their class belongs to your version. */
export type LangChainToolFunction<T> = (
  run: (input: unknown, config?: LangChainConfig) => Promise<string | LangChainBlock[]>,
  fields: { name: string; description: string; schema: ModelSchema },
) => T;

interface LangChainConfig {
  readonly signal?: AbortSignal | undefined;
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
}

type LangChainBlock = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/**
 * Converts the tools of a source for models and agents of LangChain.js 1.x: `toLangChainTools(wordpress, tool)`, with `tool` of
 * `@langchain/core/tools`. The input is validated before the tool is called; the model reads a failed call as text.
 * Calls that need approval are refused without `approve`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toLangChainTools<T>(
  source: ToolSource,
  tool: LangChainToolFunction<T>,
  options: ModelFrameworkOptions = {},
): Promise<T[]> {
  checkArgument("toLangChainTools", "tool", tool, FUNCTION);
  const provider = { google: "gemini-parameters" } as const;
  const tools = await openFrameworkTools(source, options, {
    caller: "toLangChainTools",
    provider,
    asks: false,
  });
  return tools.map(({ name, description, schema, run }) =>
    tool(
      async (value, { toolCall, signal } = {}) =>
        toBlocks(await run({ value }, { id: toolCall?.id, signal }), writeLangChainPart),
      { name, description, schema },
    ),
  );
}

function writeLangChainPart(part: ModelPart): LangChainBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}

/** `createTool` of `@mastra/core/tools`, which makes the tools: their class belongs to your version. */
export type MastraToolFunction<T> = (fields: {
  id: string;
  description: string;
  inputSchema: ModelSchema;
  requireApproval: boolean;
  execute: (input: unknown, context?: MastraContext) => Promise<string>;
}) => T;

interface MastraContext {
  readonly abortSignal?: AbortSignal | undefined;
  readonly agent?: { readonly toolCallId?: string | undefined } | undefined;
}

/**
 * Converts the tools of a source for agents of Mastra 1.x: `toMastraTools(wordpress, createTool)`, with `createTool` of
 * `@mastra/core/tools`. The model reads a failed call as text. Calls that need approval wait for `approveToolCall`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toMastraTools<T>(
  source: ToolSource,
  createTool: MastraToolFunction<T>,
  options: ModelFrameworkOptions = {},
): Promise<Record<string, T>> {
  checkArgument("toMastraTools", "createTool", createTool, FUNCTION);
  const provider = { google: "ai-sdk-google" } as const;
  const tools = await openFrameworkTools(source, options, { caller: "toMastraTools", provider, asks: true });
  return Object.fromEntries(
    tools.map(({ name, description, schema, waits, run }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: schema,
        requireApproval: waits,
        execute: async (value, { agent, abortSignal } = {}) =>
          toPlainText(await run({ value }, { id: agent?.toolCallId, signal: abortSignal })),
      }),
    ]),
  );
}

/** A function tool in the form that `tool()` of the OpenAI Agents SDK returns. */
export interface OpenAiAgentTool {
  type: "function";
  name: string;
  description: string;
  /** A JSON Schema. The SDK's type for one cannot be named without importing it, and `never` fits every type. */
  parameters: never;
  strict: false;
  /** Runs one call. The model reads a failed call as text, and does not end the run. */
  invoke(context: unknown, input: string, details?: OpenAiAgentCall): Promise<string | OpenAiAgentOutput[]>;
  /** Resolves to `true` if a call with this input needs a person's approval: the run then ends with an interruption. */
  needsApproval(context?: unknown, input?: unknown): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

interface OpenAiAgentCall {
  readonly toolCall?: { readonly callId: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

type OpenAiAgentOutput =
  | { type: "text"; text: string }
  | { type: "image"; image: { data: string; mediaType: string } };

/**
 * Converts the tools of a source for agents of the OpenAI Agents SDK (`@openai/agents` 0.x). The model's input is validated before the
 * tool is called.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toOpenAiAgentTools(
  source: ToolSource,
  options: SharedOptions = {},
): Promise<OpenAiAgentTool[]> {
  const framework = { caller: "toOpenAiAgentTools", provider: "openai", asks: true } as const;
  const tools = await openFrameworkTools(source, options, framework);
  return tools.map(({ name, description, schema, asks, run }): OpenAiAgentTool => ({
    type: "function",
    name,
    description,
    parameters: schema as never,
    strict: false,
    invoke: async (context, json, { toolCall, signal } = {}) => {
      const id = toolCall?.callId;
      const call = { id, signal, isApproved: wasApprovedIn(context, name, id) };
      return toBlocks(await run({ json }, call), writeOpenAiAgentPart);
    },
    needsApproval: (_, input) => asks(input),
    isEnabled: () => Promise.resolve(true),
  }));
}

/** Whether the SDK's context of the run says so. */
function wasApprovedIn(context: unknown, toolName: string, callId: string | undefined): boolean {
  if (typeof context !== "object" || context === null || !("isToolApproved" in context)) return false;
  const { isToolApproved } = context;
  if (typeof isToolApproved !== "function") return false;
  return Reflect.apply(isToolApproved, context, [{ toolName, callId }]) === true;
}

function writeOpenAiAgentPart(part: ModelPart): OpenAiAgentOutput {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image", image: { data: part.data, mediaType: part.mediaType } };
}

/** A tool in the form that `toolDefinition().server()` of TanStack AI returns. */
export interface TanStackTool {
  __toolSide: "server";
  name: string;
  description: string;
  inputSchema: { type: "object" };
  /** `true` for tools whose calls need a person's approval. */
  needsApproval: boolean;
  /** Runs one call. The model reads a failed call as text. */
  execute(input: unknown, context?: TanStackContext): Promise<string>;
}

interface TanStackContext {
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * Converts the tools of a source for `chat` of TanStack AI (`@tanstack/ai` 0.x). The model's input is validated before the tool is
 * called.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toTanStackTools(
  source: ToolSource,
  options: ModelFrameworkOptions = {},
): Promise<TanStackTool[]> {
  const framework = { caller: "toTanStackTools", provider: { google: "gemini" }, asks: true } as const;
  const tools = await openFrameworkTools(source, options, framework);
  return tools.map(({ name, description, schema, waits, run }): TanStackTool => ({
    __toolSide: "server",
    name,
    description,
    inputSchema: schema,
    needsApproval: waits,
    execute: async (value, { toolCallId, abortSignal } = {}) =>
      toPlainText(await run({ value }, { id: toolCallId, signal: abortSignal })),
  }));
}
