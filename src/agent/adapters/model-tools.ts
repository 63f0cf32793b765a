import { oneLine } from "../../core/printable.js";
import { findFit, fitSchema, type FittedSchema, type Provider } from "../../core/hosts/fit-schema.js";
import { HOSTS } from "../../core/hosts/host.js";
import { checkOptions, FUNCTION, type OptionRules, TEXT } from "../../core/check-options.js";
import { messageOf } from "../../core/errors.js";
import { createWarner, logEvent, newTraceId } from "../../runtime/events.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { Result, CallOptions, Logger } from "../../core/call.js";
import type { Issue } from "../../core/schema.js";
import { findIssues } from "../../schema/validation/schema.js";
import type { CallTarget, RegisteredTool } from "../../core/tool.js";
import { hasReviewedHints } from "../../core/decide.js";
import { type Policy, readPolicy } from "../../core/policy.js";
import {
  APPROVAL_OPTIONS,
  type ApprovalOptions,
  type ApprovalRule,
  approvalsOf,
  askPerson,
  needsApproval,
} from "../registry/approval.js";
import { createToolNames, failInput, failTool, nameForModels } from "../registry/tool-names.js";
import { readSchemas, suggestNames } from "../toolset/describe-tool-data.js";
import { explainUnwritable } from "./model-parts.js";
import type { ToolSource } from "../registry/registry.js";
import { listSource } from "../registry/tool-view.js";

/** Options of every form of tools for models. */
export interface AdapterOptions {
  /**
   * Precedes every description: `[sandbox] Creates a post.` Calls go to this environment of the servers; if none has
   * environments, it is a label only. Default: the environment that the tools are bound to.
   */
  readonly environment?: string | undefined;
  /** Restricts the tools. Default: all tools of the source are offered. */
  readonly policy?: Policy | undefined;
  /**
   * Receives `tool.schema.refused` for a tool that is left out because no provider takes its input schema, and
   * `tool.schema.reduced` for one with a schema of which the model sees less. Default: a warning for the first.
   */
  readonly logger?: Logger | undefined;
}

const MODEL_PROVIDERS = ["openai", "anthropic", "google"] as const;

/** Options of tools for a framework that passes them on to any provider. */
export interface ProviderOptions {
  /**
   * The provider of the models. Schemas are fitted for it, and more tools than it takes are a warning. Default: they are fitted for
   * all providers, but keep keywords that only Gemini refuses.
   */
  readonly provider?: (typeof MODEL_PROVIDERS)[number] | undefined;
}

/** The options of every adapter: a program passes the same object to the function that creates tools and to the one that calls them. */
export type SharedOptions = AdapterOptions & ApprovalOptions;
const SHARED_OPTIONS: OptionRules<SharedOptions> = {
  environment: TEXT,
  policy: "any",
  logger: FUNCTION,
  ...APPROVAL_OPTIONS,
};
export type ModelFrameworkOptions = SharedOptions & ProviderOptions;
export const PROVIDER_OPTIONS: OptionRules<ProviderOptions> = { provider: MODEL_PROVIDERS };

/** Checks the options of an adapter; `more` has the rules of its own ones. Throws `USAGE`. */
export function checkAdapterOptions<T extends object>(
  caller: string,
  options: SharedOptions & T,
  more: OptionRules<T>,
): void {
  checkOptions<object>(caller, options, { ...SHARED_OPTIONS, ...more });
  if (options.policy !== undefined) readPolicy(caller, options.policy);
}

/** Returns the provider that schemas are fitted for, by the form in which a framework sends tools to Gemini. */
export function readProvider({ provider }: ProviderOptions, google: Provider): Provider {
  return provider === "google" ? google : (provider ?? "any");
}

export interface ModelTool {
  readonly tool: RegisteredTool;
  /** The environment of its server. */
  readonly environment: string | undefined;
  readonly description: string | undefined;
  readonly fitted: FittedSchema;
  /** The environment of calls, if it differs from that of the tool. */
  readonly options: CallOptions;
  readonly approvals: ApprovalOptions;
}

