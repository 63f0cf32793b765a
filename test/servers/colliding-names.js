// Three names that all become getUser, and one that does not.
import { plainTool, readOptions, serve } from "./raw-server.js";

serve(
  {
    name: "colliding-names",
    list: () => ({ tools: ["get-user", "get_user", "GetUser", "list-users"].map((name) => plainTool(name)) }),
  },
  readOptions({}),
);
