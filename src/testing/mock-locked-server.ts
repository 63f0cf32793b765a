import { parseTemplate } from "url-template";
import { readLiveSchema } from "../schema/interpret/live-schema.js";
import { RpcError } from "../client/server-errors.js";
import { type AbilitySnapshot, isThroughAdapter, isWrapped } from "../core/ability.js";
import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
  tryParseJson,
} from "../core/json.js";
import type { LockedServer, LockedTool } from "../core/lockfile.js";
import type { RawRequest, RawSource, ToolSnapshot } from "../core/snapshot.js";
import type { Dialect } from "../core/schema-ir.js";
import { openCassetteFolder } from "../runtime/cassette/cassette-folder.js";
import type { Schema } from "../core/schema.js";
import { describeIssues, findIssues } from "../schema/validation/schema.js";
import {
  answerFromCassette,
  answerFromFirst,
  answerFromSchemas,
  type AnswerOptions,
  type AnswerSource,
  answerWithTrouble,
  failedResult,
  type KnownOutput,
  type MockedCall,
  resultOf,
} from "./answer-source.js";

/** A locked server, and the default dialect of its schemas. */
export interface LockedSource {
  readonly locked: LockedServer;
  readonly dialect?: Dialect | undefined;
  /** Returns the stated or learned output of a tool that declares none. */
  readonly outputOf?: ((tool: string) => KnownOutput | undefined) | undefined;
}

interface LockedMockOptions extends AnswerOptions {
  /** Another lock of the server, which replaces the first one after this number of calls. */
  readonly next?: { readonly source: LockedSource; readonly afterCalls: number } | undefined;
}

/** A server that answers from its lock. If it changes its list, it declares that. */
export interface LockedMock extends RawSource {
  onChange(listener: () => void): () => void;
}

const INVALID_PARAMS = -32602;
const METHOD = "tools/call";

/**
 * Mocks a locked server. It lists the locked tools and answers from the cassette, else with values that the output schema
 * accepts, else with an error that explains why.
 *
 * @throws McpCodegenError `USAGE` for invalid options
 */
