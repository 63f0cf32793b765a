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

/** A tool in the form that `toolDefinition().server()` of TanStack AI returns. */
export interface TanStackTool {
  __toolSide: "server";
  name: string;
  description: string;
  inputSchema: { type: "object" };
  /** `true` for tools whose calls need a person's approval. */
  needsApproval: boolean;
  /** Runs one call. The model reads a failed call as text. */
  execute(input: unknown, context?: TanStackContext): Promise<string>;
}

interface TanStackContext {
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * Converts the tools of a source for `chat` of TanStack AI (`@tanstack/ai` 0.x). The model's input is validated before the tool is
 * called.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export function toTanStackTools<S extends ToolSource>(
  source: S,
  options?: ModelToolsOptions & ApprovalOptions,
): Made<S, TanStackTool[]>;
export function toTanStackTools(
  source: ToolSource,
  options: ModelToolsOptions & ApprovalOptions = {},
): unknown {
  checkAdapterOptions("toTanStackTools", options);
  return withModelTools(source, options, "any", (tools) =>
    [...tools].map(([name, tool]) => build(name, tool, options)),
  );
}

function build(name: string, modelTool: ModelTool, options: ApprovalOptions): TanStackTool {
  const { tool, description = "", fitted } = modelTool;
  const waits = options.approve === undefined && needsApproval(tool, options.approval);
  return {
    __toolSide: "server",
    name,
    description,
    inputSchema: fitted.schema,
    needsApproval: waits,
    execute: async (value, { toolCallId = name, abortSignal } = {}) => {
      const call = { id: toolCallId, input: { value }, signal: abortSignal, isApproved: waits };
      return toPlainText((await answerCall(modelTool, call, options)).parts);
    },
  };
}
