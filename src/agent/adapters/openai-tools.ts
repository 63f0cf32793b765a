import { FLAG, FUNCTION, type OptionRules } from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
import { findOwn } from "../../core/json.js";
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
  continueDescription,
  openModelTools,
  type ModelTool,
  type AdapterOptions,
  type SharedOptions,
} from "./model-tools.js";
import { type ModelPart, toBlocks, toPlainText } from "./model-parts.js";
import type { Provider } from "../../core/hosts/fit-schema.js";
import type { ModelSchema } from "../../core/model-schema.js";
import type { ToolSource } from "../registry/registry.js";

/** A tool of Chat Completions. */
export interface OpenAiChatTool {
  type: "function";
  function: OpenAiFunction;
}

interface OpenAiFunction {
  name: string;
  description?: string;
  parameters: ModelSchema;
  /** `true` where OpenAI enforces the schema. */
  strict?: boolean;
}

/** A tool of Responses. `strict` is off where OpenAI cannot enforce the schema; the default of the API is on. */
export interface OpenAiResponsesTool extends OpenAiFunction {
  type: "function";
  strict: boolean;
  defer_loading?: true;
  allowed_callers?: OpenAiCaller[];
}

type OpenAiCaller = "direct" | "programmatic";

/** The search of a session as OpenAI's tool search, which this program answers. */
export interface OpenAiSearchTool {
  type: "tool_search";
  execution: "client";
  description?: string;
  parameters: ModelSchema;
}

interface OpenAiToolsOptions extends AdapterOptions {
  /**
   * Whether OpenAI enforces the schemas, where it can: every property is then required, and null stands for those that the
   * model leaves out. Pass the same value to `callOpenAiTools`. Default: `false`.
   */
  readonly strict?: boolean | undefined;
}

interface OpenAiChatOptions extends OpenAiToolsOptions {
  readonly api?: "chat";
}

/** Options of tools for Responses. */
export interface OpenAiResponsesOptions extends OpenAiToolsOptions {
  readonly api: "responses";
  /**
   * Of a session: gives its search as `tool_search`, whose answers have the definitions of the found tools. The tools of your
   * requests then never change. Default: found tools join the list.
   */
  readonly deferLoading?: boolean | undefined;
  /** The callers of a tool, such as `["programmatic"]`. Default: the model. */
  readonly allowedCallers?: ((tool: RegisteredTool) => readonly OpenAiCaller[] | undefined) | undefined;
}

