import { isServerTool } from "../agent/registry/server-source.js";
import {
  checkArgument,
  checkOptions,
  FLAG,
  FUNCTION,
  NUMBER,
  recordOf,
  TEXT,
  withMethods,
} from "../core/check-options.js";
import { McpCodegenError, messageOf } from "../core/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { LOCKFILE_NAME, type Lockfile } from "../core/lockfile.js";
import { nearestName } from "../core/nearest-name.js";
import { findLockfile } from "../files/project-records.js";
import { connectTools, type Connection } from "../runtime/define-tool.js";
import type { ContentBlock, ToolContent, ToolErrorCode, ToolCaller } from "../core/call.js";
import { ToolCallError } from "../runtime/result.js";
import type { ServerDefinition, ServerTool, ToolDefinition } from "../core/tool.js";
import { describeIssues, findIssues, jsonSchemaOf } from "../schema/validation/schema.js";
import {
  answerFromCassette,
  answerFromFirst,
  answerFromSchemas,
  type AnswerOptions,
  answerWithTrouble,
  failedResult,
  type KnownOutput,
  type MockedCall,
  resultOf,
} from "./answer-source.js";

/** The generated module of a server: `import * as shop from "./generated/shop/index.js"`. */
export interface GeneratedModule<C extends Connection> {
  readonly server: ServerDefinition;
  readonly connect: (options?: { readonly client?: ToolCaller; readonly replay?: string | undefined }) => C;
}

/** The answer of a handler for a tool without an output schema: a text, or content. */
export type MockContent =
  | string
  | { readonly content: readonly ContentBlock[]; readonly structuredContent?: JsonObject };

export type MockAnswer<O> = O extends ToolContent ? MockContent : O;

export interface MockContext<O> {
  /** Returns the answer without the handler: from the cassette, or generated. Throws as the tool without a handler does. */
  readonly generate: () => Promise<O>;
}

/** Answers the calls of one tool. An error that it throws is a failure of the tool. */
export type MockHandler<T> = T extends (input: infer I, ...rest: never[]) => Promise<infer O>
  ? (input: I, context: MockContext<O>) => MockAnswer<O> | Promise<MockAnswer<O>>
  : never;

/** Handlers by the names of generated functions. */
export type MockHandlers<C> = {
  readonly [K in keyof C as C[K] extends ServerTool ? K : never]?: MockHandler<C[K]>;
};

export interface MockOptions extends AnswerOptions {
  /** The lockfile with the output schemas. Default: `mcp-codegen.lock.json` in the working directory. */
  readonly lock?: string | undefined;
}

/** A call that a mock received: the tool's name on the server, and the arguments that would have been sent. */
export interface MockCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface MockServer<C> {
  /** The server's tools, and the prompts and resources in the cassette. May be passed to a registry as a server. */
  readonly tools: C;
  /** The calls with valid input so far. */
  readonly calls: readonly MockCall[];
  /** Clears `calls`. */
  reset(): void;
}

const MODULE = withMethods(
  'a generated index, such as import * as shop from "./generated/shop/index.js"',
  "connect",
);

const HANDLERS = recordOf(FUNCTION, "an object of functions such as { getPost: ({ id }) => ({ id }) }");

/**
 * Mocks a server in this process. Calls are validated as usual, and answered by a handler, else from the cassette, else with values
 * that the locked output schema accepts. The answer of a handler must fit the output schema too. A call without an answer
 * fails with `TOOL_NOT_IMPLEMENTED`.
 *
 * @throws McpCodegenError `USAGE` for a handler of an unknown tool, and for invalid options
 */
export function mockServer<C extends Connection>(
  module: GeneratedModule<C>,
  handlers: MockHandlers<C> = {},
  options: MockOptions = {},
): MockServer<C> {
  checkArgument("mockServer", "module", module, MODULE);
  checkArgument("mockServer", "handlers", handlers, HANDLERS);
  checkOptions("mockServer", options, {
    seed: [TEXT, NUMBER],
    boundary: FLAG,
    latency: NUMBER,
    fail: NUMBER,
    cassette: TEXT,
    lock: TEXT,
  });
  const calls: MockCall[] = [];
  const byName = new Map<string, MockedTool>();
  const client: ToolCaller = {
    callTool: async ({ name, arguments: input = {} }) => {
      const mocked = byName.get(name);
      if (mocked === undefined || !isJsonObject(input))
        throw new McpCodegenError("TOOL_UNKNOWN", `The mock has no tool ${JSON.stringify(name)}.`);
      calls.push({ tool: name, arguments: input });
      return answer(mocked, input);
    },
  };
  // Prompts and resources are replayed, since their contents cannot be generated.
  const { cassette: replay } = options;
  const base = module.connect({ client, replay });
  const tools: [string, ServerTool][] = [];
  const handlerOf = new Map<string, unknown>(Object.entries(handlers));
  for (const [key, tool] of Object.entries(base)) {
    if (!isServerTool(tool)) continue;
    // A mock answers directly, under the tool's own name.
    const definition = withoutDetours(tool.definition);
    const handler = handlerOf.get(key);
    handlerOf.delete(key);
    byName.set(definition.name, { definition, handler: isHandler(handler) ? handler : undefined });
    tools.push([key, { ...tool, definition, safe: tool.safe.bind(tool) }]);
  }
  for (const key of handlerOf.keys()) {
    const names = tools.map(([name]) => name);
    const nearest =
      tools.find(([, { definition }]) => definition.name === key)?.[0] ?? nearestName(key, names);
    throw new McpCodegenError("USAGE", `Server ${JSON.stringify(module.server.name)} has no tool "${key}".`, {
      hint: nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
    });
  }
  const answer = createAnswer(options, byName);
  const connection = connectTools(module.server, Object.fromEntries(tools), { client, replay: "" });
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(base)))
    if (property.enumerable !== true && !Object.hasOwn(connection, key))
      Object.defineProperty(connection, key, property);
  // It has the same keys and definitions as `base`.
  const same: Connection = connection;
  return {
    tools: same as C,
    calls,
    reset: () => {
      calls.length = 0;
    },
  };
}

