// A list of --tools tools (default: 10,000), or of about --megabytes, in one page or in --pages pages.
import { readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ tools: "10000", megabytes: "0", pages: "1" });
const count = Number(options.tools);
const pages = Number(options.pages);
const filler = Math.floor((Number(options.megabytes) * 1_000_000) / count);

/** @param {number} index */
function tool(index) {
  const words = "Reads one record and returns it with its fields in the order of the list. ";
  return {
    name: `record-${String(index).padStart(5, "0")}-get`,
    description: words
      .repeat(Math.max(1, Math.ceil(filler / words.length)))
      .slice(0, Math.max(74, filler))
      .trim(),
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "integer", minimum: 1, description: "The record's number." },
        fields: { type: "array", items: { type: "string" }, description: "Which fields to return." },
        order: { type: "string", enum: ["asc", "desc"], default: "asc" },
      },
      required: ["id"],
    },
  };
}

serve(
  {
    name: "huge-list",
    list: ({ cursor }) => {
      const page = Number(cursor ?? 0);
      const size = Math.ceil(count / pages);
      const tools = Array.from({ length: Math.min(size, count - page * size) }, (_, index) =>
        tool(page * size + index),
      );
      return page + 1 < pages ? { tools, nextCursor: String(page + 1) } : { tools };
    },
    call: ({ name }) => textResult(`called ${String(name)}`),
  },
  options,
);
