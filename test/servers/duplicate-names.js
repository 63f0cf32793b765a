// One name with two definitions, one name with the same definition twice, and another tool.
import { plainTool, readOptions, serve } from "./raw-server.js";

serve(
  {
    name: "duplicate-names",
    list: () => ({
      tools: [
        plainTool("differs", { description: "The first definition." }),
        plainTool("repeats"),
        plainTool("differs", { description: "The second definition." }),
        plainTool("once"),
        plainTool("repeats"),
      ],
    }),
  },
  readOptions({}),
);
