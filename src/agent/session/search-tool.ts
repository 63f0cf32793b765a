import type { JsonObject } from "../../contract/json.js";
import type { CheckIssue } from "../../validation/checks.js";
import { fitsJsonSchema } from "../../validation/fits-json-schema.js";
import { defineStaticTool, type StaticTool } from "../define-static-tool.js";
import type { Issue, Schema } from "../../validation/schema.js";
import type { DescribedHit, WantedTools } from "../toolset/find-tools.js";

/** What a search answers, for models. */
export interface SessionSearchAnswer {
  /** Best first. They are active now, with their schemas. */
  readonly tools: readonly DescribedHit[];
  /** Without a query: the names of all that fit, a page of 100. They are active only if all of them are among `tools`. */
  readonly names?: readonly string[];
  /** How many fit, with those that were not brought; of a query, 100 are counted. */
  readonly total: number;
  /** The offset of the next page of names; absent at the end. */
  readonly next?: number;
  readonly query: string;
  /** What to do where no tool was brought. */
  readonly suggestion?: string;
}

/** What a search takes and answers, as a tool. */
export type SearchTool = StaticTool<WantedTools, SessionSearchAnswer>;

export interface SearchToolOptions {
  readonly name: string;
  /** How many tools a search brings at most. */
  readonly limit: number;
  readonly search: (wanted: WantedTools) => Promise<SessionSearchAnswer>;
}

/** The tool by which a model finds others. */
export function makeSearchTool({ name, limit, search }: SearchToolOptions): SearchTool {
  const schema = inputSchemaFor(limit);
  return defineStaticTool({
    name,
    description: `Finds tools for a task. They join your tools with their schemas, at most ${limit} per search: call them by name in your next step. Search again for other tools. A category alone lists the names of its tools.`,
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
  const check = fitsJsonSchema(schema);
  return {
    "~standard": {
      version: 1,
      vendor: "mcp-codegen",
      validate: (value) => {
        const issues: CheckIssue[] = [];
        check({ value, issues });
        if (issues.length > 0) return { issues };
        const wanted = value as WantedTools;
        return isAimless(wanted) ? { issues: [AIMLESS] } : { value: wanted };
      },
    },
  };
}

const AIMLESS: Issue = { message: "Missing query or category." };

function isAimless({ query, category, server }: WantedTools): boolean {
  return [query, category, server].every((one) => one === undefined);
}
