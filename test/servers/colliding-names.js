// Three names that become getUser, and another name.
import { plainTool, readOptions, serve } from "./raw-server.js";

serve(
  {
    name: "colliding-names",
    list: () => ({ tools: ["get-user", "get_user", "GetUser", "list-users"].map((name) => plainTool(name)) }),
  },
  readOptions({}),
);
