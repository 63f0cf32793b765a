// Page a leads to page b, and page b to page a.
import { plainTool, readOptions, serve } from "./raw-server.js";

serve(
  {
    name: "repeating-cursor",
    list: ({ cursor }) => ({
      tools: [plainTool(`tool-${String(cursor ?? "first")}`)],
      nextCursor: cursor === "a" ? "b" : "a",
    }),
  },
  readOptions({}),
);