/** A tool call of Chat Completions. Calls without a function are ignored. */
export interface OpenAiChatCall {
  readonly id: string;
  readonly type?: unknown;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** An item of a response's `output`. Items of the types `function_call` and `tool_search_call` are calls. */
export interface OpenAiOutputItem {
  readonly type: string;
  /** Of a call. A model may send any value. */
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

/** The result of a call for Chat Completions: text. */
export interface OpenAiToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** The result of a call for Responses. */
export interface OpenAiFunctionOutput {
  type: "function_call_output";
  call_id: string;
  output: string | OpenAiInput[];
}

type OpenAiInput =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" };

/** The answer to a `tool_search_call`. */
export interface OpenAiSearchOutput {
  type: "tool_search_output";
  call_id: string;
  execution: "client";
  status: "completed";
  tools: OpenAiResponsesTool[];
}

type OwnOptions<T> = Omit<T & CallToolsOptions, keyof SharedOptions>;
const CHAT: OptionRules<OwnOptions<OpenAiChatOptions>> = {
  ...SIGNAL_OPTIONS,
  strict: FLAG,
  api: ["chat"],
};
const RESPONSES: OptionRules<OwnOptions<OpenAiResponsesOptions>> = {
  ...SIGNAL_OPTIONS,
  strict: FLAG,
  api: ["responses"],
  deferLoading: FLAG,
  allowedCallers: FUNCTION,
};

function rulesOf(options: object): typeof CHAT | typeof RESPONSES {
  return findOwn(options, "api") === "responses" ? RESPONSES : CHAT;
}

/**
 * Converts the tools of a source for OpenAI, in the form of Chat Completions or of the given `api`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export function toOpenAiTools(source: ToolSource, options?: OpenAiChatOptions): Promise<OpenAiChatTool[]>;
export function toOpenAiTools(
  source: ToolSource,
  options: OpenAiResponsesOptions & { readonly deferLoading: true },
): Promise<(OpenAiResponsesTool | OpenAiSearchTool)[]>;
export function toOpenAiTools(
  source: ToolSource,
  options: OpenAiResponsesOptions,
): Promise<OpenAiResponsesTool[]>;
export async function toOpenAiTools(
  source: ToolSource,
  options: OpenAiResponsesOptions | OpenAiChatOptions = {},
): Promise<(OpenAiChatTool | OpenAiResponsesTool | OpenAiSearchTool)[]> {
  checkAdapterOptions<object>("toOpenAiTools", options, rulesOf(options));
  const write = (entry: NamedModelTool): OpenAiChatTool | OpenAiResponsesTool | OpenAiSearchTool => {
    const { tool, fitted } = entry[1];
    if (options.api === "responses")
      return tool.isSearch === true ? writeSearch(entry) : writeResponsesTool(entry, options);
    return {
      type: "function",
      function: { ...writeFunction(entry), ...(fitted.isStrict && { strict: true }) },
    };
  };
  // The model gets deferred tools with the answer of a search.
  const tools = await openModelTools(source, options, providerOf(options));
  return [...tools].filter(([, { tool }]) => tool.isDeferred !== true).map(write);
}

type NamedModelTool = readonly [name: string, tool: ModelTool];

function writeResponsesTool(
  entry: NamedModelTool,
  { allowedCallers }: OpenAiResponsesOptions,
): OpenAiResponsesTool {
  const { tool, fitted } = entry[1];
  const callers = allowedCallers?.(tool);
  return omitUndefined({
    type: "function" as const,
    ...writeFunction(entry),
    strict: fitted.isStrict,
    defer_loading: tool.isDeferred,
    allowed_callers: callers && [...callers],
  });
}

function writeSearch([, { fitted, description }]: NamedModelTool): OpenAiSearchTool {
  const kind = { type: "tool_search", execution: "client" } as const;
  return omitUndefined({ ...kind, description, parameters: fitted.schema });
}

function providerOf({ strict = false }: OpenAiToolsOptions): Provider {
  return strict ? "openai-strict" : "openai";
}

function writeFunction([name, tool]: NamedModelTool): OpenAiFunction {
  const { description, fitted } = continueDescription(tool);
  return omitUndefined({ name, description, parameters: fitted.schema });
}

/**
 * Makes a model's calls in parallel and returns the results in the same order: `tool` messages for the `tool_calls` of a message,
 * or, with `api: "responses"`, items of your next `input` for the `output` of a response. For an unknown name, invalid
 * arguments or a failed call, the result describes the error.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export function callOpenAiTools(
  source: ToolSource,
  calls: readonly OpenAiChatCall[] | undefined,
  options?: CallToolsOptions & OpenAiChatOptions,
): Promise<OpenAiToolMessage[]>;
export function callOpenAiTools(
  source: ToolSource,
  output: readonly OpenAiOutputItem[],
  options: CallToolsOptions & OpenAiResponsesOptions & { readonly deferLoading: true },
): Promise<(OpenAiFunctionOutput | OpenAiSearchOutput)[]>;
export function callOpenAiTools(
  source: ToolSource,
  output: readonly OpenAiOutputItem[],
  options: CallToolsOptions & OpenAiResponsesOptions,
): Promise<OpenAiFunctionOutput[]>;
export async function callOpenAiTools(
  source: ToolSource,
  calls: readonly (OpenAiChatCall | OpenAiOutputItem)[] | undefined,
  options: CallToolsOptions & (OpenAiResponsesOptions | OpenAiChatOptions) = {},
): Promise<OpenAiToolMessage[] | (OpenAiFunctionOutput | OpenAiSearchOutput)[]> {
  checkAdapterOptions<object>("callOpenAiTools", options, rulesOf(options));
  const isChat = options.api !== "responses";
  const items: readonly Written[] = readCalls(
    "callOpenAiTools",
    calls,
    isChat ? "message.tool_calls" : "response.output",
    isChat ? "chat" : "responses",
  );
  const written = items.flatMap((item) => readCall(item, isChat));
  const answers = await answerCalls(source, written, options, providerOf(options));
  if (isChat)
    return answers.map(({ id, parts }) => ({ role: "tool", tool_call_id: id, content: toPlainText(parts) }));
  return answers.map((answer, at) =>
    written[at]?.isSearch === true ? writeSearchOutput(answer, options) : writeOutput(answer),
  );
}

/** The members of a call, of which a model may send any values. */
type Written = { readonly [key in "type" | "id" | "call_id" | "name" | "arguments"]?: unknown } & {
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
};

function readCall({ type, function: called, ...item }: Written, isChat: boolean): readonly WrittenCall[] {
  if (isChat) return called === undefined ? [] : [readFunction(item.id, called.name, called.arguments)];
  const { call_id: id, name, arguments: text } = item;
  if (type === "tool_search_call") return [{ ...readFunction(id, "tool_search", text), isSearch: true }];
  return type === "function_call" ? [readFunction(id, name, text)] : [];
}

/** Some servers for Chat Completions send arguments that are already parsed. */
function readFunction(id: unknown, name: unknown, text: unknown): WrittenCall {
  const input = typeof text === "string" ? { json: text } : { value: text ?? {} };
  return { id: String(id), name: String(name), input };
}

function writeOutput({ id, parts }: CallAnswer): OpenAiFunctionOutput {
  return { type: "function_call_output", call_id: id, output: toBlocks(parts, writePart) };
}

function writeSearchOutput(
  { id, found: hits }: CallAnswer,
  options: OpenAiResponsesOptions,
): OpenAiSearchOutput {
  const tools = [...(hits ?? [])].map((entry) => writeResponsesTool(entry, options));
  return { type: "tool_search_output", call_id: id, execution: "client", status: "completed", tools };
}

function writePart(part: ModelPart): OpenAiInput {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const url = `data:${part.mediaType};base64,${part.data}`;
  return { type: "input_image", image_url: url, detail: "auto" };
}
