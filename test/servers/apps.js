// A tool for models, one for user interfaces (MCP Apps), and one for both.
import { plainTool, serve, textResult } from "./raw-server.js";

/** @param {readonly string[]} visibility */
const shownTo = (...visibility) => ({ _meta: { ui: { resourceUri: "ui://apps/cart", visibility } } });

serve({
  name: "apps",
  list: () => ({
    tools: [
      plainTool("show"),
      plainTool("refresh", shownTo("app")),
      plainTool("add", shownTo("model", "app")),
    ],
  }),
  call: ({ name }) => textResult(`called ${String(name)}`),
});
