// Tools whose answers are the raw JSON text in the argument "raw": "structured" declares an output schema, and "plain" none.
// "take" and "take-text" answer with the arguments that they received, as JSON text.
import { plainTool, serve } from "./raw-server.js";

const annotations = { readOnlyHint: true };
const answering = {
  annotations,
  inputSchema: { type: "object", properties: { raw: { type: "string" } }, required: ["raw"] },
};

serve({
  name: "raw-answers",
  list: () => ({
    tools: [
      plainTool("structured", {
        ...answering,
        outputSchema: { type: "object", properties: { Id: { type: "integer" }, name: { type: "string" } } },
      }),
      plainTool("plain", answering),
      plainTool("take", {
        annotations,
        inputSchema: {
          type: "object",
          properties: { id: { type: "integer" }, any: {}, ids: { type: "array", items: { type: "number" } } },
        },
      }),
      plainTool("closed", {
        annotations,
        inputSchema: {
          type: "object",
          properties: {
            schema: { type: "object", propertyNames: { type: "string" }, additionalProperties: false },
            sort: { enum: ["asc", "desc"] },
          },
        },
      }),
    ],
  }),
  call: ({ name, arguments: given }) => {
    const args = /** @type {{ raw?: string }} */ (given);
    if (name === "take" || name === "closed")
      return { content: [{ type: "text", text: JSON.stringify(args) }] };
    return args.raw;
  },
});
