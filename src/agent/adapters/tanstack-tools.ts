import { openFrameworkTools } from "./framework-tools.js";
import { toPlainText } from "./model-parts.js";
import type { ModelFrameworkOptions } from "./model-tools.js";
import type { ToolSource } from "../registry/registry.js";

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
export async function toTanStackTools(
  source: ToolSource,
  options: ModelFrameworkOptions = {},
): Promise<TanStackTool[]> {
  const framework = { caller: "toTanStackTools", provider: { google: "gemini" }, asks: true } as const;
  const tools = await openFrameworkTools(source, options, framework);
  return tools.map(({ name, description, schema, waits, run }): TanStackTool => ({
    __toolSide: "server",
    name,
    description,
    inputSchema: schema,
    needsApproval: waits,
    execute: async (value, { toolCallId, abortSignal } = {}) =>
      toPlainText(await run({ value }, { id: toolCallId, signal: abortSignal })),
  }));
}
