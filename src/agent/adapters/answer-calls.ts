import { checkArgument, listOf, OBJECT, type OptionRules, SIGNAL } from "../../core/check-options.js";
import { McpCodegenError, messageOf } from "../../core/errors.js";
import { findOwn, getOwn } from "../../core/json.js";
import { findLossyNumbers } from "../../core/exact-json.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { Result } from "../../core/call.js";
import { contentBeside } from "../../runtime/result.js";
import { describeUnsendable } from "../../runtime/validate-call.js";
import { describeIssues, toModelIssues } from "../../schema/validation/schema.js";
import { readFoundNames } from "../toolset/find-tools.js";
import type { Provider } from "../../core/hosts/fit-schema.js";
import type { ToolAddress } from "../../core/tool-name.js";
import { createToolNames, failTool, failUnknown, lookUpAgain } from "../registry/tool-names.js";
import { toModelParts, type ModelPart } from "./model-parts.js";
import {
  callForModel,
  openModelTools,
  type ModelCall,
  type ModelTool,
  type AdapterOptions,
  type SharedOptions,
} from "./model-tools.js";
import type { ApprovalOptions } from "../registry/approval.js";
import type { Explanation, ToolSource, ToolView } from "../registry/registry.js";
import { openView } from "../registry/tool-view.js";

/** Options of a model's calls. Pass the same options as to the function that created the tools. */
export interface CallToolsOptions extends AdapterOptions, ApprovalOptions {
  /** Aborts all calls. */
  readonly signal?: AbortSignalLike | undefined;
}

/** A program passes the same options to the function that creates the tools. */
export const SIGNAL_OPTIONS: OptionRules<Omit<CallToolsOptions, keyof SharedOptions>> = { signal: SIGNAL };

export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly value: unknown } | { readonly json: string };
  /** Whether it calls the search of a session, whose name the provider does not repeat. */
  readonly isSearch?: boolean;
}

export interface CallAnswer {
  readonly id: string;
  readonly isError: boolean;
  /** Never empty. */
  readonly parts: readonly ModelPart[];
  /** The tools that a search of deferred tools has found, by name. */
  readonly found?: ReadonlyMap<string, ModelTool>;
}

/** The forms of calls, and what takes them. */
const FORMS = {
  anthropic: ["a call of Anthropic", "callAnthropicTools(source, message.content)"],
  chat: ["a call of OpenAI's Chat Completions", "callOpenAiTools(source, message.tool_calls)"],
  responses: [
    "a call of OpenAI's Responses",
    'callOpenAiTools(source, response.output, { api: "responses" })',
  ],
  gemini: ["a call of Gemini", "callGeminiTools(source, response.functionCalls)"],
  part: ["a part of Gemini's content", "callGeminiTools(source, response.functionCalls)"],
  aiSdk: ["a call of the AI SDK", "toAiSdkTools(source)"],
  langChain: ["a call of LangChain.js", "toLangChainTools(source, tool)"],
  message: ["a message", "its calls"],
} as const;
type CallForm = keyof typeof FORMS;

const BY_TYPE: { readonly [type: string]: CallForm } = {
  tool_use: "anthropic",
  function: "chat",
  function_call: "responses",
  tool_search_call: "responses",
  "tool-call": "aiSdk",
  tool_call: "langChain",
};
/** The forms without a type, by their first key here. */
const BY_KEY: { readonly [key: string]: CallForm } = {
  function: "chat",
  functionCall: "part",
  text: "part",
  role: "message",
  name: "gemini",
};

function formOf(item: object): CallForm | undefined {
  const type = findOwn(item, "type");
  if (typeof type === "string") return getOwn(BY_TYPE, type);
  const key = Object.keys(BY_KEY).find((each) => each in item);
  return key === undefined ? undefined : BY_KEY[key];
}

/**
 * Returns the calls that a program passes on from a model's message, which may have none.
 *
 * @param member where the message has them
 * @throws McpCodegenError `USAGE` for the message itself, a promise of it, or calls in another form, which would be ignored
 */
export function readCalls<T extends object>(
  caller: string,
  calls: readonly T[] | null | undefined,
  member: string,
  form: CallForm,
): readonly T[] {
  if (calls === undefined || calls === null) return [];
  checkArgument(caller, member, calls, CALLS);
  for (const [index, item] of calls.entries()) {
    const actual = formOf(item) ?? form;
    if (actual === form) continue;
    const [words, use] = FORMS[actual];
    throw new McpCodegenError("USAGE", `${caller}: ${member}[${index}] is ${words}.`, {
      hint: `Use ${use}.`,
    });
  }
  return calls;
}

const CALLS = listOf(OBJECT, "an array of objects");

