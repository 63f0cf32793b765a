import type { CallOptions } from "../../runtime/call-options.js";
import type { ToolContent, Result } from "../../runtime/result.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { Schema } from "../../validation/schema.js";
import { findMisfits, type DefinedMetaTool } from "./meta-tools.js";
import { codeOf, type ToolsetError } from "./toolset-error.js";
import type { Toolset, ToolsetAnswer } from "./toolset.js";

/** A meta-tool as one that adapters take. A failure has the toolset's form. */
export function registerMetaTool(meta: DefinedMetaTool, answer: Toolset["answer"]): RegisteredTool {
  const { name, description, annotations, inputSchema } = meta;
  return {
    name,
    description,
    category: "core",
    annotations,
    input: schemaOf(meta),
    inputSchema: () => inputSchema,
    isLocked: true,
    call: async (input, options = {}) => toResult(name, await answer(name, input, withoutPlace(options))),
  };
}

function schemaOf(meta: DefinedMetaTool): Schema<unknown> {
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: (value) => {
        const issues = findMisfits(meta, value);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}

/** The tools of a toolset stay where they are connected. */
function withoutPlace(options: CallOptions): Parameters<Toolset["answer"]>[2] {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- what is left out
  const { environment, client, url, auth, headers, onContent, ...kept } = options;
  return kept;
}

function toResult(name: string, answer: ToolsetAnswer): Result<unknown> {
  const { isError, content, structuredContent } = answer;
  const [first] = content;
  const text = first?.text ?? "";
  if (!isError) {
    const value: ToolContent = { text, content, json: () => JSON.parse(text) as unknown };
    return { ok: true, value: structuredContent === undefined ? value : { ...value, structuredContent } };
  }
  // Every error of a toolset is one.
  const modelError = structuredContent as ToolsetError;
  const { error, message, retryable } = modelError;
  return {
    ok: false,
    error: {
      code: codeOf(error),
      message,
      retryable: retryable === true,
      tool: name,
      server: "static",
      modelError,
    },
  };
}
