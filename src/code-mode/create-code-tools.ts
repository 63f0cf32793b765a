import { checkArgument, checkOptions, FLAG, OBJECT, TEXT } from "../core/check-options.js";
import { McpCodegenError } from "../core/errors.js";
import { groupBy } from "../core/collections.js";
import {
  describeUnlisted,
  describeWrites,
  howToCall,
  introduceTools,
} from "../agent/adapters/system-prompt.js";
import { decide } from "../core/decide.js";
import { type Policy, readPolicy } from "../core/policy.js";
import type { ToolSource, ToolView } from "../agent/registry/registry.js";
import { openView } from "../agent/registry/tool-view.js";
import { assembleToolset, TOOLSET_OPTIONS, type ToolsetParts } from "../agent/toolset/assemble-toolset.js";
import { serverNameOf } from "../core/tool-name.js";
import { readWanted } from "../agent/toolset/search-tools.js";
import { objectOf, type MetaCall, type MetaToolDefinition } from "../agent/toolset/meta-tool.js";
import {
  answerWithError,
  answerWithText,
  type MetaNames,
  quoteName,
  toolsetError,
} from "../agent/toolset/toolset-error.js";
import { judge, type PolicyView } from "../agent/toolset/toolset-catalog.js";
import type { MetaOptions, Toolset, ToolAnswer, ToolsetCallOptions } from "../agent/toolset/toolset.js";
import { type CheckedScript, checkers, checkScript, type ScriptIssue } from "./check-script.js";
import { declareFunctions, nameFunctions, printFunction, type CodeFunction } from "./declare-tools.js";
import { type CodeExecutor, engines, quickJs } from "./executor.js";
import { LimitHit, limitsOf, sizeHit, type CodeLimits } from "./limits.js";
import { runScript } from "./run-script.js";

export interface CodeToolsOptions extends Omit<MetaOptions, "show"> {
  /** Runs the checked scripts. Default: QuickJS in a thread, which needs two optional packages. */
  readonly executor?: CodeExecutor | undefined;
  readonly limits?: Partial<CodeLimits> | undefined;
  /** Whether scripts are a person's own: their limits are higher, and errors name tools that the policy hides. */
  readonly ownScripts?: boolean | undefined;
}

/** Two meta-tools by which a model writes scripts that call any number of tools. */
export interface CodeTools extends Toolset {
  /**
   * Returns what is wrong with a script. Calls no tool.
   *
   * @throws McpCodegenError `DEPENDENCY_MISSING` without TypeScript
   */
  check(script: string): Promise<readonly ScriptIssue[]>;
  /** Checks a script and runs it. Never rejects: a failure is an answer with `isError`. */
  run(script: string, options?: ToolsetCallOptions): Promise<ToolAnswer>;
  for(environment: string): CodeTools;
  restrict(rule: Policy | string): CodeTools;
}

/** Characters of an answer of `search_api`: about 1,500 tokens. */
const MOST_SHOWN = 6_000;
/** Characters of the signatures beside what is wrong with a script. */
const MOST_BESIDE = 1_500;
const MOST_NAMES = 200;
/** Most public tools declare no answer. */
const UNKNOWN_ANSWER = "// Promise<unknown>: read the answer as any with parse(await …).";
/** Functions of servers in code. */
const PATHS = /(?<![\p{L}\p{N}_$])[\p{L}\p{N}_$]+\.[\p{L}\p{N}_$]+/gu;
/** Messages that say what to write. */
const EXPLAINED = /Did you mean|await|never called/;

/**
 * Creates two meta-tools that replace all tools of a source: `search_api` returns the signatures of tools, and `run_code` runs a
 * script that calls them. A script is type-checked against the tools before anything is called.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would refuse; `USAGE` for an unknown option
 */
