import { checkArgument, FUNCTION } from "../../core/check-options.js";
import type { ModelSchema } from "../../core/model-schema.js";
import { openFrameworkTools } from "./framework-tools.js";
import { toPlainText } from "./model-parts.js";
import type { ModelFrameworkOptions } from "./model-tools.js";
import type { ToolSource } from "../registry/registry.js";

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
export async function toMastraTools<T>(
  source: ToolSource,
  createTool: MastraToolFunction<T>,
  options: ModelFrameworkOptions = {},
): Promise<Record<string, T>> {
  checkArgument("toMastraTools", "createTool", createTool, FUNCTION);
  const tools = await openFrameworkTools(source, options, {
    caller: "toMastraTools",
    provider: { google: "ai-sdk-google" },
    asks: true,
  });
  return Object.fromEntries(
    tools.map(({ name, description, schema, waits, run }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: schema,
        requireApproval: waits,
        execute: async (value, { agent, abortSignal } = {}) =>
          toPlainText(await run({ value }, { id: agent?.toolCallId, signal: abortSignal })),
      }),
    ]),
  );
}
