/** Commands to copy work where they are printed, also with a configuration in another folder. */
import { expect, it } from "vitest";
import { makeProject } from "../e2e/make-project.js";

const CONFIG = "my app/mcp-codegen.config.json";
const TOOL = { name: "send", inputSchema: { type: "object", properties: { to: { enum: ["a", "b"] } } } };

it.each([
  [
    "check",
    [
      "pull --config 'my app/mcp-codegen.config.json' shop",
      "check --config 'my app/mcp-codegen.config.json' --waive",
    ],
  ],
  ["pull --dry-run", ["pull --config 'my app/mcp-codegen.config.json'\n"]],
  ["describe sned", ["search --config 'my app/mcp-codegen.config.json'\" to find"]],
  ["--config=other.json check", ["init"]],
])("%s names the configuration of its run in the commands that it prints", async (line, commands) => {
  const project = await makeProject();
  await project.writeJson(CONFIG, { servers: { shop: { file: "tools.json" } } });
  await project.writeJson("my app/tools.json", { tools: [TOOL] });
  await project.run(["pull", "--config", CONFIG]);
  const tools = [{ ...TOOL, inputSchema: { type: "object", properties: { to: { enum: ["a"] } } } }];
  await project.writeJson("my app/tools.json", { tools });
  const words = line.includes("--config") ? line.split(" ") : [...line.split(" "), "--config", CONFIG];
  const { stdout, stderr } = await project.run(words);
  for (const command of commands) expect(stdout + stderr).toContain(`npx mcp-codegen ${command}`);
});
