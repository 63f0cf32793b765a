import { checkOptions, FLAG, FUNCTION, OBJECT, TEXT } from "../../contract/check-options.js";
import { findUnwritable } from "../../contract/find-unwritable.js";
import type { CallOptions } from "../../runtime/call-options.js";
import type { Result, ToolErrorCode } from "../../runtime/result.js";
import { describeIssues, findIssues, type Issue } from "../../validation/schema.js";
import type { AbortSignalLike } from "../../transport/abort-signal.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { effectOfHints } from "../policy/policy.js";
import { isContent } from "./model-parts.js";
import { withTools, type SourceTool, type ToolSource } from "./tool-source.js";

/** What every form of tools for models takes. */
export interface ModelToolsOptions {
  /**
   * Named at the beginning of every description: `[sandbox] Creates a post.` Where a server is configured with an
   * environment of this name, the calls go there; otherwise it is a word. Default: the environment that the tools are bound to.
   */
  readonly environment?: string;
}

/**
 * The options of all adapters together: programs pass the same object to the function that makes tools and to the one that
 * calls them.
 *
 * @throws McpCodegenError `USAGE` for an unknown option
 */
export function checkAdapterOptions(
  caller: string,
  options: ModelToolsOptions & ApprovalOptions & OtherAdapterOptions,
): void {
  checkOptions<ModelToolsOptions & ApprovalOptions & OtherAdapterOptions>(caller, options, {
    environment: TEXT,
    approval: ["destructive", "writes", "none", FUNCTION],
    approve: FUNCTION,
    signal: OBJECT,
    deferLoading: [FLAG, FUNCTION],
    api: ["chat", "responses"],
  });
}

/** Options of some adapters. */
interface OtherAdapterOptions {
  readonly signal?: unknown;
  readonly deferLoading?: unknown;
  readonly api?: string;
}

/** A tool as a model knows it. */
export interface ModelTool {
  readonly tool: RegisteredTool;
  /** Where its server is called, when that has a name. */
  readonly environment: string | undefined;
  readonly description: string | undefined;
  /** What says where the tool is called. */
  readonly options: CallOptions;
}

/** A call that a model asks for. */
interface ModelCall {
  readonly id: string;
  readonly input: unknown;
  readonly signal?: AbortSignalLike;
  /** Whether a person has approved the call already. */
  readonly isApproved?: boolean;
}

/** Hands over the tools of a source by the names that a model calls them by, which are no longer than `longest`. */
export function withModelTools<T>(
  source: ToolSource,
  options: ModelToolsOptions,
  longest: number,
  make: (tools: ReadonlyMap<string, ModelTool>) => T,
): T | Promise<T> {
  return withTools(source, options.environment, (tools) => {
    const named = tools.map((found) => ({ name: found.tool.name, ...toModelTool(found, options) }));
    return make(nameForModels(named, longest));
  });
}

export function toModelTool(found: SourceTool, options: ModelToolsOptions): ModelTool {
  const { tool } = found;
  const environment = options.environment ?? found.environment;
  const isElsewhere =
    environment !== undefined &&
    environment !== found.environment &&
    (tool.server === undefined || found.environments.includes(environment));
  // A tool without a server has no environment.
  const label = tool.server === undefined ? undefined : environment;
  return {
    tool,
    environment: label,
    description: describe(tool.description ?? tool.title, label),
    options: isElsewhere ? { environment } : {},
  };
}

function describe(text: string | undefined, label: string | undefined): string | undefined {
  if (label === undefined) return text;
  return text === undefined ? `[${label}]` : `[${label}] ${text}`;
}

/**
 * Calls a tool as a model asks for it. A call that needs a person's approval is made only with that approval: without
 * `approve`, and where {@link ModelCall.isApproved} is absent, it fails with `TOOL_NOT_ALLOWED`. Never rejects.
 */
