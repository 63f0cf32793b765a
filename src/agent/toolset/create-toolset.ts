import { checkOptions, FUNCTION, TEXT, type OptionRules } from "../../core/check-options.js";
import { McpCodegenError } from "../../core/errors.js";
import { findLossyNumbers } from "../../core/exact-json.js";
import { findText, type JsonObject, tryParseJson } from "../../core/json.js";
import { createWarner } from "../../runtime/events.js";
import { describeUnsendable } from "../../runtime/validate-call.js";
import { describeIssues } from "../../schema/validation/schema.js";
import { type HiddenTools, introduceHidden } from "../adapters/system-prompt.js";
import { createPolicy, CREATED_POLICY } from "../../core/policy.js";
import type { ToolSource, ToolView } from "../registry/registry.js";
import { openView } from "../registry/tool-view.js";
import { SEARCH_OPTIONS } from "../search/create-tool-search.js";
import { explainArguments } from "./explain-arguments.js";
import { describe } from "./describe-tools.js";
import { search } from "./search-tools.js";
import { execute, findTargetTool } from "./execute-tool.js";
import { context, introspect } from "./introspect-tools.js";
import { checkArguments, registerMetaTool, type MetaContext, type MetaToolDefinition } from "./meta-tool.js";
import {
  answerWithError,
  type MetaNames,
  quoteName,
  type ToolsetError,
  toolsetError,
} from "./toolset-error.js";
import { PolicyViews } from "./toolset-catalog.js";
import type { MetaTool, Toolset, ToolsetOptions } from "./toolset.js";

/** The five meta-tools, in the order in which they are listed. */
const META_TOOLS = { introspect, search, describe, execute, context } satisfies {
  [K in keyof MetaNames]: MetaToolDefinition;
};
const KINDS = Object.keys(META_TOOLS) as (keyof MetaNames)[];

/** About 5,000 tokens. */
const MOST_CHARACTERS = 20_000;

const PREFIX = /^[A-Za-z0-9_-]{0,40}$/;

/** @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would refuse */
export function nameMetaTools(prefix: string): MetaNames {
  if (!PREFIX.test(prefix)) {
    throw new McpCodegenError("CONFIG_INVALID", `Invalid toolset prefix ${JSON.stringify(prefix)}.`, {
      hint: 'Use up to 40 letters, digits, "_" and "-", such as "wpnav_".',
    });
  }
  const entries = KINDS.map((kind) => [kind, `${prefix}${META_TOOLS[kind].name}`]);
  return Object.fromEntries(entries) as Record<keyof MetaNames, string>;
}

interface ToolsetParts {
  /** In the order in which they are listed. */
  readonly definitions: readonly MetaToolDefinition[];
  /** Their names, for suggestions. */
  readonly names: MetaNames;
  /** Explains them to a model that sees only them. The policy shows the tools. */
  readonly introduce: (hidden: HiddenTools, names: MetaNames) => string;
}

/** Checks the options of any toolset. */
export const TOOLSET_OPTIONS: OptionRules<ToolsetOptions> = {
  ...SEARCH_OPTIONS,
  policy: CREATED_POLICY,
  prefix: TEXT,
  writesHint: FUNCTION,
  confirm: FUNCTION,
  maxResult: "any",
  onWarning: FUNCTION,
};

/**
 * Creates five meta-tools that replace all tools of a source.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would refuse; `USAGE` for an unknown option
 */
export function createToolset(source: ToolSource, options: ToolsetOptions = {}): Toolset {
  checkOptions("createToolset", options, TOOLSET_OPTIONS);
  const names = nameMetaTools(options.prefix ?? "");
  const definitions = KINDS.map((kind) => META_TOOLS[kind]);
  const introduce: ToolsetParts["introduce"] = (hidden, meta) =>
    introduceHidden(hidden, [
      `You do not see them. Find them with ${meta.search}, in plain words or by a category from the list below; read their arguments with ${meta.describe}; call them with ${meta.execute}, such as {"tool": "name", "args": {}}.`,
    ]);
  return assembleToolset(source, options, { definitions, names, introduce }).toolset;
}

