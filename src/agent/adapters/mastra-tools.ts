import type { ModelSchema } from "../../core/model-schema.js";
import { answerCall } from "./answer-calls.js";
import {
  checkAdapterOptions,
  needsApproval,
  withModelTools,
  type ApprovalOptions,
  type ModelTool,
  type ModelToolsOptions,
} from "./model-tools.js";
import { toPlainText } from "./model-parts.js";
import type { Made, ToolSource } from "./tool-source.js";

/** `createTool` of `@mastra/core/tools`, which makes the tools: their class belongs to your version. */
export type MastraToolFunction<T> = (fields: {
  id: string;
  description: string;
  inputSchema: ModelSchema;
  requireApproval: boolean;
  execute: (input: unknown, context?: MastraContext) => Promise<string>;
}) => T;

interface MastraContext {
  readonly abortSignal?: AbortSignal | undefined;
  readonly agent?: { readonly toolCallId?: string | undefined } | undefined;
}

/**
 * Converts the tools of a source for agents of Mastra 1.x: `toMastraTools(wordpress, createTool)`, with `createTool` of
 * `@mastra/core/tools`. The model reads a failed call as text. Calls that need approval wait for `approveToolCall`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export function toMastraTools<S extends ToolSource, T>(
  source: S,
  createTool: MastraToolFunction<T>,
  options?: ModelToolsOptions & ApprovalOptions,
): Made<S, Record<string, T>>;
export function toMastraTools<T>(
  source: ToolSource,
  createTool: MastraToolFunction<T>,
  options: ModelToolsOptions & ApprovalOptions = {},
): unknown {
  checkAdapterOptions("toMastraTools", options);
  return withModelTools(source, options, "any", (tools) =>
    Object.fromEntries([...tools].map(([name, tool]) => [name, createTool(build(name, tool, options))])),
  );
}

function build(
  name: string,
  modelTool: ModelTool,
  options: ApprovalOptions,
): Parameters<MastraToolFunction<unknown>>[0] {
  const { tool, description = "", fitted } = modelTool;
  const waits = options.approve === undefined && needsApproval(tool, options.approval);
  return {
    id: name,
    description,
    inputSchema: fitted.schema,
    requireApproval: waits,
    execute: async (value, { agent, abortSignal } = {}) => {
      const call = {
        id: agent?.toolCallId ?? name,
        input: { value },
        signal: abortSignal,
        isApproved: waits,
      };
      return toPlainText((await answerCall(modelTool, call, options)).parts);
    },
  };
}
