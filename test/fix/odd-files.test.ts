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

it("keeps a name where the new one is that of something else", TIME, async () => {
  const plain = (wrapper: string): string => `import { ${wrapper} } from "../generated/shop/index.js";
export const order = await ${wrapper}({});
`;
  const inner = (imported: string): string =>
    `import { ${imported} } from "../generated/shop/index.js";
import * as shop from "../generated/shop/index.js";
export const read = async () => {
  const fetch = async (input: GetOrderInput) => getOrder(input);
  return [await fetch({}), await shop.${imported.startsWith("fetch") ? "fetch" : "getOrder"}({})];
};
`;
  const page = (imported: string): string =>
    `${plain("getOrder").replace("getOrder", imported)}export const page = await fetch("https://example.com");
const { connect } = await import("../generated/shop/index.js");
export { getOrder as read } from "./index.js";
console.log(connect);
`;
  const typed = (imported: string): string =>
    `import type { ${imported} } from "../generated/shop/index.js";
export interface FetchOutput {
  readonly own: number;
}
export const own = (output: GetOrderOutput): FetchOutput => ({ own: output.id });
`;
  const project = await makeChangedProject({
    before: toolsOf("get_order", "id"),
    after: toolsOf("fetch", "id"),
    files: {
      "src/index.ts": 'export { getOrder } from "../generated/shop/index.js";\n',
      "src/other.ts": plain("getOrder"),
      "src/inner.ts": inner("getOrder, type GetOrderInput"),
      "src/page.ts": page("getOrder"),
      "src/typed.ts": typed("GetOrderOutput"),
    },
  });
  const { document } = await project.runJson(["fix", "--write", "--rename", "shop/get_order=fetch"]);
  expect(document["left"]).toEqual([]);
  expect(await project.read("src/index.ts")).toBe('export { fetch } from "../generated/shop/index.js";\n');
  expect(await project.read("src/other.ts")).toBe(plain("fetch"));
  expect(await project.read("src/page.ts")).toBe(
    page("fetch as getOrder").replace("getOrder as read", "fetch as read"),
  );
  expect(await project.read("src/typed.ts")).toBe(typed("FetchOutput as GetOrderOutput"));
  expect(await project.read("src/inner.ts")).toBe(
    inner("fetch as getOrder, type FetchInput").replace("input: GetOrderInput", "input: FetchInput"),
  );
});
