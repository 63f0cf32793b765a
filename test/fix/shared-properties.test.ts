/** `mcp-codegen fix` where a renamed property is also that of something else. */
import { expect, it } from "vitest";
import { makeChangedProject } from "./changed-project.js";

const TIME = { timeout: 120_000 };

interface Names {
  readonly limit: string;
  readonly total: string;
  readonly paid: string;
}

const OLD: Names = { limit: "limit", total: "total", paid: "PAID" };
const NEW: Names = { limit: "max_lines", total: "amount", paid: "paid" };

function toolOf(name: string, { limit, total, paid }: Names): object {
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

/** Runs `fix --write` on code after the tool `get_order` has the new names. */
async function fix(code: string, renames = RENAMES, other = OLD) {
  const project = await makeChangedProject({
    before: [toolOf("get_order", OLD), toolOf("get_bill", OLD)],
    after: [toolOf("get_order", NEW), toolOf("get_bill", other)],
    files: { "src/app.ts": code },
  });
  const named = renames.flatMap((name) => ["--rename", `shop/${name}`]);
  const { document } = await project.runJson(["fix", "--write", ...named]);
  return { code: await project.read("src/app.ts"), left: document["left"] };
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
  const found = await fix(code);
  expect(found.code).toBe(code.replace(/(class Own[^}]*)limit/, "$1max_lines"));
  const message = "`limit` also belongs to another type, so it keeps its name";
  expect(found.left).toEqual([4, 8, 9, 10].map((line) => ({ file: "src/app.ts", line, message })));
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
  const found = await fix(code("limit"), [...RENAMES, ...bill], NEW);
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
  const found = await fix(code);
  expect(found.code).toBe(code);
  const total = "gives `total`, renamed to `amount`, to a type of your own";
  expect(found.left).toEqual([
    ...[3, 5, 8].map((line) => ({ file: "src/app.ts", line, message: total })),
    { file: "src/app.ts", line: 11, message: "passes `limit`, renamed to `max_lines`" },
  ]);
});

it("follows a value through a variable of type string", TIME, async () => {
  const code = (paid: string) => `import { getBill, getOrder } from "../generated/shop/index.js";
const state: string = (await getOrder({ id: 1 })).state;
const other: string = (await getBill({ id: 1 })).state;
export const isPaid = state === "${paid}" || other === "PAID";
`;
  expect(await fix(code("PAID"))).toEqual({ code: code("paid"), left: [] });
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
  const project = await makeChangedProject({
    before: [toolOf("get_order", OLD)],
    after: [toolOf("get_order", odd)],
    files: { "src/app.ts": code("limit", ".total") },
  });
  const renames = ["limit=max-lines", "total=a-mount"].flatMap((name) => [
    "--rename",
    `shop/get_order.${name}`,
  ]);
  const { document } = await project.runJson(["fix", "--write", ...renames]);
  expect(await project.read("src/app.ts")).toBe(code('"max-lines"', '["a-mount"]'));
  expect(document["left"]).toEqual([]);
});
