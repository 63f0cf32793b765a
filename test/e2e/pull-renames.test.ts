import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeProject, type Project } from "./make-project.js";
import { linkPackages, TSCONFIG } from "./user-project.js";
import { startWatch } from "./watch/start-watch.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const FIX = "To rename it in your code: npx mcp-codegen fix\n";

const listOf = (name: string, property: string): string => {
  const description = "Returns an order by its number, with its lines, prices and state.";
  const inputSchema = { type: "object", properties: { [property]: { type: "integer" } } };
  return JSON.stringify({ tools: [{ name, description, inputSchema }] });
};

/** A project whose code is compiled. */
async function makeCompiled(): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "list.json" } }, output: "src/mcp" });
  await linkPackages(project.dir);
  for (const name of ["ts-morph", "typescript"])
    await symlink(join(ROOT, "node_modules", name), join(project.dir, "node_modules", name), "junction");
  await project.write("tsconfig.json", TSCONFIG);
  return project;
}

test.each([
  ["a renamed tool that no line has", "fetch_order", "order", "{}", {}],
  [
    "a rename without a TypeScript project, of which no line is known",
    "get_order",
    "order_number",
    undefined,
    {},
  ],
  ["a rename without generated code", "fetch_order", "order", "{}", { output: false }],
])("pull does not name fix after %s: %s(%s)", async (_, name, property, tsconfig, more) => {
  const project = await makeProject({ servers: { shop: { file: "list.json" } }, ...more });
  if (tsconfig !== undefined) await project.write("tsconfig.json", tsconfig);
  await project.write("list.json", listOf("get_order", "order"));
  await project.prints("pull", 0);
  await project.write("list.json", listOf(name, property));
  expect((await project.run("pull")).stdout).not.toContain(FIX);
});

test("check, a dry run, watch and pull name the lines of the code that the changes hit", async () => {
  const project = await makeCompiled();
  await project.write("list.json", listOf("get_order", "order"));
  await project.prints("pull", 0);
  const uses = (name: string, file: string): string =>
    `import { ${name} } from "./mcp/shop/${file}.js";\nconsole.log(${name});\n`;
  await project.write("src/app.ts", uses("getOrder", "get-order"));
  await project.write("list.json", listOf("fetch_order", "order"));
  const headOf = async (command: string): Promise<string> => {
    const { stdout } = await project.run(command);
    return stdout.slice(0, stdout.indexOf("  breaking"));
  };
  const head = await headOf("pull --dry-run");
  expect(head).toContain(
    "shop · 1 breaking · your code: 1 line in src/app.ts\n\n  take it      npx mcp-codegen pull\n  let it pass",
  );
  expect(head).toContain("Your code\n  src/app.ts:1  ");
  const [words, ways, code] = (await headOf("check")).split("\n\n");
  expect(head.split("\n\n")).toEqual([words, expect.stringContaining("take it"), code, expect.any(String)]);
  expect(ways).toContain("npx mcp-codegen pull shop");
  const hits = "1 breaking · your code: 1 line in src/app.ts · ";
  const watch = startWatch(project.dir, ["--check"]);
  await watch.see(new RegExp(`shop: ${hits}to take it: `));
  await watch.stop();
  const { stdout } = await project.run("pull");
  expect(stdout).toContain(`shop · ${hits}contract 1.0.0 → 2.0.0\n`);
  expect(stdout).toContain(FIX);
  await project.write("src/app.ts", uses("fetchOrder", "fetch-order"));
  await project.write("list.json", listOf("find_order", "order"));
  await startWatch(project.dir).see(new RegExp(`shop: ${hits}1 tool renamed \\(fetch_order → find_order\\)`));
});

test("a rename hides no value that the tool rejects under its new name, and pull lists what tsc does not report", async () => {
  const project = await makeCompiled();
  const list = (name: string, size: object, limit: object): Promise<void> => {
    const description = "Returns an order by its number, with its lines, prices and state.";
    const properties = { size: { type: "string", ...size }, limit: { type: "integer", ...limit } };
    const tool = { name, description, inputSchema: { type: "object", properties } };
    return project.writeJson("list.json", { tools: [tool] });
  };
  await list("get_order", {}, {});
  await project.prints("pull", 0);
  await project.write(
    "src/app.ts",
    'import { getOrder } from "./mcp/shop/get-order.js";\nawait getOrder({\n  size: "XL",\n  limit: 80,\n});\n',
  );
  await list("fetch_order", { enum: ["S", "M"] }, { maximum: 50 });
  const size = '  src/app.ts:3  passes `size`: "XL", now rejected';
  const limit = "  src/app.ts:4  passes `limit`: 80, now rejected";
  await project.prints(
    "check",
    1,
    "your code: 4 lines in src/app.ts",
    "  src/app.ts:2  calls `getOrder`",
    size,
    limit,
  );
  const { stdout } = await project.prints("pull", 0, "\nYour code, where tsc reports nothing\n", size, limit);
  expect(stdout).not.toContain("src/app.ts:2");
});
