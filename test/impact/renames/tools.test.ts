/** Names of tools behind re-exports, in comments that the compiler reads, and where the new name is taken. */
import { expect, it } from "vitest";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { renameCode } from "./rename-code.js";

const TIME = { timeout: 60_000 };

function toolOf(name: string): ToolSnapshot {
  return {
    name,
    description: "Returns an order.",
    inputSchema: { type: "object", properties: { id: { type: "integer" } } },
    outputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  };
}

const OTHER = { name: "other", description: "Does something else.", inputSchema: { type: "object" } };

function rename(files: Readonly<Record<string, string>>, to = "fetch_order") {
  const before = [toolOf("get_order"), OTHER];
  return renameCode({ before, after: [toolOf(to), OTHER], files, renames: [`get_order=${to}`] });
}

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
  expect(await rename(files)).toMatchObject({
    files: { "src/tools.ts": tools("FetchOrder", "fetchOrder"), "src/app.ts": app("FetchOrderInput") },
    left: [],
  });
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
  const scripts = (path: string, wrapper: string, name: string): Record<string, string> => ({
    "src/app.ts": 'import "../generated/shop/index.js";\n',
    "scripts/id.js": script("index.js", name),
    "scripts/own.js": script(`${path}.js`, name),
    "scripts/mixed.js": mixed(wrapper, name),
  });
  expect(await rename(scripts("get-order", "getOrder", "GetOrder"))).toMatchObject({
    files: scripts("fetch-order", "fetchOrder", "FetchOrder"),
    left: [],
  });
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
  const found = await rename(
    {
      "src/index.ts": 'export { getOrder } from "../generated/shop/index.js";\n',
      "src/other.ts": plain("getOrder"),
      "src/inner.ts": inner("getOrder, type GetOrderInput"),
      "src/page.ts": page("getOrder"),
      "src/typed.ts": typed("GetOrderOutput"),
    },
    "fetch",
  );
  expect(found).toMatchObject({
    files: {
      "src/index.ts": 'export { fetch } from "../generated/shop/index.js";\n',
      "src/other.ts": plain("fetch"),
      "src/page.ts": page("fetch as getOrder").replace("getOrder as read", "fetch as read"),
      "src/typed.ts": typed("FetchOutput as GetOrderOutput"),
      "src/inner.ts": inner("fetch as getOrder, type FetchInput").replace(
        "input: GetOrderInput",
        "input: FetchInput",
      ),
    },
    left: [],
  });
});

it("keeps the key of an object of the user's own", TIME, async () => {
  const code = (wrapper: string, key: string): string =>
    `import { ${wrapper}, other } from "../generated/shop/index.js";
const handlers: Record<string, (given: { id: number }) => Promise<unknown>> = { ${key}, other };
export const run = (name: string) => handlers[name]?.({ id: 1 });
`;
  const { files } = await rename({ "src/app.ts": code("getOrder", "getOrder") });
  expect(files["src/app.ts"]).toBe(code("fetchOrder", "getOrder: fetchOrder"));
});

it("imports a tool once that several tools became", TIME, async () => {
  const tool = (name: string): ToolSnapshot => ({
    name,
    description: `Lists things, such as ${name}.`,
    inputSchema: { type: "object", properties: { id: { type: "integer" } } },
  });
  const files = {
    "src/app.ts": `import { getBox, getCart, other, getBag, type GetBoxInput, type GetCartInput } from "../generated/shop/index.js";
import { GetBagInput } from "../generated/shop/get-bag.js";
import { GetCartInput as Cart } from "../generated/shop/get-cart.js";
import { GetBoxInput as Box } from "../generated/shop/get-box.js";
export { getBox, getBag } from "../generated/shop/index.js";
const given: GetBoxInput & GetCartInput = {};
export const all = [getBox(given), getCart({}), getBag({}), other({}), GetBagInput, Cart, Box];
`,
  };
  const found = await renameCode({
    before: [tool("get_cart"), tool("get_box"), tool("get_bag"), tool("other")],
    after: [tool("fetch_any"), tool("other")],
    files,
    renames: ["cart", "box", "bag"].map((name) => `get_${name}=fetch_any`),
  });
  expect(found.left).toEqual([]);
  expect(found.files["src/app.ts"]).toBe(`import { fetchAny, other } from "../generated/shop/index.js";
import { FetchAnyInput } from "../generated/shop/fetch-any.js";
import { FetchAnyInput as Cart } from "../generated/shop/fetch-any.js";
import { FetchAnyInput as Box } from "../generated/shop/fetch-any.js";
export { fetchAny } from "../generated/shop/index.js";
const given: FetchAnyInput & FetchAnyInput = {};
export const all = [fetchAny(given), fetchAny({}), fetchAny({}), other({}), FetchAnyInput, Cart, Box];
`);
});
