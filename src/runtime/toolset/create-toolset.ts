import { isJsonObject, type JsonObject } from "../../contract/json.js";
import { createPolicy } from "../policy/policy.js";
import { createWarner } from "../warn.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import { describeIssues, tellIssues } from "../schema.js";
import { concernedSchema } from "./concerned-schema.js";
import { describeTools } from "./describe-tools.js";
import { executeTool } from "./execute-tool.js";
import { introspectTools } from "./introspect-tools.js";
import {
  DEFAULT_CONTEXT,
  defineMetaTools,
  findMisfits,
  nameMetaTools,
  type DefinedMetaTool,
} from "./meta-tools.js";
import { refuseName } from "./refuse-name.js";
import { registerMetaTool } from "./register-meta-tool.js";
import { searchTools } from "./search-tools.js";
import { createToolCatalog, judge, type Resolution } from "./toolset-catalog.js";
import { answerWith, answerWithError, answerWithText } from "./toolset-answer.js";
import { quoteName, toolsetError, type MetaNames, type ToolsetError } from "./toolset-error.js";
import type { Toolset, ToolsetAnswer, ToolsetCallOptions, ToolsetOptions, ToolsetSource } from "./toolset.js";
import { writeToolsetPrompt } from "./toolset-prompt.js";
import { writeContext } from "./write-context.js";

/**
 * Five meta-tools in place of all tools of a source: a registry, or a list of tools.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would not take
 */
export function createToolset(
  source: ToolsetSource | readonly RegisteredTool[],
  options: ToolsetOptions = {},
): Toolset {
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
  const open = openOnce(held, (tools) => createToolCatalog(tools, { ...searchOptions, policy }));

  const overview = async (): Promise<ReturnType<typeof introspectTools>> => {
    const { visible } = await open();
    // Read after the tools: asking for them is what fails.
    const { environments, servers: states } = held;
    return introspectTools(visible, policy, { environments, states, titles });
  };

  const resolve = async (name: string): Promise<Resolution> => {
    // A tool that is called as it is registered is not waited for until every server has been asked.
    const exact = await held.getTool(name);
    return exact === undefined ? (await open()).resolve(name) : judge(exact, policy);
  };

  const handlers: { readonly [K in keyof MetaNames]: Handler } = {
    introspect: async () => answerWith(await overview()),
    search: async (args) =>
      searchTools(await open(), args, { meta: names, servers: () => held.servers, onWarning: warn }),
    describe: async (args) => describeTools(await open(), args, names),
    execute: async ({ tool, args }, callOptions) => {
      const name = typeof tool === "string" ? tool : "";
      const found = await resolve(name);
      if (found.kind !== "tool") return answerWithError(refuseName(name, found, names, held.servers));
      const confirm = callOptions.confirm ?? standard;
      const given = isJsonObject(args) ? args : {};
      const asked = { ...callOptions, ...(confirm && { confirm }) };
      return executeTool({
        tool: found.tool,
        name,
        args: given,
        policy,
        meta: names,
        writesHint,
        options: asked,
      });
    },
    context: async ({ maxTokens }) => {
      const catalog = await open();
      const most = typeof maxTokens === "number" ? maxTokens : DEFAULT_CONTEXT;
      return answerWithText(
        writeContext(catalog.visible, await overview(), { names: catalog, maxTokens: most }),
      );
    },
  };

  const answer: Toolset["answer"] = async (name, args, callOptions = {}) => {
    const kind = KINDS.find((one) => names[one] === name);
    if (kind === undefined) return answerWithError(unknownMetaTool(name, names));
    const given = args ?? {};
    const error = misfit(metaTools[kind], given);
    if (error !== undefined) return answerWithError(error);
    try {
      // It fits a schema of objects.
      return await handlers[kind](given as JsonObject, callOptions);
    } catch (thrown) {
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
    answer,
    getTools: () => Promise.resolve(registered),
    explainUnknown: (name) => {
      const { message, suggestion } = unknownMetaTool(name, names);
      return Promise.resolve(`${message} ${suggestion}`);
    },
    introduce: async (environment = held.environment) =>
      writeToolsetPrompt((await open()).visible, names, environment, held.servers),
  };
}

const KINDS = [
  "introspect",
  "search",
  "describe",
  "execute",
  "context",
] as const satisfies (keyof MetaNames)[];

type Handler = (args: JsonObject, options: ToolsetCallOptions) => Promise<ToolsetAnswer>;

/** What is wrong with a meta-tool's own arguments. */
function misfit(meta: DefinedMetaTool, args: unknown): ToolsetError | undefined {
  const issues = findMisfits(meta, args);
  if (issues.length === 0) return undefined;
  const message = `The arguments of ${meta.name} are invalid: ${describeIssues(issues)}`;
  return toolsetError("VALIDATION_ERROR", message, `Mend what the issues name and call ${meta.name} again.`, {
    issues: tellIssues(issues).map((issue) => ({ ...issue })),
    schema: concernedSchema(meta.inputSchema, issues),
  });
}

function unknownMetaTool(name: string, meta: MetaNames): ToolsetError {
  const known = Object.values(meta);
  const suggestion = `The tools here are ${known.join(", ")}. Any other is called with ${meta.execute}, as its argument "tool".`;
  return toolsetError("TOOL_NOT_FOUND", `There is no tool ${quoteName(name)} here.`, suggestion, {
    nearest: known,
  });
}

/** Makes something of a list of tools, again when the source has another list. */
function openOnce<T>(
  source: Pick<ToolsetSource, "getTools">,
  make: (tools: readonly RegisteredTool[]) => T,
): () => Promise<T> {
  let made: { readonly of: readonly RegisteredTool[]; readonly value: T } | undefined;
  return async () => {
    const tools = await source.getTools();
    if (made?.of !== tools) made = { of: tools, value: make(tools) };
    return made.value;
  };
}

function isList(source: ToolsetSource | readonly RegisteredTool[]): source is readonly RegisteredTool[] {
  return Array.isArray(source);
}

function sourceOf(tools: readonly RegisteredTool[]): ToolsetSource {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    environments: [],
    getTools: () => Promise.resolve(tools),
    getTool: (name) => Promise.resolve(byName.get(name)),
  };
}
