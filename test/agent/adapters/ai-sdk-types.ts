/** What the adapters make fits the types of every version of the AI SDK. Nothing here runs: tsc judges it. */
import type * as v5 from "ai-5";
import type * as v6 from "ai-6";
import type * as v7 from "ai-7";
import type { connect, CreatePostInput, CreatePostOutput } from "../../../generated/example/index.js";
import type { AiSdkTool, toAiSdkTools } from "../../../src/agent/adapters/ai-sdk-tools.js";
import type { Registry } from "../../../src/agent/registry/registry.js";

interface Input {
  readonly id: number;
}
interface Output {
  readonly title: string;
}

declare const many: Record<string, AiSdkTool>;
declare const one: AiSdkTool<Input, Output>;

export const toolSets: [v5.ToolSet, v6.ToolSet, v7.ToolSet] = [many, many, many];
export const named = { getPost: one } satisfies v5.ToolSet satisfies v6.ToolSet satisfies v7.ToolSet;

/** Each fits the other, and neither is `any`. */
type Same<A, B> = 0 extends 1 & A ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** The types of a single tool reach the calls and results of a step. */
export const inferred: [
  Same<v5.InferToolInput<typeof one>, Input>,
  Same<v6.InferToolInput<typeof one>, Input>,
  Same<v7.InferToolInput<typeof one>, Input>,
  Same<v5.InferToolOutput<typeof one>, Output>,
  Same<v6.InferToolOutput<typeof one>, Output>,
  Same<v7.InferToolOutput<typeof one>, Output>,
] = [true, true, true, true, true, true];

/** Of a connection, the names that models see and the types of each tool are known; of other sources, any names. */
declare const bakery: Awaited<ReturnType<typeof toAiSdkTools<ReturnType<typeof connect>>>>;
declare const registered: Awaited<ReturnType<typeof toAiSdkTools<Registry>>>;
export const ofConnection: [
  Same<v6.InferToolInput<(typeof bakery)["create-post"]>, CreatePostInput>,
  Same<v6.InferToolOutput<(typeof bakery)["create-post"]>, CreatePostOutput>,
  Same<keyof typeof registered, string>,
  // @ts-expect-error -- no tool has this name
  Same<(typeof bakery)["create-posts"], never>,
] = [true, true, true, true];
export const bakerySets: [v5.ToolSet, v6.ToolSet, v7.ToolSet] = [bakery, bakery, bakery];
