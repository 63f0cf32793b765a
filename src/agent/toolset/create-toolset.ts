import { checkOptions, FUNCTION, recordOf, TEXT } from "../../contract/check-options.js";
import { McpCodegenError } from "../../contract/errors.js";
import { isJsonObject, type JsonObject } from "../../contract/json.js";
import { createWarner } from "../../runtime/events.js";
import { describeIssues, toModelIssues } from "../../validation/schema.js";
import { CREATED_POLICY, createPolicy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { ToolProvider, ServerState } from "../registry/registry.js";
import { describeUnlisted, HOW_TO_CALL, introduceTools, listCategories } from "../adapters/system-prompt.js";
import { SEARCH_OPTIONS } from "../search/create-tool-search.js";
import { relevantSubschema } from "./describe-tool-data.js";
import { describeTools } from "./describe-tools.js";
import { executeTool } from "./execute-tool.js";
import { introspectTools, type Overview } from "./introspect-tools.js";
import {
  DEFAULT_CONTEXT,
  defineMetaTools,
  findMisfits,
  nameMetaTools,
  type DefinedMetaTool,
  registerMetaTool,
} from "./meta-tools.js";
import { PolicyViews, type PolicyView, judge, resolveName, type Resolution } from "./toolset-catalog.js";
import { refuseName, quoteName, toolsetError, type MetaNames, type ToolsetError } from "./toolset-error.js";
import { searchTools } from "./search-tools.js";
import { answerWith, answerWithError, answerWithText } from "./toolset-answer.js";
import type { Toolset, ToolsetAnswer, ToolsetCallOptions, ToolsetOptions } from "./toolset.js";
import { writeContext } from "./write-context.js";

/**
 * Five meta-tools in place of all tools of a source: a registry, or a list of tools.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would not take; `USAGE` for an unknown option
 */
export function createToolset(
  source: Omit<ToolProvider, "for"> | readonly RegisteredTool[],
  options: ToolsetOptions = {},
): Toolset {
  checkOptions("createToolset", options, {
    ...SEARCH_OPTIONS,
    policy: CREATED_POLICY,
    prefix: TEXT,
    writesHint: FUNCTION,
    titles: recordOf(TEXT, "an object of titles by server"),
    confirm: FUNCTION,
    onWarning: FUNCTION,
  });
  const {
    prefix = "",
    policy = createPolicy(),
    titles,
    writesHint,
    confirm: standard,
    onWarning,
    ...searchOptions
  } = options;
  const warn = createWarner(onWarning);
  const held = isList(source) ? sourceOf(source) : source;
  const names = nameMetaTools(prefix);
  const metaTools = defineMetaTools(names, policy);
  const views = new PolicyViews(held, { ...searchOptions, policy });

  const overview = async ({ policy: own, open }: PolicyView): Promise<Overview> => {
    const { visible } = await open();
    // Read after the tools: asking for them is what fails.
    const { environments, servers: states } = held;
    return introspectTools(visible, own, { environments, states, titles });
  };

  const resolve = async (name: string, view: PolicyView): Promise<Resolution> => {
    // A tool that is called as it is registered is not waited for until every server has been asked.
    const exact = await held.getTool(name);
    return exact === undefined ? resolveName(name, view, held) : judge(exact, view.policy);
  };

  const handlers: { readonly [K in keyof MetaNames]: Handler } = {
    introspect: async (_args, view) => answerWith(await overview(view)),
    search: async (args, { open }) =>
      searchTools(await open(), args, { meta: names, servers: () => held.servers, onWarning: warn }),
    describe: async (args, view) => {
      const wanted = Array.isArray(args["tools"]) ? args["tools"].map(String) : [];
      await Promise.all(wanted.map((name) => resolveName(name, view, held)));
      return describeTools(await view.open(), args, names);
    },
    execute: async ({ tool, args }, view, callOptions) => {
      const name = typeof tool === "string" ? tool : "";
      const found = await resolve(name, view);
      if (found.kind !== "tool") return answerWithError(refuseName(name, found, names, held.servers));
      const confirm = callOptions.confirm ?? standard;
      const given = isJsonObject(args) ? args : {};
      const asked = { ...callOptions, ...(confirm && { confirm }) };
      return executeTool({
        tool: found.tool,
        name,
        args: given,
        policy: view.policy,
        meta: names,
        writesHint,
        environment: held.environment,
        options: asked,
      });
    },
    context: async ({ maxTokens }, view) => {
      const catalog = await view.open();
      const most = typeof maxTokens === "number" ? maxTokens : DEFAULT_CONTEXT;
      return answerWithText(
        writeContext(catalog.visible, await overview(view), { names: catalog, maxTokens: most }),
      );
    },
  };

  const answer: Toolset["answer"] = async (name, args, { roles, ...callOptions } = {}) => {
    const kind = KINDS.find((one) => names[one] === name);
    if (kind === undefined) return answerWithError(unknownMetaTool(name, names));
    const given = args ?? {};
    const error = misfit(metaTools[kind], given);
    if (error !== undefined) return answerWithError(error);
    try {
      // It fits a schema of objects.
      return await handlers[kind](given as JsonObject, views.under(roles), callOptions);
    } catch (thrown) {
      if (thrown instanceof McpCodegenError && thrown.code === "CONFIG_INVALID")
        return answerWithError(toolsetError("VALIDATION_ERROR", thrown.message, thrown.hint ?? ""));
      const words = thrown instanceof Error ? thrown.message : String(thrown);
      const suggestion = "The same call may succeed later.";
      return answerWithError(
        toolsetError("TOOL_UNAVAILABLE", `${name} failed: ${words}`, suggestion, { retryable: true }),
      );
    }
  };

  const registered = KINDS.map((kind) => {
    const meta = metaTools[kind];
    // `confirm` asks about the tool behind `execute`. An adapter that asked as well would ask twice.
    const asksAlready =
      kind === "execute" && standard !== undefined && meta.annotations.readOnlyHint !== true;
    const annotations = { ...meta.annotations, ...(asksAlready && { destructiveHint: false }) };
    return registerMetaTool({ ...meta, annotations }, answer);
  });
  return {
    metaTools: KINDS.map((kind) => metaTools[kind]),
    ...(held.environment !== undefined && { environment: held.environment }),
    get tools() {
      return held.tools ?? [];
    },
    answer,
    narrow: (role) => {
      views.narrow(role);
    },
    getTools: () => Promise.resolve(registered),
    explainUnknown: (name) => {
      const { message, suggestion } = unknownMetaTool(name, names);
      return Promise.resolve(`${message} ${suggestion}`);
    },
    introduce: async (environment = held.environment) =>
      writeToolsetPrompt((await views.under().open()).visible, names, environment, held.servers),
  };
}

const KINDS = [
  "introspect",
  "search",
  "describe",
  "execute",
  "context",
] as const satisfies (keyof MetaNames)[];

type Handler = (args: JsonObject, view: PolicyView, options: ToolsetCallOptions) => Promise<ToolsetAnswer>;

/** What is wrong with a meta-tool's own arguments. */
function misfit(meta: DefinedMetaTool, args: unknown): ToolsetError | undefined {
  const issues = findMisfits(meta, args);
  if (issues.length === 0) return undefined;
  const message = `The arguments of ${meta.name} are invalid: ${describeIssues(issues)}`;
  return toolsetError("VALIDATION_ERROR", message, `Fix the listed issues and call ${meta.name} again.`, {
    issues: toModelIssues(issues).map((issue) => ({ ...issue })),
    schema: relevantSubschema(meta.inputSchema, issues),
  });
}

function unknownMetaTool(name: string, meta: MetaNames): ToolsetError {
  const known = Object.values(meta);
  const suggestion = `Available tools: ${known.join(", ")}. Call any other tool with ${meta.execute}: pass its name as "tool".`;
  return toolsetError("TOOL_NOT_FOUND", `There is no tool ${quoteName(name)} here.`, suggestion, {
    nearest: known,
  });
}

function isList(
  source: Omit<ToolProvider, "for"> | readonly RegisteredTool[],
): source is readonly RegisteredTool[] {
  return Array.isArray(source);
}

function sourceOf(tools: readonly RegisteredTool[]): Omit<ToolProvider, "for"> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    environments: [],
    tools,
    getTools: () => Promise.resolve(tools),
    getTool: (name) => Promise.resolve(byName.get(name)),
  };
}

/**
 * How a model works with a toolset, and what there is to be found. Of the servers' words it holds names of servers and
 * categories alone, each on one line, cut, and without control characters.
 */
function writeToolsetPrompt(
  visible: readonly RegisteredTool[],
  { search, describe, execute }: MetaNames,
  environment: string | undefined,
  servers?: readonly ServerState[],
): string {
  const unlisted = describeUnlisted(servers);
  if (visible.length === 0) return ["You have no tools.", ...unlisted].join(" ");
  return [
    `${introduceTools(visible, environment)} You do not see them. Find them with ${search}, in plain words or by a category from the list below; read their arguments with ${describe}; call them with ${execute}, such as {"tool": "name", "args": {}}.`,
    "",
    "Tool categories:",
    ...listCategories(visible),
    "",
    ...unlisted,
    HOW_TO_CALL,
  ].join("\n");
}
