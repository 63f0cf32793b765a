import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";

interface ExampleDefinition<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: StandardSchemaWithJSON<Input, Input>;
  readonly outputSchema: StandardSchemaWithJSON;
  readonly annotations: ToolAnnotations;
}

export type ExampleTool = (server: McpServer) => void;

/** A tool throws this to answer with `isError` and the message. */
export class ToolFailure extends Error {}

/**
 * Returns a tool from its definition and its function. The server validates the input before `run` and the
 * answer after it.
 */
export function exampleTool<Input>(
  { name, ...definition }: ExampleDefinition<Input>,
  run: (input: Input) => object,
): ExampleTool {
  return (server) => {
    server.registerTool(name, definition, (input: Input) => {
      try {
        const answer = { ...run(input) };
        return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        return { isError: true, content: [{ type: "text", text: error.message }] };
      }
    });
  };
}

/** Returns one page of a list. Pages count from 1. */
export function pageOf<T>(
  items: readonly T[],
  page: number,
  perPage: number,
): { items: T[]; total: number; pages: number } {
  const start = (page - 1) * perPage;
  return {
    items: items.slice(start, start + perPage),
    total: items.length,
    pages: Math.ceil(items.length / perPage),
  };
}

/**
 * Returns the time of the next event: a fixed morning, plus one minute per event, so that every run is equal.
 */
export type Calendar = () => string;

export function createCalendar(): Calendar {
  let minutes = 0;
  return () => new Date(Date.UTC(2026, 0, 15, 9, minutes++)).toISOString();
}