export function createCodeTools(source: ToolSource, options: CodeToolsOptions = {}): CodeTools {
  checkOptions("createCodeTools", options, {
    ...TOOLSET_OPTIONS,
    executor: OBJECT,
    limits: OBJECT,
    ownScripts: FLAG,
  });
  const reader = openView(source);
  const { prefix = "", ownScripts = false, policy: rules = reader.policy ?? {} } = options;
  const policy = readPolicy("createCodeTools", rules);
  const limits = limitsOf(options.limits, ownScripts);
  const search = `${prefix}${SEARCH_API.name}`;
  const run = `${prefix}${RUN_CODE.name}`;
  const names: MetaNames = { introspect: search, search, describe: search, execute: run, context: search };

  const checkVisible = async (
    code: string,
    functions: readonly CodeFunction[],
    from: ToolView,
    { policy }: PolicyView,
  ): Promise<CheckedScript> => {
    const checked = await checkCode(code, functions, limits);
    if (checked.ok || !ownScripts) return checked;
    const all = nameFunctions(await from.getTools());
    return { ok: false, issues: explainHidden(code, checked.issues, all, policy) };
  };
  let running = 0;
  const runCode: MetaToolDefinition = {
    ...RUN_CODE,
    answer: async ({ code: text }, call) => {
      running += 1;
      try {
        if (running > limits.scripts) {
          const others = "Other scripts are running or wait for a person";
          throw new LimitHit("scripts", limits.scripts, others);
        }
        const code = typeof text === "string" ? text : "";
        const functions = await visibleFunctions(call.source, call.view);
        const script = await checkVisible(code, functions, call.source, call.view);
        if (!script.ok) return refuseScript(code, script.issues, functions, call);
        const api = [...groupBy(functions, ({ server }) => server)].map(
          ([server, ofServer]) => [server, ofServer.map(({ name }) => name)] as const,
        );
        const executor = options.executor ?? quickJs;
        return await runScript({ ...script, functions: Object.fromEntries(api), executor, limits, call });
      } catch (error) {
        if (!(error instanceof LimitHit)) throw error;
        const { message, limit } = error;
        return answerWithError(toolsetError("SCRIPT_STOPPED", message, "No tool was called.", { limit }));
      } finally {
        running -= 1;
      }
    },
  };
  const parts: ToolsetParts = {
    definitions: [SEARCH_API, runCode],
    names,
    introduce: ({ tools, policy, environment, servers }) =>
      [
        `${introduceTools(tools, [environment])} You call them in scripts. Find their signatures with ${search}; then write one script with ${run} that makes all calls and returns only what you need.`,
        ...describeUnlisted(servers),
        ...describeWrites(tools, policy),
        howToCall(false),
      ].join("\n"),
  };
  const { toolset, view } = assembleToolset(reader, { ...options, policy }, parts, (other, changed) =>
    createCodeTools(other, { ...options, policy: changed }),
  );
  return Object.assign(toolset, {
    check: async (script: string) => {
      checkArgument("check", "script", script, TEXT);
      try {
        const shown = view();
        const checked = await checkVisible(script, await visibleFunctions(reader, shown), reader, shown);
        return checked.ok ? [] : checked.issues;
      } catch (error) {
        if (error instanceof LimitHit) return [{ line: 1, column: 1, message: error.message }];
        throw error;
      }
    },
    run: (script: string, callOptions?: ToolsetCallOptions) =>
      toolset.answer(run, { code: script }, callOptions),
  });
}

/** Loads what checks and runs scripts. Throws `DEPENDENCY_MISSING` without one of the packages. */
export async function loadScriptPackages(): Promise<void> {
  const loads = [checkers, engines].map((threads) =>
    threads.load().catch((error: unknown) => {
      if (error instanceof McpCodegenError) return error;
      throw error;
    }),
  );
  const missing = (await Promise.all(loads)).filter((error) => error !== undefined);
  if (missing.length === 0) return;
  const message = missing.map((error) => error.message);
  const hint = missing.map((error) => error.hint ?? "");
  throw new McpCodegenError("DEPENDENCY_MISSING", message.join(" "), { hint: hint.join(" ") });
}

async function visibleFunctions(source: ToolView, { policy }: PolicyView): Promise<readonly CodeFunction[]> {
  return nameFunctions(await source.getTools()).filter(({ tool }) => decide(tool, policy).isVisible);
}

async function checkCode(
  code: string,
  functions: readonly CodeFunction[],
  limits: CodeLimits,
): Promise<CheckedScript> {
  if (code.trim() === "")
    return { ok: false, issues: [{ line: 1, column: 1, message: "The script is empty." }] };
  if (code.length > limits.scriptBytes) throw sizeHit("scriptBytes", limits, "The script", code.length);
  const words = new Set(code.match(/[\p{L}\p{N}_$]+/gu));
  return checkScript({ code, declarations: declareFunctions(functions, words) }, limits.checkMs);
}

/** Replaces the messages about functions that the policy hides by its reasons. */
function explainHidden(
  code: string,
  issues: readonly ScriptIssue[],
  functions: readonly CodeFunction[],
  policy: Policy,
): readonly ScriptIssue[] {
  const lines = code.split("\n");
  return issues.map((issue) => {
    const calls = [...(lines[issue.line - 1] ?? "").matchAll(PATHS)];
    const at = calls.find(
      ({ 0: path, index }) => issue.column > index && issue.column <= index + path.length,
    );
    const tool = functions.find(({ path }) => path === at?.[0])?.tool;
    const resolution = tool && judge(tool, policy);
    return resolution?.kind === "hidden" ? { ...issue, message: resolution.reason.message } : issue;
  });
}

