// Lists its tools in four pages. The cursor of the third page is the empty string, which is a valid cursor.
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

const options = readOptions({ "page-size": "2" });
const size = Number(options["page-size"]);
const CURSORS = [undefined, "second", "", "fourth"];

serve(
  {
    name: "paged",
    list: ({ cursor }) => {
      const page = CURSORS.findIndex((known) => known === cursor);
      if (page < 0) throw new RpcError(-32602, `Unknown cursor ${JSON.stringify(cursor)}`);
      const tools = Array.from({ length: size }, (_, index) =>
        plainTool(`page-${page + 1}-tool-${index + 1}`),
      );
      return page + 1 < CURSORS.length ? { tools, nextCursor: CURSORS[page + 1] } : { tools };
    },
    call: ({ name }) => textResult(`called ${String(name)}`),
  },
  options,
);
