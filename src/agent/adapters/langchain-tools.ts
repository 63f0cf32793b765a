import { checkArgument, FUNCTION } from "../../core/check-options.js";
import type { ModelSchema } from "../../core/model-schema.js";
import { openFrameworkTools } from "./framework-tools.js";
import { type ModelPart, toBlocks } from "./model-parts.js";
import type { ModelFrameworkOptions } from "./model-tools.js";
import type { ToolSource } from "../registry/registry.js";

/** `tool` of `@langchain/core/tools`, which makes the tools: their class belongs to your version. */
export type LangChainToolFunction<T> = (
  run: (input: unknown, config?: LangChainConfig) => Promise<string | LangChainBlock[]>,
  fields: { name: string; description: string; schema: ModelSchema },
) => T;

interface LangChainConfig {
  readonly signal?: AbortSignal | undefined;
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
}

type LangChainBlock = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/**
 * Converts the tools of a source for models and agents of LangChain.js 1.x: `toLangChainTools(wordpress, tool)`, with `tool` of
 * `@langchain/core/tools`. The input is validated before the tool is called; the model reads a failed call as text.
 * Calls that need approval are refused without `approve`.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toLangChainTools<T>(
  source: ToolSource,
  tool: LangChainToolFunction<T>,
  options: ModelFrameworkOptions = {},
): Promise<T[]> {
  checkArgument("toLangChainTools", "tool", tool, FUNCTION);
  const tools = await openFrameworkTools(source, options, {
    caller: "toLangChainTools",
    provider: { google: "gemini-parameters" },
    asks: false,
  });
  return tools.map(({ name, description, schema, run }) =>
    tool(
      async (value, { toolCall, signal } = {}) =>
        toBlocks(await run({ value }, { id: toolCall?.id, signal }), writePart),
      { name, description, schema },
    ),
  );
}

function writePart(part: ModelPart): LangChainBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}
