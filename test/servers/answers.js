// Tools that declare no output schema: "find-orders" answers with JSON as text, "get-order" with structured content and
// "greet" with words. `--revision 2` gives "get-order" another parameter and its orders no status, `--declared yes` an
// output schema for "get-order".
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ revision: "1", declared: "no" });
const isSecond = options.revision === "2";

/** @param {number} id */
const order = (id) => ({
  id,
  ...(!isSecond && { status: id % 2 === 0 ? "open" : "shipped" }),
  customer: { email: `ann${id}@example.com`, note: id % 3 === 0 ? null : "Ring twice." },
  placed_at: `2026-03-0${(id % 9) + 1}T10:00:00Z`,
  ...(id % 2 === 0 && { tracking: `T${id}` }),
});

const getOrder = plainTool("get-order", {
  annotations: { readOnlyHint: true },
  ...(options.declared === "yes" && {
    outputSchema: {
      type: "object",
      properties: { id: { type: "string" }, status: { type: "string" } },
      required: ["id"],
    },
  }),
});
const { inputSchema } = getOrder;
const other = { ...inputSchema, properties: { ...inputSchema.properties, fields: { type: "string" } } };

serve(
  {
    name: "answers",
    list: () => ({
      tools: [
        isSecond ? { ...getOrder, inputSchema: other } : getOrder,
        plainTool("find-orders", { annotations: { readOnlyHint: true } }),
        plainTool("greet", { annotations: { readOnlyHint: true } }),
      ],
    }),
    call: ({ name, arguments: given }) => {
      const { id } = /** @type {{ id: number }} */ (given);
      if (name === "greet") return textResult(`Hello ${id}.`);
      if (name === "find-orders")
        return textResult(JSON.stringify({ orders: [order(id), order(id + 1)], total: 2 }));
      return { content: [{ type: "text", text: "See below." }], structuredContent: order(id) };
    },
  },
  options,
);
