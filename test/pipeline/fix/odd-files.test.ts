/** `mcp-codegen fix` on a file with a byte order mark, and on files that the TypeScript project leaves out. */
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

it("edits files that the TypeScript project leaves out", TIME, async () => {
  const code = (wrapper: string, module: string) =>
    `import { ${wrapper} } from "../generated/shop/${module}.js";
export const id = (await ${wrapper}({ id: 1 })).id;
`;
  const old = code("getOrder", "get-order");
  const project = await makeChangedProject({
    before: toolsOf("get_order", "id"),
    after: toolsOf("fetch_order", "id"),
    files: {
      "src/app.ts": old,
      "test/app.test.ts": old,
      "scripts/run.mjs": old,
      "out/ignored.ts": old,
      "web/Order.vue": `<script setup lang="ts">\n${old}</script>\n`,
    },
  });
  const { document } = await project.runJson(["fix", "--write", "--rename", "shop/get_order=fetch_order"]);
  for (const path of ["src/app.ts", "test/app.test.ts", "scripts/run.mjs"])
    expect(await project.read(path)).toBe(code("fetchOrder", "fetch-order"));
  expect(await project.read("out/ignored.ts")).toBe(old);
  const message = "may use `getOrder`, renamed to `fetchOrder`, but fix does not edit files of this kind";
  expect(document["left"]).toEqual([2, 3].map((line) => ({ file: "web/Order.vue", line, message })));
});
