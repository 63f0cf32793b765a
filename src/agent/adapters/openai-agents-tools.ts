import { openFrameworkTools } from "./framework-tools.js";
import { type ModelPart, toBlocks } from "./model-parts.js";
import type { SharedOptions } from "./model-tools.js";
import type { ToolSource } from "../registry/registry.js";

/** A function tool in the form that `tool()` of the OpenAI Agents SDK returns. */
export interface OpenAiAgentTool {
  type: "function";
  name: string;
  description: string;
  /** A JSON Schema. The SDK's type for one cannot be named without importing it, and `never` fits every type. */
  parameters: never;
  strict: false;
  /** Runs one call. The model reads a failed call as text, and does not end the run. */
  invoke(context: unknown, input: string, details?: OpenAiAgentCall): Promise<string | OpenAiAgentOutput[]>;
  /** Resolves to `true` if a call with this input needs a person's approval: the run then ends with an interruption. */
  needsApproval(context?: unknown, input?: unknown): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

interface OpenAiAgentCall {
  readonly toolCall?: { readonly callId: string } | undefined;
  readonly signal?: AbortSignal | undefined;
}

type OpenAiAgentOutput =
  | { type: "text"; text: string }
  | { type: "image"; image: { data: string; mediaType: string } };

/**
 * Converts the tools of a source for agents of the OpenAI Agents SDK (`@openai/agents` 0.x). The model's input is validated before the
 * tool is called.
 *
 * @throws McpCodegenError `NAME_COLLISION` when two tools have one name.
 */
export async function toOpenAiAgentTools(
  source: ToolSource,
  options: SharedOptions = {},
): Promise<OpenAiAgentTool[]> {
  const framework = { caller: "toOpenAiAgentTools", provider: "openai", asks: true } as const;
  const tools = await openFrameworkTools(source, options, framework);
  return tools.map(({ name, description, schema, asks, run }): OpenAiAgentTool => ({
    type: "function",
    name,
    description,
    parameters: schema as never,
    strict: false,
    invoke: async (context, json, { toolCall, signal } = {}) => {
      const id = toolCall?.callId;
      const call = { id, signal, isApproved: wasApproved(context, name, id) };
      return toBlocks(await run({ json }, call), writePart);
    },
    needsApproval: (_, input) => asks(input),
    isEnabled: () => Promise.resolve(true),
  }));
}

/** Whether the SDK's context of the run says so. */
function wasApproved(context: unknown, toolName: string, callId: string | undefined): boolean {
  if (typeof context !== "object" || context === null || !("isToolApproved" in context)) return false;
  const { isToolApproved } = context;
  if (typeof isToolApproved !== "function") return false;
  return Reflect.apply(isToolApproved, context, [{ toolName, callId }]) === true;
}

function writePart(part: ModelPart): OpenAiAgentOutput {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image", image: { data: part.data, mediaType: part.mediaType } };
}
