// Every page has a new cursor. With --empty yes, the pages have no tools.
import { plainTool, readOptions, serve } from "./raw-server.js";

const options = readOptions({ empty: "no" });

serve(
  {
    name: "endless-cursor",
    list: ({ cursor }) => {
      const page = Number(cursor ?? 1);
      return {
        tools: options.empty === "yes" ? [] : [plainTool(`tool-${page}`)],
        nextCursor: String(page + 1),
      };
    },
  },
  options,
);