type Handler = (input: JsonObject, context: MockContext<unknown>) => unknown;

interface MockedTool {
  readonly definition: ToolDefinition<unknown, unknown>;
  readonly handler?: Handler | undefined;
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}

function withoutDetours(definition: ToolDefinition<unknown, unknown>): ToolDefinition<unknown, unknown> {
  const { name, server, input, inputSchema } = definition;
  const rest = Object.entries(definition).filter(([key]) => key !== "through");
  return { name, server, input, inputSchema, ...Object.fromEntries(rest) };
}

function createAnswer(
  options: MockOptions,
  tools: ReadonlyMap<string, MockedTool>,
): (tool: MockedTool, args: JsonObject) => Promise<JsonObject> {
  const trouble = answerWithTrouble(options);
  const find = answerFromFirst([
    answerFromCassette(options.cassette),
    answerFromSchemas(outputsInLock(options.lock ?? LOCKFILE_NAME, tools), options),
  ]);
  return async ({ definition, handler }, args) => {
    const { name: server, record } = definition.server;
    const call = { server, tool: definition.name, arguments: args, record };
    const failure = await trouble(call);
    if (failure !== undefined) return failure;
    const generate = async (): Promise<JsonObject> => (await find(call)) ?? lacksAnswer(definition);
    if (handler === undefined) return generate();
    try {
      const context = { generate: async () => valueOf(definition, await generate()) };
      return await readReturned(definition, await handler(args, context));
    } catch (error) {
      // These errors are failures of the call; any other error is a failure of the tool.
      if (error instanceof ToolCallError || error instanceof McpCodegenError) throw error;
      return failedResult(messageOf(error));
    }
  };
}

function lacksAnswer(definition: ToolDefinition<unknown, unknown>): never {
  const message = `The mock has no answer of tool "${definition.name}": it declares no output schema, and none is stated or learned. Pass a handler for it, or a cassette with this call.`;
  throw fail(definition, "TOOL_NOT_IMPLEMENTED", message);
}

function fail(
  { name, server }: ToolDefinition<unknown, unknown>,
  code: ToolErrorCode,
  message: string,
): ToolCallError {
  return new ToolCallError({ code, message, retryable: false, tool: name, server: server.name });
}

function valueOf({ output }: ToolDefinition<unknown, unknown>, raw: JsonObject): unknown {
  return output === undefined ? raw : (raw["structuredContent"] ?? raw);
}

/** Converts a handler's answer to a raw result. Throws `TOOL_INVALID_OUTPUT` if a server could not give that answer. */
async function readReturned(
  definition: ToolDefinition<unknown, unknown>,
  returned: unknown,
): Promise<JsonObject> {
  if (definition.output === undefined) {
    if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
    const value = toJson(returned);
    if (isJsonObject(value) && Array.isArray(value["content"])) return value;
    const message = `The handler of tool "${definition.name}" must return a text or { content }, since the tool declares no output schema.`;
    throw fail(definition, "TOOL_INVALID_OUTPUT", message);
  }
  const value = toJson(returned);
  const issues = definition.observed === undefined ? await findIssues(definition.output, value) : [];
  if (value !== undefined && issues.length === 0) return resultOf(value);
  const message = `The handler of tool "${definition.name}" returned what the output schema refuses: ${describeIssues(issues)}.`;
  throw fail(definition, "TOOL_INVALID_OUTPUT", message);
}

function toJson(value: unknown): JsonValue | undefined {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as JsonValue);
}

function outputsInLock(
  path: string,
  tools: ReadonlyMap<string, MockedTool>,
): (call: MockedCall) => Promise<KnownOutput | undefined> {
  let lock: Promise<Lockfile | undefined> | undefined;
  return async ({ server, tool }) => {
    const { definition } = tools.get(tool) ?? {};
    if (definition?.output === undefined) return undefined;
    const lockFile = await (lock ??= findLockfile(path));
    const locked = lockFile?.servers[server]?.tools[tool]?.definition;
    const schema = locked?.["outputSchema"];
    if (schema !== undefined) return { schema, dialect: definition.dialect };
    // A stated or learned output is only in generated code.
    if (locked !== undefined || definition.observed !== undefined) {
      const jsonSchema = jsonSchemaOf(definition.output, "input");
      return jsonSchema && { schema: jsonSchema, answers: "json", judge: definition.output };
    }
    throw new McpCodegenError(
      "LOCK_NOT_FOUND",
      lockFile === undefined
        ? `There is no lockfile at "${path}", which has the output schemas.`
        : `The lockfile "${path}" has no tool "${tool}" of server "${server}".`,
      { hint: 'Pass the path of the lockfile as "lock".' },
    );
  };
}
