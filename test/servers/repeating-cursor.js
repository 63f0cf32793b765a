// Leads from page a to page b and back to page a, for ever.
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
