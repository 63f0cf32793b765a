/** `mcp-codegen fix` on names that code has in strings: modules, keys of types, and properties that code looks for. */
import { expect, it } from "vitest";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

interface Names {
  readonly tool: string;
  readonly limit: string;
  readonly total: string;
}

const OLD: Names = { tool: "get_order", limit: "limit", total: "total" };
const NEW: Names = { tool: "fetch_order", limit: "max_lines", total: "amount" };

function toolOf({ tool, limit, total }: Names): object {
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

const OTHER = { ...OLD, tool: "get_bill" };

const TOOL = ["--rename", "shop/get_order=fetch_order"];

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
  const project = await makeChangedProject({
    before: [toolOf(OLD), toolOf(OTHER)],
    after: [toolOf({ ...NEW, tool: OLD.tool }), toolOf(OTHER)],
    files: { "src/app.ts": code(OLD.limit, OLD.total) },
  });
  const renames = ["limit=max_lines", "total=amount"];
  const { document } = await project.runJson([
    ...["fix", "--write"],
    ...renames.flatMap((name) => ["--rename", `shop/get_order.${name}`]),
  ]);
  expect(await project.read("src/app.ts")).toBe(code(NEW.limit, NEW.total));
  const message = '"total" may name the property `total`, renamed to `amount`';
  expect(document["left"]).toEqual([{ file: "src/app.ts", line: 17, message }]);
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
  const project = await makeChangedProject({
    before: [toolOf(OLD), toolOf(OTHER)],
    after: [toolOf({ ...OLD, tool: NEW.tool }), toolOf(OTHER)],
    files: { "src/app.ts": code("getOrder", "get-order", "getOrder") },
  });
  const { document } = await project.runJson(["fix", "--write", ...TOOL]);
  expect(await project.read("src/app.ts")).toBe(code("fetchOrder", "fetch-order", "fetchOrder: getOrder"));
  expect(document["left"]).toEqual([]);
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
  const project = await makeChangedProject({
    before: [toolOf(OLD), toolOf(OTHER)],
    after: [toolOf({ ...OLD, tool: NEW.tool }), toolOf(OTHER)],
    files: { "src/app.ts": code("getOrder") },
  });
  const { document } = await project.runJson(["fix", "--write", ...TOOL]);
  expect(await project.read("src/app.ts")).toBe(code("fetchOrder"));
  expect(document["left"]).toEqual([]);
});

it("edits names of tools with their server in strings, and lists others", TIME, async () => {
  const code = (tool: string): string => `import * as shop from "../generated/shop/index.js";
export const policy = {
  allow: [{ names: ["shop__${tool}", "mcp__shop__${tool}"] }],
  deny: [{ names: ["get_order", "shop__get_*", "shop__get_bi*"] }],
  annotations: { shop__${tool}: { readOnlyHint: true }, my_shop__get_order: {} },
};
export const prompt = (id: number) => \`Call shop__${tool} with \${id}, or get_order_lines.\`;
export const other = \`Call get_order with \${prompt(1)}.\`;
export const named = ["shop/get_order", "get_order2", "shop/get_bill"];
export const run = (name: string) => (name === "get_order" ? shop : undefined);
// get_order stays in comments.
`;
  const project = await makeChangedProject({
    before: [toolOf(OLD), toolOf(OTHER)],
    after: [toolOf({ ...OLD, tool: NEW.tool }), toolOf(OTHER)],
    files: {
      "src/app.ts": code("get_order"),
      "src/other.ts": 'export const policy = { tool: "shop__get_order" };\n',
    },
  });
  const { document } = await project.runJson(["fix", "--write", ...TOOL]);
  expect(await project.read("src/app.ts")).toBe(code("fetch_order"));
  expect(await project.read("src/other.ts")).toContain('"shop__fetch_order"');
  const message = '"get_order" may name the tool, renamed to "fetch_order"';
  const pattern = "names `shop__get_*`, which does not match the new name `fetch_order`";
  const file = "src/app.ts";
  expect(document["left"]).toEqual([
    { file, line: 4, message },
    { file, line: 4, message: pattern },
    ...[8, 9, 10].map((line) => ({ file, line, message })),
  ]);
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
  const project = await makeChangedProject({
    before: [toolOf(OLD), toolOf(OTHER)],
    after: [toolOf({ ...OLD, tool: NEW.tool }), toolOf(OTHER)],
    files: {
      "src/app.ts": 'import "../generated/shop/index.js";\nexport const id = window.input.id;\n',
      "src/globals.d.ts": types("GetOrder", "get-order", "getOrder"),
    },
  });
  const { document } = await project.runJson(["fix", "--write", ...TOOL]);
  expect(await project.read("src/globals.d.ts")).toBe(types("FetchOrder", "fetch-order", "fetchOrder"));
  expect(document["left"]).toEqual([]);
});

it("edits files that the TypeScript project leaves out", TIME, async () => {
  const code = (wrapper: string, module: string) =>
    `import { ${wrapper} } from "../generated/shop/${module}.js";
export const total = (await ${wrapper}({ id: 1 })).total;
`;
  const old = code("getOrder", "get-order");
  const project = await makeChangedProject({
    before: [toolOf(OLD), toolOf(OTHER)],
    after: [toolOf({ ...OLD, tool: NEW.tool }), toolOf(OTHER)],
    files: {
      "src/app.ts": old,
      "test/app.test.ts": old,
      "scripts/run.mjs": old,
      "out/ignored.ts": old,
      "web/Order.vue": `<script setup lang="ts">\n${old}</script>\n`,
    },
  });
  const { document } = await project.runJson(["fix", "--write", ...TOOL]);
  for (const path of ["src/app.ts", "test/app.test.ts", "scripts/run.mjs"])
    expect(await project.read(path)).toBe(code("fetchOrder", "fetch-order"));
  expect(await project.read("out/ignored.ts")).toBe(old);
  const message = "may use `getOrder`, renamed to `fetchOrder`, but fix does not edit files of this kind";
  expect(document["left"]).toEqual([2, 3].map((line) => ({ file: "web/Order.vue", line, message })));
});
