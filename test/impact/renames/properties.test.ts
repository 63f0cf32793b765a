/** Properties and values: those that also belong to something else, names that need quotes, and shared definitions. */
import { expect, it } from "vitest";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { renameCode } from "./rename-code.js";

const TIME = { timeout: 60_000 };

interface Names {
  readonly limit: string;
  readonly total: string;
  readonly paid: string;
}

const OLD: Names = { limit: "limit", total: "total", paid: "PAID" };
const NEW: Names = { limit: "max_lines", total: "amount", paid: "paid" };

function toolOf(name: string, { limit, total, paid }: Names): ToolSnapshot {
  return {
    name,
    description: "Returns an order with its lines.",
    inputSchema: {
      type: "object",
      properties: { id: { type: "integer" }, [limit]: { type: "integer" } },
      required: ["id"],
    },
    outputSchema: {
      type: "object",
      properties: {
        id: { type: "integer" },
        [total]: { type: "number" },
        state: { type: "string", enum: ["open", paid] },
      },
      required: ["id", "state"],
    },
  };
}

const RENAMES = ["get_order.limit=max_lines", "get_order.total=amount", "get_order.state:PAID=paid"];

/** Renames the properties of the tool `get_order` in a file. */
async function rename(code: string, { renames = RENAMES, now = NEW, bill = OLD } = {}) {
  const { files, left } = await renameCode({
    before: [toolOf("get_order", OLD), toolOf("get_bill", OLD)],
    after: [toolOf("get_order", now), toolOf("get_bill", bill)],
    files: { "src/app.ts": code },
    renames,
  });
  return { code: files["src/app.ts"], left };
}

it("keeps and lists a property that also implements that of another tool", TIME, async () => {
  const code = `import { getBill, getOrder, type GetBillInput, type GetOrderInput } from "../generated/shop/index.js";
class Both implements GetOrderInput, GetBillInput {
  id = 1;
  limit = 2;
}
interface Either extends GetOrderInput, GetBillInput {}
const both = new Both();
both.limit = 3;
const merged: GetOrderInput & GetBillInput = { id: 1, limit: 4 };
export const use = (either: Either) => [getBill(both), getBill(merged), either.limit];
class Own implements GetOrderInput {
  id = 1;
  limit = 2;
}
export const own = getOrder(new Own());
`;
  const found = await rename(code);
  expect(found.code).toBe(code.replace(/(class Own[^}]*)limit/, "$1max_lines"));
  const message = "`limit` also belongs to another type, so it keeps its name";
  expect(found.left).toEqual([4, 8, 9, 10].map((line) => `src/app.ts:${line} ${message}`));
});

it("renames a property of two tools that both rename it", TIME, async () => {
  const code = (
    limit: string,
  ) => `import type { GetBillInput, GetOrderInput } from "../generated/shop/index.js";
export class Both implements GetOrderInput, GetBillInput {
  id = 1;
  ${limit} = 2;
}
`;
  const bill = RENAMES.map((name) => name.replace("order", "bill"));
  const found = await rename(code("limit"), { renames: [...RENAMES, ...bill], bill: NEW });
  expect(found).toEqual({ code: code("max_lines"), left: [] });
});

it("lists where types of the user's own take a result or give an argument", TIME, async () => {
  const code = `import { getBill, getOrder } from "../generated/shop/index.js";
interface Sum { id: number; total?: number }
const mine: Sum = await getOrder({ id: 1 });
const show = (sum: Sum) => sum.total;
show(await getOrder({ id: 1 }));
show(await getBill({ id: 1 }));
export async function load(): Promise<Sum> {
  return getOrder({ id: 1 });
}
declare const page: { id: number; limit?: number };
await getOrder(page);
export const all = [mine.total, page.limit];
`;
  const found = await rename(code);
  expect(found.code).toBe(code);
  const optional = "interface Sum { id: number; total?: number }";
  const page = "declare const page: { id: number; limit?: number };";
  expect(found.left).toEqual([
    `src/app.ts:2 also names \`total\`, renamed to \`amount\`: ${optional}`,
    `src/app.ts:10 also names \`limit\`, renamed to \`max_lines\`: ${page}`,
    "src/app.ts:11 passes `limit`, renamed to `max_lines`",
  ]);
});

it("follows a value through a variable of type string", TIME, async () => {
  const code = (paid: string) => `import { getBill, getOrder } from "../generated/shop/index.js";
const state: string = (await getOrder({ id: 1 })).state;
const other: string = (await getBill({ id: 1 })).state;
export const isPaid = state === "${paid}" || other === "PAID";
`;
  expect(await rename(code("PAID"))).toEqual({ code: code("paid"), left: [] });
});

it("keeps comments where a name becomes a string, also of members of classes", TIME, async () => {
  const code = (limit: string, read: string) =>
    `import { getOrder, type GetOrderInput } from "../generated/shop/index.js";
export class Own implements GetOrderInput {
  id = 1;
  ${limit} = 2;
}
class Got implements GetOrderInput {
  id = 1;
  get ${limit}() {
    return 3;
  }
}
await getOrder(new Got());
const order = await getOrder({ id: 1 });
export const total = order /* in euros */
  // before tax
  ${read};
`;
  const odd = { ...NEW, limit: "max-lines", total: "a-mount" };
  const renames = ["get_order.limit=max-lines", "get_order.total=a-mount"];
  expect(await rename(code("limit", ".total"), { renames, now: odd })).toEqual({
    code: code('"max-lines"', '["a-mount"]'),
    left: [],
  });
});

