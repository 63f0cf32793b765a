import { isJsonObject } from "../core/json.js";
import type { Schema } from "../schema/validation/schema.js";
import { recordCall } from "./call-recorder.js";
import type { CallOptions } from "./call-options.js";
import { isReplayed } from "./cassette-use.js";
import { findSharedCaller } from "./client/pooled-client.js";
import { warn } from "./events.js";
import { readToolResult } from "./read-answer.js";
import { bindRequest, toFunction, type FindCaller, type PreparedRequest, type Request } from "./request.js";
import { ToolCallError, type ToolContent } from "./result.js";
import type { Tool, ToolDefinition } from "./tool.js";
import { prepareArguments } from "./validate-call.js";

/** A definition as generated code has it, with the raw input schema as JSON text: it is parsed only when it is read. */
interface WrittenDefinition<I, O> extends Omit<ToolDefinition<I, O>, "inputSchema"> {
  readonly inputSchema: string | (() => unknown);
}

/** Returns a tool that can be called at once: all calls share one connection per server, which the first call opens. */
export function defineTool<I, O>(
  written: WrittenDefinition<I, O> & { readonly output: Schema<O> },
): Tool<I, O>;
export function defineTool<I>(
  written: WrittenDefinition<I, ToolContent> & { readonly output?: never },
): Tool<I>;
export function defineTool<I>(written: WrittenDefinition<I, unknown>): Tool<I, unknown> {
  const { inputSchema: raw } = written;
  const inputSchema = typeof raw === "string" ? (): unknown => JSON.parse(raw) : raw;
  const definition = { ...written, inputSchema };
  return bindTool(definition, {}, (options) => findSharedCaller(definition.server, options));
}

/** Returns a tool for a connection. Options of a call take precedence over those of the connection. */
export function bindTool<I, O>(
  definition: ToolDefinition<I, O>,
  bound: CallOptions,
  findCaller: FindCaller,
): Tool<I, O> {
  const safe: Tool<I, O>["safe"] = bindRequest(requestOf(definition), bound, findCaller);
  const tool = toFunction(definition, safe, ToolCallError);
  const { environment } = bound;
  return environment === undefined ? tool : Object.assign(tool, { environment });
}

function requestOf<I, O>(definition: ToolDefinition<I, O>): Request<O> {
  const { name, server, through } = definition;
  return {
    name,
    server,
    through,
    prepare: (input) => prepareCall(definition, input),
    read: async (raw, options, report) => {
      await learn(definition, raw, options);
      return readToolResult(definition, raw, options, report);
    },
    onEnd: (args, result, { changes, environment, onWarning }) => {
      recordCall(changes, { tool: definition, args, result, environment }, onWarning);
    },
    toError: (error) => error,
  };
}

async function prepareCall(
  definition: ToolDefinition<unknown, unknown>,
  input: unknown,
): ReturnType<Request<unknown>["prepare"]> {
  const prepared = await prepareArguments(definition, input);
  if ("issues" in prepared) return prepared;
  const { name, inputSchema, annotations, taskSupport } = definition;
  const through = definition.through?.();
  const call: PreparedRequest = {
    method: "tools/call",
    params: { name, arguments: prepared.arguments },
    arguments: prepared.arguments,
    // By the locked annotations, which a person has reviewed.
    isRepeatable: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
    isTask: taskSupport === "required",
    inputSchema,
  };
  if (through === undefined) return call;
  return {
    ...call,
    params: { ...through.toRequest(prepared.arguments) },
    inputSchema: undefined,
    fromResult: (raw) => (isJsonObject(raw) ? through.fromResult(raw) : raw),
  };
}

/** Learns the shape of an answer. The call was made, so a failure is only a warning. */
async function learn(
  { server, name, output, observed }: ToolDefinition<unknown, unknown>,
  result: unknown,
  { learn: project = false, onWarning, ...options }: CallOptions,
): Promise<void> {
  if (project === false || (output !== undefined && observed === undefined) || isReplayed(options)) return;
  try {
    const { learnAnswer } = await import("#cassette");
    const tool = { server: server.name, tool: name, contract: server.contract };
    await learnAnswer(project === true ? "." : project, tool, result);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`Nothing is learned from an answer of tool ${JSON.stringify(name)}: ${reason}`, onWarning);
  }
}
