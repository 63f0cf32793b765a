import { omitUndefined } from "../../core/collections.js";
import { findLossyNumbers } from "../../core/exact-json.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { Result, ToolError } from "../../core/call.js";
import { contentBeside } from "../../runtime/result.js";
import { describeUnsendable } from "../../runtime/validate-call.js";
import type { Issue } from "../../core/schema.js";
import { describeIssues, toModelIssues } from "../../schema/validation/schema.js";
import type { SessionSearchAnswer } from "../session/tool-session.js";
import type { Provider } from "../../core/hosts/fit-schema.js";
import { findNameError, lookUpAgain } from "../registry/tool-names.js";
import { toModelParts, type ModelPart } from "./model-parts.js";
import {
  callForModel,
  withModelTools,
  type ModelCall,
  type ModelTool,
  type ModelToolsOptions,
  type ApprovalOptions,
} from "./model-tools.js";
import type { ToolSource, ToolView } from "../registry/registry.js";
import { openView } from "../registry/tool-view.js";

/** Options of a model's calls. Pass the same options as to the function that created the tools. */
export interface CallToolsOptions extends ModelToolsOptions, ApprovalOptions {
  /** Aborts all calls. */
  readonly signal?: AbortSignalLike | undefined;
}

/** A call from a model, with its arguments as a value or as JSON. */
export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly value: unknown } | { readonly json: string };
  /** Whether it calls the search of a session, whose name the provider does not repeat. */
  readonly isSearch?: boolean;
}

/** The result of a model's call. */
export interface CallAnswer {
  readonly id: string;
  readonly isError: boolean;
  /** Never empty. */
  readonly parts: readonly ModelPart[];
  /** The tools that a search of deferred tools has found, by name. */
  readonly found?: ReadonlyMap<string, ModelTool>;
}

/** Makes a model's calls in parallel and returns the results in order. No call of the model makes it throw. */
export async function answerCalls(
  source: ToolSource,
  calls: readonly WrittenCall[],
  options: CallToolsOptions,
  provider: Provider,
): Promise<readonly CallAnswer[]> {
  if (calls.length === 0) return [];
  const open = async (): Promise<ReadonlyMap<string, ModelTool>> =>
    withModelTools(source, options, provider, (modelTools) => modelTools);
  const view = openView(source, options.environment);
  let tools = await open();
  const unknown = calls.filter(({ name }) => !tools.has(name));
  if (unknown.length > 0) {
    await Promise.all(unknown.map(({ name }) => lookUpAgain(view, name)));
    tools = await open();
  }
  const search = [...tools].find(([, { tool }]) => tool.isSearch === true)?.[0];
  return Promise.all(
    calls.map(async ({ isSearch, ...call }) => {
      const name = isSearch === true ? (search ?? call.name) : call.name;
      const result = await make(tools, view, { ...call, name }, options);
      const answer = toAnswer(call.id, result);
      return name === search && result.ok ? { ...answer, found: findFound(result.value, tools) } : answer;
    }),
  );
}

/**
 * Makes a call for a framework, which has found the tool. Never rejects: frameworks end a whole run for an error, or show a
 * model their own text.
 */
export async function answerCall(
  tool: ModelTool,
  call: Omit<ModelCall, "input"> & { readonly input: WrittenCall["input"] },
  options: ApprovalOptions,
): Promise<CallAnswer> {
  const read = readInput(call.input);
  return toAnswer(
    call.id,
    "value" in read ? await callForModel(tool, { ...call, input: read.value }, options) : read,
  );
}

async function make(
  tools: ReadonlyMap<string, ModelTool>,
  view: ToolView,
  { id, name, input }: WrittenCall,
  options: CallToolsOptions,
): Promise<Result<unknown> | Refusal> {
  const tool = tools.get(name);
  if (tool === undefined) {
    const explained = await view.explainUnknown?.(name);
    const error = await view.findListingError?.(name);
    const unlisted = error ?? findNameError(name, view.servers);
    if (unlisted !== undefined) return { ok: false, error: unlisted };
    return refuse("TOOL_NOT_FOUND", explained ?? describeUnknown(name, [...tools.keys()]));
  }
  const read = readInput(input);
  const { signal } = options;
  return "value" in read ? callForModel(tool, { id, input: read.value, signal }, options) : read;
}

function findFound(answer: unknown, tools: ReadonlyMap<string, ModelTool>): ReadonlyMap<string, ModelTool> {
  const { tools: hits = [] } = { ...(answer as Partial<SessionSearchAnswer>) };
  return new Map(hits.flatMap(({ name }) => [...tools].filter(([toolName]) => toolName === name)));
}

/** A failure without a tool. */
interface Refusal {
  readonly ok: false;
  readonly error: Omit<ToolError, "tool" | "server">;
}

function refuse(code: ToolError["code"], message: string, issues?: readonly Issue[]): Refusal {
  return { ok: false, error: omitUndefined({ code, message, retryable: false, issues }) };
}

/** Some models write an empty text for no arguments. */
function readInput(input: WrittenCall["input"]): { readonly value: unknown } | Refusal {
  if ("value" in input) return input;
  if (input.json.trim() === "") return { value: {} };
  try {
    const value: unknown = JSON.parse(input.json);
    const issues = findLossyNumbers(input.json).map(({ path, token }) => ({
      path,
      message: describeUnsendable(token),
    }));
    if (issues.length === 0) return { value };
    const message = `The arguments are invalid: ${describeIssues(issues)}`;
    return refuse("TOOL_INVALID_INPUT", message, issues);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refuse("TOOL_INVALID_INPUT", `The arguments are not JSON: ${message}`);
  }
}

function toAnswer(id: string, result: Result<unknown> | Refusal): CallAnswer {
  if (!result.ok) {
    const { code, message, retryable, issues, modelError } = result.error;
    const shown = modelError ?? { error: code, message, retryable, issues: issues && toModelIssues(issues) };
    return { id, isError: true, parts: [{ type: "text", text: JSON.stringify(shown) }] };
  }
  const parts = toModelParts(result.value, contentBeside(result));
  return { id, isError: false, parts: parts.length > 0 ? parts : [{ type: "text", text: "(no output)" }] };
}

/** Suggests the tools that have the most words in common with an unknown name. */
function describeUnknown(name: string, names: readonly string[]): string {
  const words = wordsOf(name);
  const nearest = names
    .map((tool) => ({ tool, score: wordsOf(tool).filter((word) => words.includes(word)).length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3);
  const said = `There is no tool ${JSON.stringify(name.slice(0, 100))}.`;
  if (nearest.length === 0) return `${said} Use the exact names of your tools.`;
  return `${said} Nearest: ${nearest.map(({ tool }) => JSON.stringify(tool)).join(", ")}.`;
}

function wordsOf(name: string): readonly string[] {
  return (
    name
      .slice(0, 200)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  );
}
