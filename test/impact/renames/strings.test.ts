/** Names that code has in strings: modules, keys of types, and properties that code looks for. */
import { expect, it } from "vitest";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { renameCode } from "./rename-code.js";

const TIME = { timeout: 60_000 };

interface Names {
  readonly tool: string;
  readonly limit: string;
  readonly total: string;
}

const OLD: Names = { tool: "get_order", limit: "limit", total: "total" };
const NEW: Names = { tool: "fetch_order", limit: "max_lines", total: "amount" };

function toolOf({ tool, limit, total }: Names): ToolSnapshot {
  return {
    name: tool,
    description: "Returns an order with its lines.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "integer" }, [limit]: { type: "integer" }, note: { type: "string" } },
      required: ["id"],
    },
    outputSchema: {
      type: "object",
      properties: { id: { type: "integer" }, [total]: { type: "number" } },
      required: ["id"],
    },
  };
}

const OTHER = toolOf({ ...OLD, tool: "get_bill" });

/** Renames the tool, or its properties. */
function rename(files: Readonly<Record<string, string>>, now: Names, renames: readonly string[]) {
  return renameCode({ before: [toolOf(OLD), OTHER], after: [toolOf(now), OTHER], files, renames });
}

const renameTool = (files: Readonly<Record<string, string>>) =>
  rename(files, { ...OLD, tool: NEW.tool }, ["get_order=fetch_order"]);

it("edits keys in types, and properties that code looks for", TIME, async () => {
  const code = (limit: string, total: string) =>
    `import { getOrder, getBill, type GetOrderInput, type GetOrderOutput, type GetBillInput } from "../generated/shop/index.js";
export type Rest = Omit<GetOrderInput, "${limit}" | "note">;
export type Key = Exclude<keyof GetOrderInput, "${limit}">;
export type Limit = GetOrderInput["${limit}"];
export type Other = Omit<GetBillInput, "limit">;
export const has = (input: GetOrderInput, bill: GetBillInput) =>
  "${limit}" in input || Object.hasOwn(input, '${limit}') || input.hasOwnProperty("${limit}") || "limit" in bill;
const order = await getOrder({ id: 1 });
const at = <T, K extends keyof T>(from: T, key: K) => from[key];
export const read = at(order, "${total}");
export class Sum implements Pick<GetOrderOutput, "${total}"> {
  ${total} = 1;
}
export const last = [order].at(-1)?.["${total}"];
export const bill = at(await getBill({ id: 1 }), "total");
const pick = (from: object, keys: readonly string[]) => [from, keys];
export const picked = pick(order, ["id", "total"]);
`;
  const found = await rename({ "src/app.ts": code(OLD.limit, OLD.total) }, { ...NEW, tool: OLD.tool }, [
    "get_order.limit=max_lines",
    "get_order.total=amount",
  ]);
  expect(found.files).toEqual({ "src/app.ts": code(NEW.limit, NEW.total) });
  // The type of the first is inferred from the text.
  expect(found.left).toEqual([
    'src/app.ts:15 also names `total`, renamed to `amount`: export const bill = at(await getBill({ id: 1 }), "total");',
    'src/app.ts:17 also names `total`, renamed to `amount`: export const picked = pick(order, ["id", "total"]);',
  ]);
});

it("edits module names in calls, and what a mock of the module has", TIME, async () => {
  const code = (wrapper: string, module: string, own: string) =>
    `import { ${wrapper} } from "../generated/shop/index.js";
declare const vi: { mock(path: string, factory?: (actual: <T>() => T) => unknown): void; spyOn<T>(on: T, name: keyof T): void };
declare const require: { resolve(path: string): string };
import * as shop from "../generated/shop/index.js";
vi.mock("../generated/shop/${module}.js");
vi.mock("../generated/shop/${module}.js", () => ({ ${wrapper}: () => 1, getBill: 2 }));
vi.mock("../generated/shop/index.js", (actual) => {
  const getOrder = () => 2;
  return { ...actual<typeof import("../generated/shop/${module}.js")>(), ${own} };
});
vi.mock("./get-order.js", () => ({ getOrder: 1 }));
vi.spyOn(shop, "${wrapper}");
export const path = require.resolve("../generated/shop/${module}.js");
export const text = ["../generated/shop/get-order.js", ${wrapper}];
`;
  expect(await renameTool({ "src/app.ts": code("getOrder", "get-order", "getOrder") })).toMatchObject({
    files: { "src/app.ts": code("fetchOrder", "fetch-order", "fetchOrder: getOrder") },
    left: [],
  });
});

it("edits names of tools in objects that stand for the generated module", TIME, async () => {
  const code = (wrapper: string): string =>
    `import { connect, ${wrapper}, getBill, type Tools } from "../generated/shop/index.js";
export const all: Pick<Tools, "${wrapper}" | "getBill"> = connect();
export const same: Pick<Tools, "${wrapper}" | "getBill"> = { ${wrapper}, getBill };
const use = (tools?: Pick<Tools, "${wrapper}">) => tools;
export const used = use({ ${wrapper} });
export const fake = { ${wrapper}: () => undefined } as unknown as Tools;
export const long: Pick<Tools, "${wrapper}"> = { ${wrapper}: ${wrapper} };
`;
  expect(await renameTool({ "src/app.ts": code("getOrder") })).toMatchObject({
    files: { "src/app.ts": code("fetchOrder") },
    left: [],
  });
});

it("edits declaration files", TIME, async () => {
  const types = (type: string, module: string, wrapper: string) =>
    `import type { ${type}Input } from "../generated/shop/${module}.js";
declare global {
  interface Window {
    input: ${type}Input;
    order: typeof import("../generated/shop/${module}.js").${wrapper};
  }
}
`;
  const app = 'import "../generated/shop/index.js";\nexport const id = window.input.id;\n';
  const found = await renameTool({
    "src/app.ts": app,
    "src/globals.d.ts": types("GetOrder", "get-order", "getOrder"),
  });
  expect(found.files["src/globals.d.ts"]).toBe(types("FetchOrder", "fetch-order", "fetchOrder"));
  expect(found.left).toEqual([]);
});
