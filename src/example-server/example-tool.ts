import type { McpServer, StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";

export interface ExampleDefinition<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: StandardSchemaWithJSON<Input, Input>;
  readonly outputSchema: StandardSchemaWithJSON;
  readonly annotations: ToolAnnotations;
}

/** A tool of the example server. */
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
