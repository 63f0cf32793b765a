// Every page has a new cursor. With --empty yes, the pages have no tools. With --size, each page has so many characters.
import { plainTool, readOptions, serve } from "./raw-server.js";

const options = readOptions({ empty: "no", size: "0" });

serve(
  {
    name: "endless-cursor",
    list: ({ cursor }) => {
      const page = Number(cursor ?? 1);
      return {
        tools:
          options.empty === "yes"
            ? []
            : [{ ...plainTool(`tool-${page}`), description: "x".repeat(Number(options.size)) }],
        nextCursor: String(page + 1),
      };
    },
  },
  options,
);