export async function callForModel(
  { tool, options }: ModelTool,
  { id, input, signal, isApproved = false }: ModelCall,
  { approval, approve }: ApprovalOptions,
): Promise<Result<unknown>> {
  try {
    if (!isApproved && needsApproval(tool, approval)) {
      // Check the input first: a person must not be asked about a call that fails anyway.
      const issues = await findIssues(tool.input, input);
      if (issues.length > 0) return refuseInput(tool, issues);
      if (approve === undefined) return fail(tool, "TOOL_NOT_ALLOWED", CANNOT_ASK);
      // A program without types may return anything: only `true` approves.
      const said: unknown = await approve({ tool, input, toolCallId: id });
      if (said !== true) return fail(tool, "TOOL_NOT_ALLOWED", REFUSED);
    }
    const result = await tool.call(input, { ...options, ...(signal && { signal }) });
    const { value } = result.ok ? result : {};
    // A tool by hand may return anything.
    const reason = findUnwritable(isContent(value) ? { ...value, json: undefined } : value);
    if (reason === undefined) return result;
    return fail(
      tool,
      "TOOL_INVALID_OUTPUT",
      `The answer of tool ${JSON.stringify(tool.name)} cannot be written as JSON: ${reason}.`,
    );
  } catch (cause) {
    // `approve` may throw, and so may a tool that was written by hand.
    return fail(tool, "TOOL_EXECUTION_FAILED", cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}

const REFUSED = "The call was not approved. Do not try it again unless asked to.";
const CANNOT_ASK =
  'The tool was not called: the call needs approval, and the program cannot ask for it (option "approve" is missing). Do not call it again; say what you wanted to do.';

function refuseInput(tool: RegisteredTool, issues: readonly Issue[]): Result<never> {
  const message = `The input of tool ${JSON.stringify(tool.name)} is invalid: ${describeIssues(issues)}`;
  return fail(tool, "TOOL_INVALID_INPUT", message, { issues });
}

function fail(
  tool: RegisteredTool,
  code: ToolErrorCode,
  message: string,
  more: { readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
): Result<never> {
  const { name, server = "" } = tool;
  return { ok: false, error: { code, message, retryable: false, tool: name, server, ...more } };
}

/**
 * Which tools a person has to agree to: `destructive` ones (what is not annotated is destructive, as the specification
 * has it), all that do not only read (`writes`), `none`, or those that a function picks.
 */
export type ApprovalRule = "destructive" | "writes" | "none" | ((tool: RegisteredTool) => boolean);

export interface ApprovalOptions {
  /** The tools that need approval; default: `destructive`. */
  readonly approval?: ApprovalRule;
  /**
   * Asked before such a tool is called, once its input is known to be valid. Without it such a call is refused with
   * `TOOL_NOT_ALLOWED`, unless the AI SDK has asked for the approval. Only `true` approves.
   */
  readonly approve?: (request: ApprovalRequest) => boolean | Promise<boolean>;
}

/** A call that needs approval. */
export interface ApprovalRequest {
  readonly tool: RegisteredTool;
  readonly input: unknown;
  /** The model's id of the call. */
  readonly toolCallId: string;
}

/** Whether a tool's calls wait for a person. The annotations of an unlocked tool are not reviewed, so it counts as destructive. */
export function needsApproval(tool: RegisteredTool, rule: ApprovalRule = "destructive"): boolean {
  // A program without types may return anything: only `false` says that a call need not wait.
  if (typeof rule === "function") return (rule(tool) as unknown) !== false;
  switch (rule) {
    case "none":
      return false;
    case "writes":
      return !tool.isLocked || effectOfHints(tool.annotations) !== "reads";
    case "destructive":
      return !tool.isLocked || effectOfHints(tool.annotations) === "destroys";
    default:
      return rule satisfies never;
  }
}

/** The name limits of those who serve models. The shorter one fits everywhere. */
export const NAME_LIMITS = { openai: 64, anthropic: 128 } as const;

const FITTING = /^[a-zA-Z0-9_-]+$/;

/**
 * Tools by names that a model's provider takes: letters, digits, `_` and `-`, up to a length. A name that fits stays.
 * Another one loses what does not fit and gets a digest of the whole, so that it depends on no other tool; should it be
 * taken all the same, the digest is of more.
 */
export function nameForModels<T extends { readonly name: string }>(
  tools: readonly T[],
  longest: number,
): ReadonlyMap<string, T> {
  const fits = (name: string): boolean => name.length <= longest && FITTING.test(name);
  const taken = new Set(tools.map(({ name }) => name).filter(fits));
  const renamed = new Map<string, string>();
  // In one order, whatever order the tools come in.
  for (const name of tools.map((tool) => tool.name).sort()) {
    if (fits(name)) continue;
    for (let salt = name; ; salt += "+") {
      const short = shorten(name, salt, longest);
      if (taken.has(short)) continue;
      taken.add(short);
      renamed.set(name, short);
      break;
    }
  }
  return new Map(tools.map((tool) => [renamed.get(tool.name) ?? tool.name, tool]));
}

function shorten(name: string, salt: string, longest: number): string {
  const head = name.slice(0, longest - 9).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${head}_${digest(salt)}`;
}

/** FNV-1a over code units, as eight digits. Not for secrets: it only has to be the same everywhere, at once. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