export interface ModelCall {
  readonly id: string;
  readonly input: unknown;
  readonly signal?: AbortSignalLike | undefined;
  /** Whether a person has already approved the call. */
  readonly isApproved?: boolean | undefined;
}

/**
 * Returns the tools of a source by names that a provider takes, with schemas that it takes. A tool with a schema that no provider
 * takes is left out, since it would end the whole request.
 */
export async function openModelTools(
  source: ToolSource,
  options: ModelFrameworkOptions & { readonly deferLoading?: unknown },
  provider: Provider,
): Promise<ReadonlyMap<string, ModelTool>> {
  const { tools, view } = await listSource(source, options);
  const settings = { ...options, ...approvalsOf(view, options) };
  const servers = view.servers.map(({ name }) => name);
  const names = createToolNames(tools, servers);
  const named = tools.flatMap((registered) => {
    const tool = fitTool(registered, view.environment, settings, provider);
    return tool === undefined ? [] : [{ name: names.nameOf(registered), ...tool }];
  });
  const count = named.filter(({ tool }) => tool.isDeferred !== true).length;
  const { mostTools = count } = findFit(provider);
  if (provider !== "any" && count > mostTools)
    warnOnce(
      `${HOSTS[provider]} refuses more than ${mostTools} tools, and there are ${count}: exclude some, or use a toolset.`,
    );
  return nameForModels(named);
}

const warnOnce = createWarner();

function fitTool(
  registered: RegisteredTool,
  environment: string | undefined,
  options: ModelFrameworkOptions,
  provider: Provider,
): ModelTool | undefined {
  const { name, server } = registered;
  const { logger } = options;
  const facts = (): object => ({ traceId: newTraceId(), tool: name, server, provider });
  try {
    const tool = toModelTool(registered, environment, options, provider);
    const { losses: rules } = tool.fitted;
    if (rules.length > 0) logEvent(logger, "tool.schema.reduced", { ...facts(), rules });
    return tool;
  } catch (error) {
    const reason = messageOf(error);
    logEvent(logger, "tool.schema.refused", { ...facts(), reason });
    if (logger === undefined)
      warnOnce(`Tool ${JSON.stringify(name)} is not offered to the model: ${oneLine(reason, 300)}.`);
    return undefined;
  }
}

/**
 * @param here the environment of the tool's view
 * @throws Error with the reason if no provider takes the input schema
 */
export function toModelTool(
  tool: RegisteredTool,
  here: string | undefined,
  options: ModelFrameworkOptions,
  provider: Provider,
): ModelTool {
  const bound = tool.environment ?? here;
  const environment = options.environment ?? bound;
  const isElsewhere = environment !== undefined && environment !== bound && tool.server === undefined;
  // A tool without a server has no environment.
  const label = tool.server === undefined ? undefined : environment;
  const text = tool.description ?? tool.title;
  const modelTool: ModelTool = {
    tool,
    environment: label,
    description: label === undefined ? text : [`[${label}]`, ...(text === undefined ? [] : [text])].join(" "),
    fitted: fitSchema(tool.inputSchema(), provider),
    options: isElsewhere ? { environment } : {},
    approvals: { approval: options.approval, approve: options.approve },
  };
  return options.provider === "openai" ? continueDescription(modelTool) : modelTool;
}

/** Chat Completions refuses requests with longer descriptions. */
const LONGEST_DESCRIPTION = 1024;

/** Continues a long description in the schema, where its length has no limit. */
export function continueDescription(modelTool: ModelTool): ModelTool {
  const { description = "", fitted } = modelTool;
  if (description.length <= LONGEST_DESCRIPTION) return modelTool;
  const head = /^[\s\S]*(?=\s)/.exec(description.slice(0, LONGEST_DESCRIPTION))?.[0] ?? "";
  // Do not end with half of a surrogate pair.
  const start =
    head.trim() === "" ? description.slice(0, LONGEST_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, "") : head;
  const rest = description.slice(start.length).trimStart();
  const text = fitted.schema["description"];
  const continued = typeof text === "string" ? `${rest}\n\n${text}` : rest;
  const schema = { ...fitted.schema, description: continued };
  return { ...modelTool, description: `${start}…`, fitted: { ...fitted, schema } };
}