export function mockLockedServer(
  server: string,
  first: LockedSource,
  { next, ...options }: LockedMockOptions = {},
): LockedMock {
  const { cassette } = options;
  const listeners = new Set<() => void>();
  const recorded = [answerWithTrouble(options), answerFromCassette(cassette)];
  let current = openSource(first, options);
  let calls = 0;
  const { identity } = first.locked;
  const { capabilities } = identity;
  const declared = getOwn(capabilities, "tools");
  const tools = { ...objectOrEmpty(declared), ...(next === undefined ? {} : { listChanged: true }) };
  const countCall = (): void => {
    calls += 1;
    if (next === undefined || calls !== next.afterCalls) return;
    current = openSource(next.source, options);
    for (const listener of listeners) listener();
  };
  const callTool = async (
    { validate, generate }: OpenedSource,
    tool: string,
    args: JsonObject,
  ): Promise<JsonObject> => {
    const call = { server, tool, arguments: args };
    await validate(call);
    return (
      (await answerFromFirst([...recorded, generate])(call)) ??
      failedResult(
        `The mock has no answer: no output schema of tool "${tool}" is declared, stated or learned, and no such call is recorded.`,
      )
    );
  };
  return {
    identity: { ...identity, capabilities: { ...capabilities, tools } },
    entries: (list) => Object.values(current.locked[list] ?? {}).map(({ definition }) => definition),
    tools: () => (isThroughAdapter(current.locked) ? ADAPTER_TOOLS : current.tools),
    call: (name, args) => {
      // The call after which the server changes is the last one of the old server.
      const source = current;
      countCall();
      return isThroughAdapter(source.locked)
        ? callThroughAdapter(source.locked, name, args, (...call) => callTool(source, ...call))
        : callTool(source, name, args);
    },
    read: (request) => {
      const mocked = { server, locked: current.locked, cassette };
      return request.method === "prompts/get" ? getPrompt(mocked, request) : readResource(mocked, request);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

interface OpenedSource {
  readonly locked: LockedServer;
  readonly tools: readonly ToolSnapshot[];
  readonly validate: (call: MockedCall) => Promise<void>;
  readonly generate: AnswerSource;
}

function openSource({ locked, dialect, outputOf }: LockedSource, options: AnswerOptions): OpenedSource {
  const inputs = new Map<string, Schema<unknown>>();
  const find = (tool: string): LockedTool => {
    const lockedTool = getOwn(locked.tools, tool);
    if (lockedTool !== undefined) return lockedTool;
    throw refusal(METHOD, `Unknown tool: ${tool}`);
  };
  const inputOf = (tool: string): Schema<unknown> => {
    const cached = inputs.get(tool);
    const schema: JsonValue = getOwn(find(tool).definition, "inputSchema") ?? { type: "object" };
    const input = cached ?? readLiveSchema(schema, { dialect });
    inputs.set(tool, input);
    return input;
  };
  return {
    locked,
    // A client refuses a whole list for one tool without an input schema.
    tools: Object.values(locked.tools).flatMap(({ definition, repeated = [], unusable }) =>
      unusable === undefined ? [definition, ...repeated] : [],
    ),
    validate: async ({ tool, arguments: args }) => {
      const issues = await findIssues(inputOf(tool), args);
      if (issues.length === 0) return;
      throw refusal(METHOD, `The input of tool "${tool}" is invalid: ${describeIssues(issues)}.`);
    },
    generate: answerFromSchemas(({ tool }) => {
      const schema = getOwn(find(tool).definition, "outputSchema");
      return Promise.resolve(schema === undefined ? outputOf?.(tool) : { schema, dialect });
    }, options),
  };
}

interface MockedEntries {
  readonly server: string;
  readonly locked: LockedServer;
  /** A folder of recorded calls. The lock has no contents to answer with, and none are made up. */
  readonly cassette: string | undefined;
}

const INTERNAL_ERROR = -32603;

async function getPrompt(
  { server, locked, cassette }: MockedEntries,
  { method, name, arguments: args }: Extract<RawRequest, { readonly method: "prompts/get" }>,
): Promise<JsonObject> {
  const prompt = getOwn(locked.prompts ?? {}, name)?.definition;
  if (prompt === undefined) throw refusal(method, `Unknown prompt: ${name}`);
  const parameters = getOwn(prompt, "arguments");
  for (const argument of isJsonArray(parameters) ? parameters : []) {
    const key = isJsonObject(argument) && getOwn(argument, "required") === true && getOwn(argument, "name");
    if (typeof key === "string" && !Object.hasOwn(args, key))
      throw refusal(method, `Prompt "${name}" requires the argument "${key}".`);
  }
  const call = { server, kind: "prompt", tool: name, arguments: args } as const;
  const answer = await answerFromCassette(cassette)(call);
  return answer ?? notRecorded(method, `prompt "${name}" with these arguments`);
}

async function readResource(
  { server, locked, cassette }: MockedEntries,
  { method, uri }: Extract<RawRequest, { readonly method: "resources/read" }>,
): Promise<JsonObject> {
  const templates = Object.keys(locked.resourceTemplates ?? {});
  const isListed = getOwn(locked.resources ?? {}, uri) !== undefined;
  if (!isListed && templates.length === 0) throw refusal(method, "Resource not found", { uri });
  if (cassette === undefined) return notRecorded(method, `resource "${uri}"`);
  const answer = answerFromCassette(cassette);
  const object = await answer({ server, kind: "resource", tool: uri, arguments: {} });
  if (object !== undefined) return object;
  for (const tool of templates) {
    const args = await findVariables(cassette, { server, tool }, uri);
    const recorded = args && (await answer({ server, kind: "resource", tool, arguments: args }));
    if (recorded !== undefined) return recorded;
  }
  return notRecorded(method, `resource "${uri}"`);
}

async function findVariables(
  cassette: string,
  { server, tool }: { readonly server: string; readonly tool: string },
  uri: string,
): Promise<JsonObject | undefined> {
  const calls = await openCassetteFolder(cassette).read({ server, kind: "resource", tool });
  if (calls.size === 0) return undefined;
  const template = parseTemplate(tool);
  return [...calls.values()]
    .flatMap(([call]) => (call === undefined ? [] : [call.arguments]))
    .find((args) => template.expand(JSON.parse(JSON.stringify(args)) as Record<string, string>) === uri);
}

function notRecorded(method: string, what: string): never {
  throw new RpcError(method, {
    code: INTERNAL_ERROR,
    message: `The mock has no answer: ${what} is not recorded. Record it with connect({ record }), and pass its folder with --cassette.`,
  });
}

function refusal(method: string, message: string, data?: JsonValue): RpcError {
  return new RpcError(method, { code: INVALID_PARAMS, message, data });
}

const NAMED = {
  type: "object",
  properties: { ability_name: { type: "string" } },
  required: ["ability_name"],
};
const EXECUTED = { ...NAMED, properties: { ...NAMED.properties, parameters: {} } };

/** The tools of the WordPress MCP adapter's default server, which lists them instead of the abilities. */
const ADAPTER_TOOLS: readonly ToolSnapshot[] = [
  {
    name: "mcp-adapter-discover-abilities",
    description: "Lists the abilities.",
    inputSchema: { type: "object" },
  },
  { name: "mcp-adapter-get-ability-info", description: "Describes one ability.", inputSchema: NAMED },
  { name: "mcp-adapter-execute-ability", description: "Executes one ability.", inputSchema: EXECUTED },
];

/**
 * Answers a call of one of the adapter's tools as the adapter does.
 *
 * @throws RpcError for another tool, and errors of `callTool`
 * @param callTool calls the locked tool of an ability
 */
async function callThroughAdapter(
  { tools }: LockedServer,
  name: string,
  args: JsonObject,
  callTool: (tool: string, args: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  if (!ADAPTER_TOOLS.some((tool) => tool.name === name)) throw refusal(METHOD, `Unknown tool: ${name}`);
  const abilities = Object.entries(tools).flatMap(([tool, { ability }]) =>
    ability === undefined ? [] : [{ tool, ability: ability.definition }],
  );
  if (name === "mcp-adapter-discover-abilities")
    return resultOf({ abilities: abilities.map(({ ability }) => summaryOf(ability)) });
  const wanted = getOwn(args, "ability_name");
  const entry = abilities.find(({ ability }) => ability.name === wanted);
  if (entry === undefined) return failedResult(`Ability ${JSON.stringify(wanted ?? null)} is not locked.`);
  const { tool, ability } = entry;
  if (name === "mcp-adapter-get-ability-info") return resultOf(ability);
  const parameters = getOwn(args, "parameters") ?? {};
  const input = isWrapped(getOwn(ability, "input_schema"))
    ? { input: parameters }
    : objectOrEmpty(parameters);
  const result = await callTool(tool, input);
  if (getOwn(result, "isError") === true) return result;
  const value = getOwn(result, "structuredContent") ?? textOf(result);
  const data = isWrapped(getOwn(ability, "output_schema")) ? (findOwn(value, "result") ?? null) : value;
  return resultOf({ success: true, data });
}

function summaryOf(ability: AbilitySnapshot): JsonObject {
  const keys = ["name", "label", "description"].filter((key) => Object.hasOwn(ability, key));
  return Object.fromEntries(keys.map((key) => [key, getOwn(ability, key) ?? null]));
}

function textOf(result: JsonObject): JsonValue {
  const content = getOwn(result, "content");
  const text = findOwn(isJsonArray(content) ? content[0] : undefined, "text");
  return typeof text === "string" ? (tryParseJson(text) ?? text) : null;
}
