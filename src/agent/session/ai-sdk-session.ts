import { toAiSdkTools, type AiSdkTool, type AiSdkToolsOptions } from "../adapters/ai-sdk-tools.js";
import type { ToolSession } from "./tool-session.js";

/** What `generateText`, `streamText` and agents of the Vercel AI SDK take of a session. Versions 5, 6 and 7 take it. */
export interface AiSdkSession {
  /** The tools that are active: the same object throughout, brought up to date before each step. */
  readonly tools: Record<string, AiSdkTool>;
  readonly prepareStep: () => Promise<{ activeTools: string[] }>;
  /** Repairs nothing: advises a model that calls an unknown tool to search for it. */
  readonly experimental_repairToolCall: (failed: {
    readonly toolCall: { readonly toolName: string };
  }) => Promise<null>;
}

/**
 * A session for the Vercel AI SDK: `generateText({ model, prompt, ...(await toAiSdkSession(session)) })`. A model is shown
 * `search_tools`, the core tools and what it has found, and nothing else can be called. Make one for each run.
 */
export async function toAiSdkSession(
  session: ToolSession,
  options: AiSdkToolsOptions = {},
): Promise<AiSdkSession> {
  // The SDK reads the object anew at each step. A tool that is not in it, it neither shows nor calls. Without a
  // prototype, a tool that is called "__proto__" is a key like the others.
  const tools = Object.create(null) as Record<string, AiSdkTool>;
  const refresh = async (): Promise<{ activeTools: string[] }> => {
    const active = await toAiSdkTools(session, options);
    for (const name of Object.keys(tools)) Reflect.deleteProperty(tools, name);
    Object.assign(tools, active);
    return { activeTools: Object.keys(tools) };
  };
  await refresh();
  return {
    tools,
    prepareStep: refresh,
    experimental_repairToolCall: async ({ toolCall: { toolName } }) => {
      // The SDK itself reports input that does not fit.
      if (Object.hasOwn(tools, toolName)) return null;
      throw new Error(await session.explainUnknown(toolName));
    },
  };
}
