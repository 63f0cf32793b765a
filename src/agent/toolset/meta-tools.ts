import { STATIC_TOOLS } from "../../contract/connection.js";
import { McpCodegenError } from "../../contract/errors.js";
import type { JsonObject } from "../../contract/json.js";
import { fitsJsonSchema } from "../../validation/fits-json-schema.js";
import type { CheckIssue } from "../../validation/checks.js";
import type { JsonSchemaObject } from "../../validation/json-schema.js";
import type { CallOptions } from "../../runtime/call-options.js";
import type { ToolContent, Result } from "../../runtime/result.js";
import type { Schema } from "../../validation/schema.js";
import type { Policy } from "../policy/policy.js";
import type { RegisteredTool } from "../registry/registered-tool.js";
import type { MetaTool, Toolset, ToolsetAnswer } from "./toolset.js";
import { type MetaNames, codeOf, type ToolsetError } from "./toolset-error.js";

/** As many as one answer may describe. */
const MOST_DESCRIBED = 20;
/** As many as one answer may list. */
export const MOST_FOUND = 100;
export const DEFAULT_CONTEXT = 1_500;

const PREFIX = /^[A-Za-z0-9_-]{0,40}$/;

/** @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would not take */
export function nameMetaTools(prefix: string): MetaNames {
  if (!PREFIX.test(prefix)) {
    throw new McpCodegenError("CONFIG_INVALID", `Invalid toolset prefix ${JSON.stringify(prefix)}.`, {
      hint: 'Use up to 40 letters, digits, "_" and "-", such as "wpnav_".',
    });
  }
  return {
    introspect: `${prefix}introspect`,
    search: `${prefix}search_tools`,
    describe: `${prefix}describe_tools`,
    execute: `${prefix}execute`,
    context: `${prefix}context`,
  };
}

/** A meta-tool with its schema in the words that are judged by. */
export type DefinedMetaTool = MetaTool & { readonly inputSchema: JsonObject & JsonSchemaObject };

/** The five by what they do. */
type MetaTools = { readonly [K in keyof MetaNames]: DefinedMetaTool };

/** The five, in the order in which they are listed. All of them are in the context of every conversation, so they are brief. */
export function defineMetaTools(names: MetaNames, policy: Policy): MetaTools {
  const reads = { readOnlyHint: true };
  return {
    introspect: {
      name: names.introspect,
      description: "Overview: servers, tool counts by category, environments, permissions.",
      inputSchema: objectOf({}),
      annotations: reads,
    },
    search: {
      name: names.search,
      description: `Find tools for a task, in plain words; or list a category's names, in pages. Then ${names.describe}.`,
      inputSchema: objectOf({
        query: { type: "string", description: "For example: schedule a blog post" },
        category: { type: "string" },
        server: { type: "string" },
        limit: { type: "integer", minimum: 1, maximum: MOST_FOUND, description: "Default 5; for names 100" },
        offset: { type: "integer", minimum: 0 },
      }),
      annotations: reads,
    },
    describe: {
      name: names.describe,
      description: `Arguments and results of tools, by name; typescript is shorter. Call before ${names.execute}.`,
      inputSchema: objectOf(
        {
          tools: { type: "array", items: { type: "string" }, minItems: 1, maxItems: MOST_DESCRIBED },
          format: { type: "string", enum: ["schema", "typescript"], default: "schema" },
        },
        ["tools"],
      ),
      annotations: reads,
    },
    execute: {
      name: names.execute,
      description: "Call a tool by name, with args that match its schema. Errors say what to fix.",
      inputSchema: objectOf(
        { tool: { type: "string" }, args: { type: "object", description: "The tool's arguments" } },
        ["tool"],
      ),
      // Without writes, nothing is called that does not only read.
      annotations: policy.writes === false ? reads : { readOnlyHint: false, destructiveHint: true },
    },
    context: {
      name: names.context,
      description: "Everything as one text, for an agent that uses the command line instead.",
      inputSchema: objectOf({ maxTokens: { type: "integer", minimum: 1, default: DEFAULT_CONTEXT } }),
      annotations: reads,
    },
  };
}

function objectOf(
  properties: { readonly [name: string]: JsonObject & JsonSchemaObject },
  required?: readonly string[],
): JsonObject & JsonSchemaObject {
  return { type: "object", properties, ...(required && { required }), additionalProperties: false };
}

/** What a meta-tool's schema has against its arguments. */
export function findMisfits({ inputSchema }: DefinedMetaTool, args: unknown): readonly CheckIssue[] {
  const issues: CheckIssue[] = [];
  fitsJsonSchema(inputSchema)({ value: args, issues });
  return issues;
}

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
  // oxlint-disable-next-line no-unused-vars -- what is left out
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
      server: STATIC_TOOLS,
      modelError,
    },
  };
}
