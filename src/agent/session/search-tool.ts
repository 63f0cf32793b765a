import type { JsonObject } from "../../core/json.js";
import { defineStaticTool, type StaticTool } from "../define-static-tool.js";
import type { Schema } from "../../schema/validation/schema.js";
import type { DescribedHit, WantedTools } from "../toolset/find-tools.js";
import { checkArguments } from "../toolset/meta-tool.js";

/** The answer of a session's search. */
export interface SessionSearchAnswer {
  /** The added tools, best first. */
  readonly tools: readonly DescribedHit[];
  /**
   * Without a query: the names of all matching tools, in pages of 100. For a query: the names of tools that fit less well, or
   * have a long definition. Only those in `tools` were added.
   */
  readonly names?: readonly string[];
  /** The number of matching tools; for a query, at most 100. */
  readonly total: number;
  /** The offset of the next page of names; absent at the end. */
  readonly next?: number;
  readonly query: string;
  /** Advice if no tool was added. */
  readonly suggestion?: string;
}

export type SearchTool = StaticTool<WantedTools, SessionSearchAnswer>;

export interface SearchToolOptions {
  readonly name: string;
  /** The maximum number of tools that a search adds. */
  readonly limit: number;
  readonly search: (wanted: WantedTools) => Promise<SessionSearchAnswer>;
}

/** Creates the tool with which a model finds others. */
export function makeSearchTool({ name, limit, search }: SearchToolOptions): SearchTool {
  const schema = inputSchemaFor(limit);
  return defineStaticTool({
    name,
    description: `Finds tools for a task. They join your tools with their schemas, at most ${limit} per search: call them by name in your next step. A search for one of the "names" adds that tool. A category alone lists the names of its tools.`,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    input: readSchema(schema),
    inputSchema: () => schema,
    execute: search,
  });
}

function inputSchemaFor(limit: number): JsonObject {
  const text = { type: "string", minLength: 1, maxLength: 1_000 };
  return {
    type: "object",
    properties: {
      query: { ...text, description: "The task, in plain words. Required without a category." },
      category: { ...text, description: "Only tools of this category." },
      server: { ...text, description: "Only tools of this server." },
      limit: { type: "integer", minimum: 1, maximum: limit, default: limit },
      offset: { type: "integer", minimum: 0, description: 'For names: "next" of the previous answer.' },
    },
    additionalProperties: false,
  };
}

function readSchema(schema: JsonObject): Schema<WantedTools> {
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: (value) => {
        const issues = checkArguments(schema, value);
        if (issues.length > 0) return { issues };
        const wanted = value as WantedTools;
        const { query, category, server } = wanted;
        const isEmpty = [query, category, server].every((one) => one === undefined);
        return isEmpty ? { issues: [{ message: "Missing query or category." }] } : { value: wanted };
      },
    },
  };
}
