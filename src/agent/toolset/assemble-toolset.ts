import { omitUndefined } from "../../core/collections.js";
import {
  COUNT,
  checkOptions,
  FUNCTION,
  isPromise,
  TEXT,
  TEXTS,
  type OptionRules,
} from "../../core/check-options.js";
import { McpCodegenError, messageOf } from "../../core/errors.js";
import { findLossyNumbers } from "../../core/exact-json.js";
import { findText, type JsonObject, objectOrEmpty, tryParseJson } from "../../core/json.js";
import type { ConnectOptions } from "../../core/call.js";
import { CONNECT_OPTIONS } from "../../runtime/tool.js";
import { createWarner } from "../../runtime/events.js";
import { describeUnsendable, FORGOTTEN_AWAIT } from "../../runtime/validate-call.js";
import { describeIssues } from "../../schema/validation/schema.js";
import type { HiddenTools } from "../adapters/system-prompt.js";
import { addRole, type Policy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import { APPROVAL_OPTIONS, approvalsOf } from "../registry/approval.js";
import type { ToolView } from "../registry/registry.js";
import { viewUnder } from "../registry/restrict-view.js";
import { completeView, rememberView } from "../registry/tool-view.js";
import { findNameError } from "../registry/tool-names.js";
import { SEARCH_OPTIONS } from "../search/create-tool-search.js";
import { explainArguments } from "./describe-tool-data.js";
import { execute, findTargetTool } from "./execute-tool.js";
import { checkArguments, registerMetaTool, type MetaToolDefinition } from "./meta-tool.js";
import {
  answerWithError,
  type MetaNames,
  quoteName,
  type ToolsetError,
  toolsetError,
} from "./toolset-error.js";
import { policyView, type PolicyView, type ToolCatalog } from "./toolset-catalog.js";
import type { MetaOptions, MetaTool, Toolset, ToolsetCallOptions } from "./toolset.js";

/** About 5,000 tokens. */
const MOST_CHARACTERS = 20_000;

const PREFIX = /^[A-Za-z0-9_-]{0,40}$/;

/** @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would refuse */
export function checkPrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw new McpCodegenError("CONFIG_INVALID", `Invalid toolset prefix ${JSON.stringify(prefix)}.`, {
    hint: 'Use up to 40 letters, digits, "_" and "-", such as "wpnav_".',
  });
}

type AssembleOptions = Omit<MetaOptions, "show">;

export interface ToolsetParts {
  /** In the order in which they are listed. */
  readonly definitions: readonly MetaToolDefinition[];
  /** Their names, for suggestions. */
  readonly names: MetaNames;
  /** Explains them to a model that sees only them. The policy shows the tools. */
  readonly introduce: (hidden: HiddenTools, catalog: ToolCatalog) => string;
  /** Leaves tools of the source out. */
  readonly keep?: (tools: readonly RegisteredTool[]) => readonly RegisteredTool[];
}

export const TOOLSET_OPTIONS: OptionRules<AssembleOptions> = {
  ...SEARCH_OPTIONS,
  policy: "any",
  prefix: TEXT,
  writesHint: FUNCTION,
  ...APPROVAL_OPTIONS,
  maxResult: COUNT,
  onWarning: FUNCTION,
};

const ANSWER_OPTIONS: OptionRules<ToolsetCallOptions & ConnectOptions> = {
  ...CONNECT_OPTIONS,
  roles: TEXTS,
  approve: FUNCTION,
};

/**
 * Creates a toolset of any meta-tools. Its options were checked, except the prefix.
 *
 * @param reopen returns the same toolset of another view, or under another policy
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would refuse
 */
