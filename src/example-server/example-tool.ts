import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";

export interface ExampleDefinition<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: StandardSchemaWithJSON<Input, Input>;
  readonly outputSchema: StandardSchemaWithJSON;
  readonly annotations: ToolAnnotations;
}

/** One tool of the example server, ready to be registered. */
export type ExampleTool = (server: McpServer) => void;

/** What a tool throws to answer with `isError` and this message. */
export class ToolFailure extends Error {}

/**
 * A tool from its definition and what it does. The server checks the input against the input schema before `run`, and
 * the answer against the output schema after it.
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
