/** Scripts that a model wrote from `search_api` alone pass the type check at the first try. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createCodeTools } from "mcp-codegen/agent/code";
import { expect, it } from "vitest";
import * as example from "../../generated/example/index.js";
import { createToolset } from "mcp-codegen/agent";
import type { RegisteredTool } from "../../src/core/tool.js";
import { lazySchema, registerTool } from "../../src/agent/registry/registered-tool.js";
import type { JsonObject } from "../../src/core/json.js";
import { isTool } from "../../src/runtime/tool.js";
import { dataFiles, hasShared } from "../data/files.js";
import { SCRIPTS } from "./written-scripts.js";

const SERVERS = {
  ...{ airtable: "airtable-mcp-server", asana: "roychri__mcp-server-asana" },
  ...{ circleci: "circleci__mcp-server-circleci", coolify: "masonator__coolify-mcp" },
  ...{ datadog: "winor30__mcp-server-datadog", discourse: "discourse__mcp" },
  ...{ files: "modelcontextprotocol__server-filesystem", github: "modelcontextprotocol__server-github" },
  ...{ gitlab: "modelcontextprotocol__server-gitlab", kubernetes: "mcp-server-kubernetes" },
  ...{ tasks: "task-master-ai", wordpress: "mcp-wordpress" },
};

interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

function register(
  server: string,
  { name, description = "", inputSchema, outputSchema }: Tool,
): RegisteredTool {
  return {
    ...{ name: `${server}__${name}`, server, description, isLocked: true },
    ...{ input: lazySchema(() => inputSchema), inputSchema: () => inputSchema },
    ...(outputSchema && { outputSchema: () => outputSchema }),
    call: () => Promise.reject(new Error("No tool is called.")),
  };
}

it.skipIf(!hasShared)("scripts from search_api alone fit the tools", async () => {
  const files = new Map(dataFiles("tool-lists").map((path) => [basename(path), path]));
  const tools = Object.entries(SERVERS).flatMap(([server, list]) => {
    const read = JSON.parse(readFileSync(files.get(`${list}.json`) ?? "", "utf8")) as {
      readonly tools: readonly Tool[];
    };
    return read.tools.map((tool) => register(server, tool));
  });
  const code = createCodeTools(tools);
  const found: Record<string, unknown> = {};
  for (const [task, script] of Object.entries(SCRIPTS)) {
    const issues = await code.check(script);
    if (issues.length > 0) found[task] = issues;
  }
  expect(found).toEqual({});
});

const generated = Object.values(example).flatMap((value: unknown) =>
  isTool(value) ? [registerTool(value, `example__${value.definition.name}`, "example")] : [],
);

it("a described signature of generated code has the type of the answer", async () => {
  const toolset = createToolset(generated);
  const { structuredContent } = await toolset.answer("describe_tools", {
    tools: ["example__get-post"],
    format: "typescript",
  });
  expect(JSON.stringify(structuredContent)).toContain("type Result = {\\n  id: number;");
});

it("scripts for generated code know the types of answers", async () => {
  const code = createCodeTools(generated);
  expect(await code.check("return (await example.getPost({ id: 1 })).title.length;")).toEqual([]);
  const [issue] = await code.check("return (await example.getPost({ id: 1 })).titel;");
  expect(issue?.message).toContain("Did you mean 'title'?");
});
