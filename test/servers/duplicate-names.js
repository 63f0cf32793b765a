// One name with two definitions, one name with the same definition twice, and a tool that is listed once.
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
