import { expect, test } from "vitest";
import { makeProject } from "./make-project.js";

const FIX = "To rename it in your code: npx mcp-codegen fix\n";

const listOf = (name: string, property: string): string => {
  const description = "Returns an order by its number, with its lines, prices and state.";
  const inputSchema = { type: "object", properties: { [property]: { type: "integer" } } };
  return JSON.stringify({ tools: [{ name, description, inputSchema }] });
};

test.each([
  ["a renamed tool in a project with code", "fetch_order", "order", "{}", {}, true],
  ["a renamed property in a project with code", "get_order", "order_number", "{}", {}, true],
  ["a rename without a TypeScript project", "fetch_order", "order", undefined, {}, false],
  ["a rename without generated code", "fetch_order", "order", "{}", { output: false }, false],
  ["no change", "get_order", "order", "{}", {}, false],
])("pull names fix after %s: %s(%s)", async (_, name, property, tsconfig, more, isNamed) => {
  const project = await makeProject({ servers: { shop: { file: "list.json" } }, ...more });
  if (tsconfig !== undefined) await project.write("tsconfig.json", tsconfig);
  await project.write("list.json", listOf("get_order", "order"));
  expect((await project.run("pull")).stdout).not.toContain(FIX);
  await project.write("list.json", listOf(name, property));
  expect((await project.run("pull --dry-run")).stdout).not.toContain(FIX);
  expect((await project.run("pull")).stdout.includes(FIX)).toBe(isNamed);
});
