import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { CallOptions } from "../runtime/call-options.js";
import { observeCall } from "../runtime/observe-call.js";
import type { Result } from "../runtime/result.js";
import { runStaticTool } from "./run-static-tool.js";
import type { Schema } from "../validation/schema.js";
import { toFunction } from "../runtime/define-tool.js";
import type { ToolDescription } from "../runtime/tool.js";
import type { ToolAnnotations } from "../contract/snapshot.js";

/** A schema that says what it takes and what it makes of it: any Standard Schema, such as one of Zod. */
export interface InputSchema<Given, Taken> extends Schema<Taken> {
  readonly "~standard": Schema<Taken>["~standard"] & {
    readonly types?: { readonly input: Given; readonly output: Taken } | undefined;
    /** Standard JSON Schema: Zod has it from 4.2 on. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: "draft-2020-12" }) => unknown };
  };
}

/** The `AbortSignal` of the program's types, where they have one. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } } ? T : AbortSignalLike;

/** The context of a call of a static tool. */
export interface StaticToolContext {
  /** Aborts with the caller's signal, and when the call times out. */
  readonly signal: Signal;
  /** The environment of the call, if the caller named one. */
  readonly environment?: string;
}

/** The definition of a static tool. */
export interface StaticToolDefinition<Given, Taken, O> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  /** As of a server's tool: without them a tool counts as one that writes and destroys. */
  readonly annotations?: ToolAnnotations;
  readonly input: InputSchema<Given, Taken>;
  /** If given, validates the result of `execute`. */
  readonly output?: Schema<O>;
  /** The input schema for models. Default: what `input` itself says (Standard JSON Schema). */
  readonly inputSchema?: () => unknown;
  /**
   * Does the work. Receives what `input` made of the arguments, defaults filled in. What it throws becomes
   * `TOOL_EXECUTION_FAILED`. A tool without it can be listed, and a call fails with `TOOL_NOT_IMPLEMENTED`.
   */
  readonly execute?: (input: Taken, context: StaticToolContext) => O | Promise<O>;
}

/** A static tool as a function. Like `Tool`, without a server. */
export interface StaticTool<Given, O> {
  /** @throws ToolCallError */
  (input: Given, options?: CallOptions): Promise<O>;
  /** Calls the tool and never throws. */
  safe(input: Given, options?: CallOptions): Promise<Result<O>>;
  readonly definition: ToolDescription<unknown, O> & { readonly server?: never };
}

/**
 * A tool that runs in this process, called and registered like one of a server: input is validated, `.safe` never throws,
 * calls are logged. Of the call options, `signal`, `timeout`, `environment`, `output`, `changes` and those
 * of logging apply.
 */
export function defineStaticTool<Given, Taken, O>(
  definition: StaticToolDefinition<Given, Taken, O>,
): StaticTool<Given, O> {
  const description = { inputSchema: () => schemaOf(definition), ...definition };
  return toFunction(description, (input: Given, options: CallOptions) =>
    observeCall({ tool: description, input, options }, (report) =>
      runStaticTool(definition, input, options, report),
    ),
  );
}

/** @throws Error if the input schema cannot be converted to JSON Schema, and there is no `inputSchema` */
function schemaOf({
  name,
  input,
}: {
  readonly name: string;
  readonly input: InputSchema<unknown, unknown>;
}): unknown {
  const schema = input["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (schema !== undefined) return schema;
  throw new Error(`Tool ${JSON.stringify(name)} has no JSON Schema for models. Set "inputSchema".`);
}
