// Lists other tools for other flags and accounts: "list" always, "remove" without `--read-only yes`, "audit" with the bearer
// token "admin-token" alone, and "search" with a further parameter for it. `--lose yes`: the account of an admin loses
// "remove".
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ "read-only": "no", lose: "no" });

serve(
  {
    name: "views",
    list: (_, { headers }) => {
      const isAdmin = headers["authorization"] === "Bearer admin-token";
      const search = plainTool("search");
      const properties = { ...search.inputSchema.properties, deleted: { type: "boolean" } };
      const wider = { ...search, inputSchema: { ...search.inputSchema, properties } };
      const canRemove = options["read-only"] === "no" && !(isAdmin && options.lose === "yes");
      return {
        tools: [
          plainTool("list"),
          isAdmin ? wider : search,
          ...(canRemove ? [plainTool("remove")] : []),
          ...(isAdmin ? [plainTool("audit")] : []),
        ],
      };
    },
    call: ({ name }, { headers }) => textResult(`${String(name)} as ${String(headers["authorization"])}`),
  },
  options,
);
