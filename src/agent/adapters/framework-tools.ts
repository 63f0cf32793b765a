import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { Provider } from "../../core/hosts/fit-schema.js";
import type { ModelSchema } from "../../core/model-schema.js";
import { answerCall, type WrittenCall } from "./answer-calls.js";
import type { ModelPart } from "./model-parts.js";
import {
  asksFor,
  checkAdapterOptions,
  openModelTools,
  readProvider,
  PROVIDER_OPTIONS,
  type ModelFrameworkOptions,
} from "./model-tools.js";
import { needsApproval } from "../registry/approval.js";
import type { ToolSource } from "../registry/registry.js";

/** A tool for a framework, which shows it to the model, asks a person about it and calls it. */
export interface FrameworkTool {
  readonly name: string;
  readonly description: string;
  readonly schema: ModelSchema;
  /** Whether the framework has to obtain an approval before each call. */
  readonly waits: boolean;
  /** The same for a call with this input: for `execute` of a toolset, the tool that it calls decides. Never rejects. */
  readonly asks: (input: unknown) => Promise<boolean>;
  /** Makes one call. Never rejects: the model reads a failed call as text. */
  readonly run: (
    input: WrittenCall["input"],
    call: {
      readonly id?: string | undefined;
      readonly signal?: AbortSignalLike | undefined;
      /** Whether a person has approved this call. Read only for a tool whose calls do not all need approval. */
      readonly isApproved?: boolean | undefined;
    },
  ) => Promise<readonly ModelPart[]>;
}

/** Returns the tools of a source, after the options of `caller` were checked. */
export async function openFrameworkTools(
  source: ToolSource,
  options: ModelFrameworkOptions,
  framework: {
    readonly caller: string;
    /** The provider of all its models, or the form in which it sends tools to Gemini. */
    readonly provider: Provider | { readonly google: Provider };
    /** Whether it can ask a person. */
    readonly asks: boolean;
  },
): Promise<readonly FrameworkTool[]> {
  const { caller, provider } = framework;
  checkAdapterOptions<object>(caller, options, typeof provider === "string" ? {} : PROVIDER_OPTIONS);
  const fitFor = typeof provider === "string" ? provider : readProvider(options, provider.google);
  const tools = await openModelTools(source, options, fitFor);
  return [...tools].map(([name, modelTool]) => {
    const { tool, description = "", fitted, approvals } = modelTool;
    const asks = framework.asks && approvals.approve === undefined;
    const waits = asks && needsApproval(tool, approvals.approval);
    return {
      name,
      description,
      schema: fitted.schema,
      waits,
      asks: async (input) => asks && (await asksFor(modelTool, input)),
      run: async (input, { id = name, signal, isApproved: wasApproved = true }) => {
        const isApproved = waits && (tool.findTarget === undefined || wasApproved);
        const { parts } = await answerCall(modelTool, { id, input, signal, isApproved });
        return parts;
      },
    };
  });
}
