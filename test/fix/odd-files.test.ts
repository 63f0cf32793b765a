/** `mcp-codegen fix` on a file with a byte order mark, and on tools whose names are those of every object's methods. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

function toolsOf(name: string, property: string): readonly object[] {
  return [
    {
      name,
      description: "Returns an order.",
      inputSchema: { type: "object", properties: { [property]: { type: "integer" } } },
      outputSchema: { type: "object", properties: { [property]: { type: "integer" } }, required: [property] },
    },
    { name: "other", description: "Does something else.", inputSchema: { type: "object" } },
  ];
}

it("edits code and names for agents in one file with a byte order mark", TIME, async () => {
  const eval_ = (tool: string, wrapper: string): string => `\uFEFF// Calls mcp__shop__${tool}.
import { ${wrapper} } from "../generated/shop/index.js";
export const expected = { tool: "mcp__shop__${tool}", result: await ${wrapper}({}) };
`;
  const project = await makeChangedProject({
    before: toolsOf("get_order", "id"),
    after: toolsOf("fetch_order", "id"),
    files: {
      "src/eval.ts": eval_("get_order", "getOrder"),
      "mcp-codegen.config.json": JSON.stringify({
        servers: { shop: { file: "tools.json" } },
        references: ["src/*.ts"],
      }),
    },
  });
  const { document } = await project.runJson(["fix", "--write", "--rename", "shop/get_order=fetch_order"]);
  expect(document).toMatchObject({ left: [] });
  // `read` may drop the mark.
  const text = (await readFile(join(project.dir, "src/eval.ts"))).toString("utf8");
  expect(text).toBe(eval_("fetch_order", "fetchOrder"));
});

it("edits tools and properties whose names every object has", TIME, async () => {
  const code = (wrapper: string, property: string): string =>
    `import { ${wrapper} } from "../generated/shop/index.js";
const { ${property}: found } = await ${wrapper}({ ${property}: 1 });
export const same = [found, {}.constructor, Object.prototype.toString, {}.valueOf()];
`;
  const project = await makeChangedProject({
    before: toolsOf("constructor", "valueOf"),
    after: toolsOf("to_string", "hasOwnProperty"),
    files: { "src/app.ts": code("constructor", "valueOf") },
  });
  const renames = ["constructor=to_string", "to_string.valueOf=hasOwnProperty"];
  const named = renames.flatMap((name) => ["--rename", `shop/${name}`]);
  const { document } = await project.runJson(["fix", "--write", ...named]);
  expect(document).toMatchObject({ left: [] });
  expect(await project.read("src/app.ts")).toBe(code("toString", "hasOwnProperty"));
});

it("lists a new name that hides a global which the file uses", TIME, async () => {
  const code = (wrapper: string): string => `import { ${wrapper} } from "../generated/shop/index.js";
export const order = await ${wrapper}({});
`;
  const project = await makeChangedProject({
    before: toolsOf("get_order", "id"),
    after: toolsOf("fetch", "id"),
    files: {
      "src/other.ts": code("getOrder"),
      "src/page.ts": `${code("getOrder")}export const page = await fetch("https://example.com");\n`,
    },
  });
  const { document } = await project.runJson(["fix", "--rename", "shop/get_order=fetch"]);
  const message = "`fetch` is the name of something else here";
  expect(document["left"]).toContainEqual({ file: "src/page.ts", line: 2, message });
  expect(JSON.stringify(document["left"])).not.toContain("src/other.ts");
});