interface AssembledToolset {
  readonly toolset: Toolset;
  readonly source: ToolView;
  readonly views: PolicyViews;
}

/** Creates a toolset of any meta-tools. Its options were checked. */
export function assembleToolset(
  source: ToolSource,
  options: ToolsetOptions,
  { definitions, names, introduce }: ToolsetParts,
): AssembledToolset {
  const reader = openView(source);
  const { prefix = "", policy = createPolicy(), writesHint, confirm, onWarning, embedder } = options;
  const { maxResult = MOST_CHARACTERS } = options;
  const warn = createWarner(onWarning);
  const shared: MetaContext = { names, source: reader, writesHint, maxResult, warn };
  const views = new PolicyViews(reader, { embedder, policy, warn });
  const metaTools = definitions.map(({ name, describe: describeTool, inputSchema, annotate }): MetaTool => ({
    name: `${prefix}${name}`,
    description: describeTool(names),
    inputSchema,
    annotations: annotate?.(policy) ?? { readOnlyHint: true },
  }));
  const knownNames = metaTools.map(({ name }) => name);

  const answer: Toolset["answer"] = async (name, args, { roles, ...callOptions } = {}) => {
    const at = metaTools.findIndex((tool) => tool.name === name);
    const definition = definitions[at];
    const metaTool = metaTools[at];
    if (definition === undefined || metaTool === undefined)
      return answerWithError(unknownMetaTool(name, knownNames, names));
    const input = definition.normalize?.(args ?? {}) ?? args ?? {};
    const error = refuseArguments(metaTool, input);
    if (error !== undefined) return answerWithError(error);
    try {
      const call = { ...callOptions, confirm: callOptions.confirm ?? confirm };
      // The input schema accepts only objects.
      return await definition.answer(input as JsonObject, {
        ...shared,
        view: views.under(roles),
        viewAgain: () => views.under(roles),
        options: call,
      });
    } catch (thrown) {
      const { code, hint }: Partial<McpCodegenError> = thrown instanceof McpCodegenError ? thrown : {};
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      if (code === "CONFIG_INVALID")
        return answerWithError(toolsetError("VALIDATION_ERROR", message, hint ?? ""));
      const suggestion = hint ?? "The same call may succeed later.";
      const more = { retryable: hint === undefined };
      return answerWithError(
        toolsetError("TOOL_UNAVAILABLE", `${name} failed: ${message}`, suggestion, more),
      );
    }
  };

  const registered = metaTools.map((tool, at) => {
    // `confirm` asks about the tool behind `execute`. An adapter that asked as well would ask twice.
    const asksAlready =
      tool.name === names.execute && confirm !== undefined && tool.annotations.readOnlyHint !== true;
    const annotations = asksAlready ? { ...tool.annotations, destructiveHint: false } : tool.annotations;
    // A script may call any tool, so that it is itself what an adapter asks about.
    const asks = definitions[at] === execute && annotations.destructiveHint === true;
    return {
      ...registerMetaTool({ ...tool, annotations }, answer),
      // An adapter asks about the tool behind `execute`: a read needs no approval.
      findTarget: asks ? (input: unknown) => findTargetTool(input, views.under(), reader) : undefined,
    };
  });
  const toolset: Toolset = {
    metaTools,
    environment: reader.environment,
    get tools() {
      return reader.tools ?? [];
    },
    answer,
    narrow: (role) => {
      views.narrow(role);
    },
    getTools: () => Promise.resolve(registered),
    getTool: (name) => Promise.resolve(registered.find((tool) => tool.name === name)),
    explainUnknown: (name) => {
      const { message, suggestion } = unknownMetaTool(name, knownNames, names);
      return Promise.resolve(`${message} ${suggestion}`);
    },
    introduce: async (environment = reader.environment) => {
      const view = views.under();
      const { visible: tools } = await view.open();
      return introduce({ tools, policy: view.policy, environment, servers: reader.servers }, names);
    },
  };
  return { toolset, source: reader, views };
}

function refuseArguments({ name, inputSchema }: MetaTool, args: unknown): ToolsetError | undefined {
  const issues = checkArguments(inputSchema, args);
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