export function assembleToolset<T extends Toolset>(
  reader: ToolView,
  options: AssembleOptions & { readonly policy: Policy },
  { definitions, names, introduce, keep = (tools) => tools }: ToolsetParts,
  reopen: (view: ToolView, policy: Policy) => T,
) {
  const { prefix = "", policy, writesHint, onWarning, embedder } = options;
  const approvals = approvalsOf(reader, options);
  const { approval, approve } = approvals;
  const { maxResult = MOST_CHARACTERS } = options;
  checkPrefix(prefix);
  const warn = createWarner(onWarning);
  const { environment } = reader;
  const shared = { names, source: reader, environment, writesHint, maxResult, warn, approval };
  /** Returns the tools under the policy with additional roles. */
  const view = (roles?: readonly string[]): PolicyView =>
    policyView(reader, { embedder, policy, warn, keep }, roles);
  const metaTools = definitions.map(({ name, describe: describeTool, inputSchema, annotate }): MetaTool => ({
    name: `${prefix}${name}`,
    description: describeTool(names),
    inputSchema,
    annotations: annotate?.(policy) ?? { readOnlyHint: true },
  }));
  const knownNames = metaTools.map(({ name }) => name);

  const answer: Toolset["answer"] = async (name, args, options = {}) => {
    const at = metaTools.findIndex((tool) => tool.name === name);
    const definition = definitions[at];
    const metaTool = metaTools[at];
    if (definition === undefined || metaTool === undefined)
      return answerWithError(unknownMetaTool(name, knownNames, names));
    const request = args ?? {};
    const input = definition.normalize?.(request) ?? request;
    const error = refuseArguments(metaTool, input);
    if (error !== undefined) return answerWithError(error);
    try {
      checkOptions("answer", options, ANSWER_OPTIONS);
      const { roles, ...callOptions } = options;
      // The input schema accepts only objects.
      return await definition.answer(input as JsonObject, {
        ...shared,
        view: view(roles),
        options: { ...callOptions, approve: callOptions.approve ?? approve },
      });
    } catch (thrown) {
      const { code, hint }: Partial<McpCodegenError> = thrown instanceof McpCodegenError ? thrown : {};
      const message = messageOf(thrown);
      if (code === "CONFIG_INVALID" || code === "USAGE")
        return answerWithError(toolsetError("VALIDATION_ERROR", message, hint ?? ""));
      const suggestion = hint ?? "The same call may succeed later.";
      const more = { retryable: hint === undefined };
      return answerWithError(
        toolsetError("TOOL_UNAVAILABLE", `${name} failed: ${message}`, suggestion, more),
      );
    }
  };

  const registered = metaTools.map((tool, at) => {
    // An adapter that asked as well would ask twice.
    const asksItself = tool.name === names.execute && approve !== undefined ? (true as const) : undefined;
    // A script may call any tool, so that it is itself what an adapter asks about.
    const hasTarget =
      definitions[at] === execute && asksItself === undefined && tool.annotations.destructiveHint === true;
    return omitUndefined({
      ...registerMetaTool(tool, answer),
      asksItself,
      // An adapter asks about the tool behind `execute`: a read needs no approval.
      findTarget: hasTarget ? (input: unknown) => findTargetTool(input, view(), reader) : undefined,
    });
  });
  const shown = completeView({
    environment: reader.environment,
    environments: reader.environments,
    approvals,
    get servers() {
      return reader.servers;
    },
    get tools() {
      return reader.tools;
    },
    getTools: () => Promise.resolve(registered),
  });
  rememberView(registered, shown);
  const toolset: Omit<Toolset, "for" | "restrict"> & Pick<T, "for" | "restrict"> = Object.assign(shown, {
    metaTools,
    answer,
    explain: (name: string) => {
      const { message, suggestion } = unknownMetaTool(name, knownNames, names);
      const error = findNameError(name);
      return Promise.resolve({ message: `${message} ${suggestion}`, ...(error && { error }) });
    },
    introduce: async (environment = reader.environment) => {
      const catalog = await view().open();
      const { visible: tools } = catalog;
      return introduce({ tools, policy, environment, servers: reader.servers }, catalog);
    },
    decide: (name: string) => viewUnder(reader, policy).decide(name),
    for: (environment: string) => reopen(reader.for(environment), policy),
    restrict: (rule: Policy | string) =>
      typeof rule === "string"
        ? reopen(reader, addRole(policy, rule))
        : reopen(reader.restrict(rule), policy),
  });
  return { toolset, view };
}

function refuseArguments({ name, inputSchema }: MetaTool, args: unknown): ToolsetError | undefined {
  const isForgotten = [args, ...Object.values(objectOrEmpty(args))].some(isPromise);
  const issues = isForgotten ? [{ message: FORGOTTEN_AWAIT }] : checkArguments(inputSchema, args);
  if (issues.length === 0) return undefined;
  // Arguments as a text stay a text if parsing it would change their numbers.
  const text = findText(args, "args") ?? "";
  const [lossy] = tryParseJson(text) === undefined ? [] : findLossyNumbers(text);
  const shown =
    lossy === undefined
      ? issues
      : [{ path: ["args", ...lossy.path], message: describeUnsendable(lossy.token) }];
  const message = `The arguments of ${name} are invalid: ${describeIssues(shown)}`;
  return toolsetError("VALIDATION_ERROR", message, `Fix the listed issues and call ${name} again.`, {
    ...explainArguments(inputSchema, issues, args),
  });
}

function unknownMetaTool(name: string, metaNames: readonly string[], names: MetaNames): ToolsetError {
  const suggestion = `Available tools: ${metaNames.join(", ")}. Call any other tool with ${names.execute}: pass its name as "tool".`;
  return toolsetError("TOOL_NOT_FOUND", `There is no tool ${quoteName(name)} here.`, suggestion, {
    nearest: metaNames,
  });
}
