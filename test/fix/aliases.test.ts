/** `mcp-codegen fix` on names that re-exports change, and on names in comments that the compiler reads. */
import { expect, it } from "vitest";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

function toolOf(name: string): object {
  return {
    name,
    description: "Returns an order.",
    inputSchema: { type: "object", properties: { id: { type: "integer" } } },
    outputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  };
}

const OTHER = { name: "other", description: "Does something else.", inputSchema: { type: "object" } };

async function makeRenamed(files: Readonly<Record<string, string>>) {
  const before = [toolOf("get_order"), OTHER];
  return makeChangedProject({ before, after: [toolOf("fetch_order"), OTHER], files });
}

const RENAME = ["--rename", "shop/get_order=fetch_order"];

it("keeps the names that re-exports give to a tool", TIME, async () => {
  const tools = (name: string, wrapper: string): string =>
    `export { ${wrapper} as loadOrder } from "../generated/shop/index.js";
export type { ${name}Input, ${name}Output as Order } from "../generated/shop/index.js";
`;
  const app = (input: string): string => `import { loadOrder, type ${input} } from "./tools.js";
import type { Order } from "./tools.js";
/** Loads an order by its {@link ${input} | input}. */
export const load = async (input: ${input}): Promise<Order> => loadOrder(input);
`;
  const files = { "src/tools.ts": tools("GetOrder", "getOrder"), "src/app.ts": app("GetOrderInput") };
  const project = await makeRenamed(files);
  const { document } = await project.runJson(["fix", "--write", ...RENAME]);
  expect(await project.read("src/tools.ts")).toBe(tools("FetchOrder", "fetchOrder"));
  expect(await project.read("src/app.ts")).toBe(app("FetchOrderInput"));
  expect(document).toMatchObject({ left: [] });
});

it("edits types in the comments of JavaScript", TIME, async () => {
  const script = (path: string, name: string): string =>
    `/** @param {import("../generated/shop/${path}").${name}Output} order */
export function idOf(order) {
  return order.id;
}
`;
  const mixed = (wrapper: string, name: string): string =>
    `/** @import { ${name}Input } from "../generated/shop/index.js" */
/** Another comment. */
import { ${wrapper} } from "../generated/shop/index.js";

/** @type {${name}Input} */
export const input = { id: 1 };
/** @param {import("../generated/shop/index.js").${name}Output} order */
export const idOf = (order) => order.id;
console.log(idOf(await ${wrapper}(input)));
`;
  const project = await makeRenamed({
    "src/app.ts": 'import "../generated/shop/index.js";\n',
    "scripts/id.js": script("index.js", "GetOrder"),
    "scripts/own.js": script("get-order.js", "GetOrder"),
    "scripts/mixed.js": mixed("getOrder", "GetOrder"),
  });
  const { document } = await project.runJson(["fix", "--write", ...RENAME]);
  expect(document).toMatchObject({ left: [] });
  expect(await project.read("scripts/id.js")).toBe(script("index.js", "FetchOrder"));
  expect(await project.read("scripts/own.js")).toBe(script("fetch-order.js", "FetchOrder"));
  expect(await project.read("scripts/mixed.js")).toBe(mixed("fetchOrder", "FetchOrder"));
});