/** Answers what is wrong, with the signatures of the functions on these lines where the messages do not suggest a name. */
function refuseScript(
  code: string,
  issues: readonly ScriptIssue[],
  functions: readonly CodeFunction[],
  { view }: MetaCall,
): ToolAnswer {
  const lines = code.split("\n");
  const paths = issues.flatMap(({ line, message }) =>
    EXPLAINED.test(message) ? [] : (lines[line - 1]?.match(PATHS) ?? []),
  );
  const shared = new Set<string>();
  let length = 0;
  const shown = functions
    .filter(({ path }) => paths.includes(path))
    .map((entry) => printFunction(entry, view.policy, shared))
    .filter((text) => (length += text.length) <= MOST_BESIDE);
  return answerWithError(
    toolsetError(
      "SCRIPT_INVALID",
      "The script was not run. No tool was called.",
      "Fix these lines and run it again.",
      {
        issues: issues.map(({ line, column, message }) => `line ${line}:${column}: ${message}`),
        ...(shown.length > 0 && { signatures: shown }),
      },
    ),
  );
}

const RUN_CODE: Omit<MetaToolDefinition, "answer"> = {
  name: "run_code",
  describe: ({ search }) =>
    `Run a TypeScript script that calls functions from ${search}: const a = await shop.getOrder({ id: 1 }); return a.total. Top-level await and return work, and console logs. It is type-checked first. No imports, network or timers.`,
  inputSchema: objectOf({ code: { type: "string" } }, ["code"]),
  annotate: ({ writes = false }) =>
    writes === false ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: true },
};

const SEARCH_API: MetaToolDefinition = {
  name: "search_api",
  describe: ({ execute }) =>
    `Find functions for a script, in plain words; one search for each thing to do. Answers their TypeScript signatures. Then ${execute}.`,
  inputSchema: objectOf({
    query: { type: "string", description: "For example: create an order" },
    server: { type: "string" },
    limit: { type: "integer", minimum: 1, maximum: 20, description: "Default 5" },
  }),
  answer: async (args, { source, view, warn }) => {
    const functions = await visibleFunctions(source, view);
    const { query, server, limit = 5 } = readWanted(args);
    // A model knows the name in code, a person that in the configuration.
    const ofServer = functions.filter(
      (entry) => server === undefined || server === entry.server || server === entry.tool.server,
    );
    if (ofServer.length === 0 && server !== undefined) {
      const names = [...new Set(functions.map((entry) => entry.server))].slice(0, MOST_NAMES).join(", ");
      return answerWithText(`There is no server ${quoteName(server)}. Servers: ${names}.`);
    }
    if (query === undefined) return answerWithText(listNames(ofServer, server !== undefined));
    const catalog = await view.open();
    const { hits, warning } = await catalog.find({
      query,
      limit,
      server: server && serverNameOf(ofServer[0]?.tool ?? {}),
    });
    if (warning !== undefined) warn(warning);
    const byTool = new Map(functions.map((entry) => [entry.tool.name, entry]));
    const shared = new Set<string>();
    const texts = hits.flatMap(({ tool }) => {
      const entry = byTool.get(tool.name);
      return entry === undefined ? [] : [printFunction(entry, view.policy, shared)];
    });
    if (texts.length === 0) {
      const advice = ["No function was found. Try other words.", ...describeUnlisted(source.servers)];
      return answerWithText(advice.join(" "));
    }
    const shown = texts.filter(
      (_, at) => at === 0 || texts.slice(0, at + 1).join("\n\n").length <= MOST_SHOWN,
    );
    const rest = texts.length - shown.length;
    if (shown.some((text) => text.includes("Promise<unknown>"))) shown.push(UNKNOWN_ANSWER);
    if (rest > 0) shown.push(`// ${rest} more: set a smaller limit.`);
    return answerWithText(shown.join("\n\n"));
  },
};

function listNames(functions: readonly CodeFunction[], isOneServer: boolean): string {
  if (functions.length === 0) return "There are no functions.";
  if (isOneServer) {
    const paths = functions.slice(0, MOST_NAMES).map(({ path }) => path);
    const rest = functions.length - paths.length;
    return [...paths, ...(rest > 0 ? [`// ${rest} more: search with a query.`] : [])].join("\n");
  }
  const servers = groupBy(functions, ({ server }) => server);
  return [...servers].map(([server, { length }]) => `${server}: ${length} functions`).join("\n");
}
