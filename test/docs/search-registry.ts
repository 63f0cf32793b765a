import { createRegistry, createToolSearch } from "mcp-codegen/agent";
import * as example from "../../generated/example/index.js";

const registry = createRegistry({ servers: [example] });

const search = createToolSearch(await registry.getTools());
for (const { tool } of await search.search("write an article", { limit: 2 })) {
  console.log(tool.name, tool.description);
}

const result = await registry.call("example__create-post", { title: "Rolls", content: "Round." });
console.log(result.ok ? "called" : result.error.message);
