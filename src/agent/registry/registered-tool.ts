import { deriveCategory } from "../../vocabulary/derive-category.js";
import { mergeDefined } from "../../contract/json.js";
import type { CallOptions } from "../../runtime/call-options.js";
import { callSchema } from "../../runtime/validate-call.js";
import type { Result } from "../../runtime/result.js";
import type { AnyTool, ToolDescription } from "../../runtime/tool.js";

/** A tool under the name that a model knows it by, wherever it comes from. */
export interface RegisteredTool extends Omit<ToolDescription<unknown, unknown>, "server"> {
  /** `server__tool`, or a static tool's own name. */
  readonly name: string;
  /** The server that has it; absent for a static tool. */
  readonly server?: string;
  /** The version of the contract that it is locked by. */
  readonly contract?: string;
  /** False for a live tool that no lock knows. */
  readonly isLocked: boolean;
  /** True for an unlocked tool that is called in a production environment. */
  readonly isProduction?: boolean;
  /** Calls the tool; input is validated, so anything may be given. Never throws. */
  call(input: unknown, options?: CallOptions): Promise<Result<unknown>>;
}

/** Whether a value is a tool of a registry. */
export function isRegisteredTool(value: unknown): value is RegisteredTool {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    typeof value.name === "string" &&
    "isLocked" in value &&
    typeof value.isLocked === "boolean" &&
    "call" in value &&
    typeof value.call === "function"
  );
}

/**
 * A generated or hand-written tool as one of a registry's. Without a category it has the one that its name tells. Options
 * of a call win over those it is bound to.
 */
export function registerTool(
  tool: AnyTool,
  name: string,
  server?: string,
  bound: CallOptions = {},
): RegisteredTool {
  const { title, description, annotations, dialect } = tool.definition;
  const { output, inputSchema, outputSchema } = tool.definition;
  const category = tool.definition.category ?? deriveCategory(tool.definition.name);
  const contract = tool.definition.server?.contract;
  return {
    name,
    ...(server !== undefined && { server }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
    ...(annotations && { annotations }),
    input: callSchema(tool.definition),
    ...(output && { output }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(dialect && { dialect }),
    ...(contract !== undefined && { contract }),
    isLocked: true,
    call: (given, options) => tool.safe(given, mergeDefined(bound, options)),
  };
}