/**
 * Makes a model's call. A call that needs approval and was not approved, because there is no `approve` or it did not return
 * `true`, fails with `TOOL_NOT_ALLOWED`. Never rejects.
 */
export async function callForModel(
  { tool, options, fitted, approvals: { approval, approve } }: ModelTool,
  { id, input: written, signal, isApproved = false }: ModelCall,
): Promise<Result<unknown>> {
  const address = { name: tool.name, server: tool.server ?? "" };
  try {
    const input = fitted.restore(written);
    const target = isApproved ? undefined : await findJudged(tool, input);
    if (target !== undefined && needsApproval(target.tool, approval)) {
      const issues = await findTargetIssues(tool, input, target);
      if (issues.length > 0) return failInput(address, issues);
      if (approve === undefined)
        return failTool(address, "TOOL_NOT_ALLOWED", describeUnasked(target.tool, approval));
      const asked = { tool: target.tool, input: target.args, toolCallId: id };
      const refusal = await askPerson(approve, asked);
      if (refusal !== undefined) return failTool(address, "TOOL_NOT_ALLOWED", `${refusal} ${NOT_AGAIN}`);
    }
    const result = await tool.call(input, { ...options, signal });
    // A hand-written tool may return anything.
    if (!result.ok) {
      const { code, issues } = result.error;
      if (code !== "TOOL_INVALID_INPUT" || issues === undefined) return result;
      return { ok: false, error: { ...result.error, issues: explainInput(tool, input, issues) } };
    }
    const message = explainUnwritable(tool.name, result.value);
    return message === undefined ? result : failTool(address, "TOOL_INVALID_OUTPUT", message);
  } catch (cause) {
    // A hand-written tool may throw.
    return failTool(address, "TOOL_EXECUTION_FAILED", messageOf(cause), { cause });
  }
}

const NOT_AGAIN = "Do not try it again unless asked to.";

function describeUnasked(tool: RegisteredTool, approval: ApprovalRule = "destructive"): string {
  const name = JSON.stringify(tool.name.slice(0, 100));
  const does = approval === "destructive" ? "may destroy data" : "does more than read";
  const why =
    typeof approval === "function" ? "" : ` because it ${hasReviewedHints(tool) ? does : "is not reviewed"}`;
  return `The tool ${name} was not called: it needs approval${why}, and the program cannot ask for it (option "approve" is missing). Do not call it again; say what you wanted to do.`;
}

/** Returns the call that approval is about: this one, or the one that it would make; undefined if it would make none. */
function findJudged(tool: RegisteredTool, input: unknown): Promise<CallTarget | undefined> {
  return tool.findTarget === undefined ? Promise.resolve({ tool, args: input }) : tool.findTarget(input);
}

/** The issues of a call and of the one that it would make: a person is not asked about arguments that are then refused. */
async function findTargetIssues(
  tool: RegisteredTool,
  input: unknown,
  target: CallTarget,
): Promise<readonly Issue[]> {
  const issues = await findInputIssues(tool, input);
  return issues.length > 0 || target.tool === tool ? issues : findInputIssues(target.tool, target.args);
}

/** Whether a call needs approval, or that cannot be found out; a call that {@link callForModel} refuses needs none. Never rejects. */
export async function asksFor({ tool, fitted, approvals }: ModelTool, input: unknown): Promise<boolean> {
  try {
    const restored = fitted.restore(input);
    const target = await findJudged(tool, restored);
    if (target === undefined || !needsApproval(target.tool, approvals.approval)) return false;
    return (await findTargetIssues(tool, restored, target)).length === 0;
  } catch {
    return true;
  }
}

/** Returns the issues of an input, with the property that a model probably meant by an unknown name. */
export async function findInputIssues(tool: RegisteredTool, input: unknown): Promise<readonly Issue[]> {
  return explainInput(tool, input, await findIssues(tool.input, input));
}

function explainInput(tool: RegisteredTool, input: unknown, issues: readonly Issue[]): readonly Issue[] {
  return issues.length === 0 ? issues : suggestNames(readSchemas(tool).input, issues, input);
}