/** Makes a model's calls in parallel and returns the results in order. No call of the model makes it throw. */
export async function answerCalls(
  source: ToolSource,
  calls: readonly WrittenCall[],
  options: CallToolsOptions,
  provider: Provider,
): Promise<readonly CallAnswer[]> {
  const view = openView(source, options);
  if (calls.length === 0) return [];
  const open = (): Promise<ReadonlyMap<string, ModelTool>> => openModelTools(source, options, provider);
  let tools = await open();
  const unknown = calls.filter(({ name }) => findTool(tools, name) === undefined);
  if (unknown.length > 0) {
    await Promise.all(unknown.map(({ name }) => lookUpAgain(view, name)));
    tools = await open();
  }
  const search = [...tools].find(([, { tool }]) => tool.isSearch === true)?.[0];
  return Promise.all(
    calls.map(async ({ isSearch, ...call }) => {
      const name = isSearch === true ? (search ?? call.name) : call.name;
      const tool = findTool(tools, name);
      const { signal } = options;
      const result = await (tool ? makeCall(tool, { ...call, signal }) : failNameless(tools, view, name));
      const answer = toAnswer(call.id, result);
      return name === search && result.ok ? { ...answer, found: findFound(result.value, tools) } : answer;
    }),
  );
}

/** Makes a call for a framework. Never rejects: frameworks end a whole run for an error, or show a model their own text. */
export async function answerCall(tool: ModelTool, call: ReadableCall): Promise<CallAnswer> {
  return toAnswer(call.id, await makeCall(tool, call));
}

type ReadableCall = Omit<ModelCall, "input"> & Pick<WrittenCall, "input">;

async function makeCall(tool: ModelTool, call: ReadableCall): Promise<Result<unknown>> {
  const input = readInput(tool.tool, call.input);
  return input.ok ? callForModel(tool, { ...call, input: input.value }) : input;
}

async function failNameless(
  tools: ReadonlyMap<string, ModelTool>,
  view: ToolView,
  name: string,
): Promise<Result<never>> {
  const addresses = [...tools].map(([shown, { tool }]) => ({ name: shown, server: tool.server }));
  const { message, error } = await explainName(view, name, addresses);
  return error === undefined ? failTool({ name }, "TOOL_NOT_FOUND", message) : { ok: false, error };
}

/** A conversation may have the other form of a name: of the time before a registry got its second server, or after. */
function findTool(tools: ReadonlyMap<string, ModelTool>, name: string): ModelTool | undefined {
  const shown = tools.get(name);
  if (shown !== undefined) return shown;
  const all = [...tools.values()];
  const [only, ...others] = createToolNames(all.map(({ tool }) => tool)).find(name);
  return others.length > 0 ? undefined : all.find(({ tool }) => tool === only);
}

export async function explainName(
  view: ToolView,
  name: string,
  tools: readonly ToolAddress[],
): Promise<Explanation> {
  const explained = await view.explain?.(name);
  if (explained !== undefined) return explained;
  const { error } = failUnknown(name, tools, view.servers);
  return { message: error.message, ...(error.code !== "TOOL_NOT_FOUND" && { error }) };
}

function findFound(answer: unknown, tools: ReadonlyMap<string, ModelTool>): ReadonlyMap<string, ModelTool> {
  const names = readFoundNames(answer);
  return new Map([...tools].filter(([name]) => names.includes(name)));
}

/** Some models write an empty text for no arguments. */
function readInput(tool: ToolAddress, input: WrittenCall["input"]): Result<unknown> {
  if ("value" in input) return { ok: true, value: input.value };
  if (input.json.trim() === "") return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(input.json);
    const issues = findLossyNumbers(input.json).map(({ path, token }) => ({
      path,
      message: describeUnsendable(token),
    }));
    if (issues.length === 0) return { ok: true, value };
    const message = `The arguments are invalid: ${describeIssues(issues)}`;
    return failTool(tool, "TOOL_INVALID_INPUT", message, { issues });
  } catch (error) {
    return failTool(tool, "TOOL_INVALID_INPUT", `The arguments are not JSON: ${messageOf(error)}`);
  }
}

function toAnswer(id: string, result: Result<unknown>): CallAnswer {
  if (!result.ok) {
    const { code, message, retryable, issues, modelError } = result.error;
    const shown = modelError ?? { error: code, message, retryable, issues: issues && toModelIssues(issues) };
    return { id, isError: true, parts: [{ type: "text", text: JSON.stringify(shown) }] };
  }
  const parts = toModelParts(result.value, contentBeside(result));
  return { id, isError: false, parts: parts.length > 0 ? parts : [{ type: "text", text: "(no output)" }] };
}