it("writes names as strings where they are not identifiers", TIME, async () => {
  const odd = { ...NEW, limit: 'max"]}; evil(); [{"', total: "a-mount" };
  const code = (limit: string, total: string, read: string): string =>
    `import { getOrder, type GetOrderInput } from "../generated/shop/index.js";
const order = await getOrder({ id: 1, ${limit}: 2 });
const { ${total}: sum } = order;
const { ${total === "total" ? "total" : `${total}: total`} } = order;
const short = (limit: number) => getOrder({ id: 1, ${limit === "limit" ? "limit" : `${limit}: limit`} });
export const more = [total, short];
export const sums = [sum, order${read}, order?.${read.replace(/^\./, "")}];
const args: GetOrderInput = { id: 3, ${limit}: 4 };
await getOrder(args);
`;
  const renames = [`get_order.limit=${odd.limit}`, "get_order.total=a-mount"];
  expect(await rename(code("limit", "total", ".total"), { renames, now: odd })).toEqual({
    code: code(JSON.stringify(odd.limit), '"a-mount"', '["a-mount"]'),
    left: [],
  });
});

it("lists objects without a type that reach the tool, and leaves what only looks alike", TIME, async () => {
  const code = `import { getBill, getOrder, GetOrderInput } from "../generated/shop/index.js";
const defaults = { limit: 5 }; // <-
await getOrder({ ...defaults, id: 1 });
console.log(defaults.limit);
const shared = { filter: 1, limit: 2 }; // <-
await getOrder.safe({ id: 1, ...shared });
export const load = (given: { id: number; limit: number }) => getOrder(given); // <-
console.log(GetOrderInput.safeParse({ id: 1, limit: 2 })); // <-
const bill = { id: 1, limit: 3 };
await getBill(bill);
`;
  const found = await rename(code.replaceAll(" // <-", ""));
  const marked = code.split("\n").flatMap((line, index) => (line.endsWith("// <-") ? [index + 1] : []));
  expect(found).toEqual({
    code: code.replaceAll(" // <-", ""),
    left: marked.map((line) => `src/app.ts:${line} passes \`limit\`, renamed to \`max_lines\``),
  });
});

it("edits tools and properties whose names every object has", TIME, async () => {
  const code = (wrapper: string, property: string): string =>
    `import { ${wrapper} } from "../generated/shop/index.js";
const { ${property}: found } = await ${wrapper}({ ${property}: 1 });
export const same = [found, {}.constructor, Object.prototype.toString, {}.valueOf()];
`;
  const tool = (name: string, property: string): ToolSnapshot => ({
    name,
    description: "Returns an order.",
    inputSchema: { type: "object", properties: { [property]: { type: "integer" } } },
    outputSchema: { type: "object", properties: { [property]: { type: "integer" } }, required: [property] },
  });
  const other = toolOf("get_bill", OLD);
  const found = await renameCode({
    before: [tool("constructor", "valueOf"), other],
    after: [tool("to_string", "hasOwnProperty"), other],
    files: { "src/app.ts": code("constructor", "valueOf") },
    renames: ["constructor=to_string", "to_string.valueOf=hasOwnProperty"],
  });
  expect(found.files["src/app.ts"]).toBe(code("toString", "hasOwnProperty"));
});

function sharedTool(zip: string): ToolSnapshot {
  const address = { type: "object", properties: { [zip]: { type: "string" }, city: { type: "string" } } };
  const to = { $ref: "#/$defs/address" };
  const customer = { type: "object", properties: { address: to }, required: ["address"] };
  const other = { type: "object", properties: { zip: { type: "string" } } };
  return {
    name: "get_order",
    description: "Returns an order with the address of its customer.",
    inputSchema: { type: "object", properties: { id: { type: "integer" }, to }, $defs: { address } },
    outputSchema: {
      type: "object",
      properties: {
        customer: { $ref: "#/$defs/customer" },
        old: { type: "array", items: to },
        other: { $ref: "#/$defs/other" },
      },
      required: ["customer", "old", "other"],
      $defs: { customer, address: { ...address, required: [zip] }, other },
    },
  };
}

it("edits properties of shared definitions, and no other of that name", TIME, async () => {
  const code = (zip: string): string => `import { getOrder } from "../generated/shop/index.js";
const { customer, old, other } = await getOrder({ id: 1, to: { ${zip}: "4000" } });
const [{ ${zip === "zip" ? zip : `${zip}: zip`} }] = [customer.address];
export const all = [customer.address.${zip}, old.map((one) => one["${zip}"]), other.zip, zip];
`;
  const found = await renameCode({
    before: [sharedTool("zip")],
    after: [sharedTool("postcode")],
    files: { "src/app.ts": code("zip") },
    renames: ["get_order.zip=postcode"],
  });
  expect(found).toMatchObject({ files: { "src/app.ts": code("postcode") }, left: [] });
});
