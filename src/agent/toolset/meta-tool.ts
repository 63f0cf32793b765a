import type { JsonObject } from "../../core/json.js";
import type { ToolAnnotations } from "../../core/snapshot.js";
import type { ToolContent, Result, CallOptions } from "../../core/call.js";
import type { CheckIssue } from "../../schema/validation/checks.js";
import { fitsJsonSchema } from "../../schema/validation/fits-json-schema.js";
import type { Policy } from "../../core/policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import type { ApprovalRule } from "../registry/approval.js";
import type { ToolView } from "../registry/registry.js";
import { failTool } from "../registry/tool-names.js";
import type { MetaTool, ToolAnswer, Toolset, ToolsetCallOptions } from "./toolset.js";
import type { PolicyView } from "./toolset-catalog.js";
import { toolErrorCodeOf, type MetaNames, type ToolsetError } from "./toolset-error.js";

export interface ExecuteContext {
  readonly names: MetaNames;
  readonly view: PolicyView;
  /** The environment to name in messages. */
  readonly environment?: string | undefined;
  /** Says how to allow writes for a server. */
  readonly writesHint?: ((server: string, hasNoHints: boolean) => string) | undefined;
  /** The tools that a person is asked about. */
  readonly approval?: ApprovalRule | undefined;
  readonly options: ToolsetCallOptions;
}

export interface MetaCall extends ExecuteContext {
  readonly source: ToolView;
  /** The maximum number of characters of a result. */
  readonly maxResult: number;
  readonly warn: (message: string) => void;
}

/** A meta-tool. All of them are in the context of every conversation, so their texts are short. */
export interface MetaToolDefinition {
  /** The name without the toolset's prefix. */
  readonly name: string;
  readonly describe: (names: MetaNames) => string;
  readonly inputSchema: JsonObject;
  /** Reads arguments in other forms that models write. */
  readonly normalize?: (args: unknown) => unknown;
  /** Default: read-only. */
  readonly annotate?: (policy: Policy) => ToolAnnotations;
  /** Answers a call whose arguments fit the input schema. */
  readonly answer: (args: JsonObject, call: MetaCall) => ToolAnswer | Promise<ToolAnswer>;
}

export function objectOf(
  properties: { readonly [name: string]: JsonObject },
  required?: readonly string[],
): JsonObject {
  return { type: "object", properties, ...(required && { required }), additionalProperties: false };
}

export function checkArguments(inputSchema: JsonObject, args: unknown): readonly CheckIssue[] {
  const issues: CheckIssue[] = [];
  fitsJsonSchema(inputSchema)({ value: args, issues });
  return issues;
}

/** Converts a meta-tool to a tool for adapters. Its failures have the form of the toolset. */
export function registerMetaTool(
  { name, description, annotations, inputSchema }: MetaTool,
  answer: Toolset["answer"],
): RegisteredTool {
  return {
    name,
    description,
    category: "core",
    annotations,
    // The toolset refuses arguments that do not fit.
    input: { "~standard": { version: 1, vendor: "mcp-codegen", validate: (value) => ({ value }) } },
    inputSchema: () => inputSchema,
    isLocked: true,
    call: async (input, options = {}) => toResult(name, await answer(name, input, withoutPlace(options))),
  };
}

/** Omits the options that would connect the tools of a toolset elsewhere. */
function withoutPlace(options: CallOptions): ToolsetCallOptions {
  // oxlint-disable-next-line no-unused-vars -- what is left out
  const { environment, client, url, auth, headers, onContent, ...kept } = options;
  return kept;
}

function toResult(name: string, { isError, content, structuredContent }: ToolAnswer): Result<unknown> {
  if (!isError) {
    const text = content[0]?.text ?? "";
    const value: ToolContent = { text, content, json: () => JSON.parse(text) as unknown };
    return { ok: true, value: structuredContent === undefined ? value : { ...value, structuredContent } };
  }
  // Every error answer of a toolset has this form.
  const modelError = structuredContent as ToolsetError;
  const { error, message, retryable } = modelError;
  const failed = failTool({ name }, toolErrorCodeOf(error), message, { retryable: retryable === true });
  return { ok: false, error: { ...failed.error, modelError } };
}
