import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { startExample } from "../../agent/adapters/start-bakery.js";

interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
}

interface Definition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
}

async function start(isNext = false) {
  const { ask, end } = await startExample(isNext);
  const call = async (name: string, input: JsonObject): Promise<ToolAnswer> =>
    (await ask("tools/call", { name, arguments: input })) as ToolAnswer;
  const list = async (): Promise<readonly Definition[]> =>
    ((await ask("tools/list", {})) as { readonly tools: readonly Definition[] }).tools;
  return { call, list, end };
}

let server: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.end());

test("every tool has a description, annotations and valid schemas", async () => {
  const ajv = new Ajv2020.default({ strict: true, allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  const tools = await server.list();
  expect(tools.map((tool) => tool.name)).toEqual([
    ...["list-posts", "get-post", "create-post", "update-post", "delete-post", "list-comments"],
    ...["list-products", "get-product", "create-order", "list-orders", "get-order", "cancel-order"],
  ]);
  for (const tool of tools) {
    expect(tool.description.length, tool.name).toBeGreaterThan(15);
    expect(typeof tool.annotations["readOnlyHint"], tool.name).toBe("boolean");
    ajv.compile(tool.inputSchema);
    ajv.compile(tool.outputSchema);
  }
});

test("a post is created, read, changed and deleted", async () => {
  const created = await server.call("create-post", {
    title: "Rolls",
    content: "<p>Round.</p>",
    tags: ["bread"],
  });
  expect(created.structuredContent).toMatchObject({
    id: 4,
    status: "draft",
    excerpt: null,
    featured_image: null,
  });
  const updated = await server.call("update-post", { id: 4, status: "publish" });
  expect(updated.structuredContent).toMatchObject({ title: "Rolls", status: "publish" });
  const found = await server.call("list-posts", { tags: ["bread"], status: "publish", per_page: 1 });
  expect(found.structuredContent).toMatchObject({ total: 2, pages: 2, posts: [{ id: 4 }] });
  const deleted = await server.call("delete-post", { id: 4 });
  expect(deleted.structuredContent).toMatchObject({ deleted: true, previous: { id: 4 } });
  expect(await server.call("get-post", { id: 4 })).toEqual({
    isError: true,
    content: [{ type: "text", text: "There is no post 4." }],
  });
});

test("posts are ordered and searched", async () => {
  const titles = async (input: JsonObject) => {
    const { structuredContent } = await server.call("list-posts", input);
    return (structuredContent as { posts: { title: string }[] }).posts.map((post) => post.title);
  };
  expect(await titles({})).toEqual(["Opening hours in spring", "How we bake our bread", "Hello world"]);
  expect(await titles({ order_by: "title", order: "asc" })).toEqual([
    "Hello world",
    "How we bake our bread",
    "Opening hours in spring",
  ]);
  expect(await titles({ search: "salt" })).toEqual(["How we bake our bread"]);
});

test("comments are returned as threads", async () => {
  const { structuredContent } = await server.call("list-comments", { post_id: 2 });
  expect(structuredContent).toMatchObject({
    comments: [{ replies: [{ replies: [{ text: "Thanks!" }] }] }, {}],
  });
});

describe("the shop", () => {
  const customer = { name: "Ada", email: "ada@example.com" };

  test("an order is priced, taken from stock, and put back when it is cancelled", async () => {
    const stock = async () =>
      (await server.call("get-product", { sku: "BRE-001" })).structuredContent?.["stock"];
    const before = await stock();
    const order = await server.call("create-order", {
      lines: [
        { sku: "BRE-001", quantity: 2 },
        { sku: "PAS-002", quantity: 1 },
      ],
      customer,
      payment: { method: "invoice" },
    });
    expect(order.structuredContent).toMatchObject({ id: 1, status: "open", total: { cents: 4040 } });
    expect(await stock()).toBe(Number(before) - 2);
    await server.call("cancel-order", { id: 1, reason: "mistake" });
    await server.call("cancel-order", { id: 1, reason: "mistake" });
    expect(await stock()).toBe(before);
    const listed = await server.call("list-orders", { status: "cancelled" });
    expect(listed.structuredContent).toMatchObject({ total: 1, orders: [{ id: 1 }] });
  });

  test.each([
    ["more than there is, over two lines", ["BRE-001", "BRE-001"], 7, 'Only 12 of "BRE-001" are left.'],
    ["what is sold out", ["PAS-001"], 1, 'Only 0 of "PAS-001" are left.'],
    ["what is not sold", ["BRE-999"], 1, 'There is no product "BRE-999".'],
  ])("nothing is taken from stock for %s", async (_, skus, quantity, message) => {
    const lines = skus.map((sku) => ({ sku, quantity }));
    const refused = await server.call("create-order", {
      lines,
      customer,
      payment: { method: "card", token: "t" },
    });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(message) as string }],
    });
    const { structuredContent } = await server.call("get-product", { sku: "BRE-001" });
    expect(structuredContent?.["stock"]).toBe(12);
  });

  test("an invalid input is rejected, such as a wrong payment", async () => {
    const order = { lines: [{ sku: "BRE-001", quantity: 1 }], customer };
    for (const payment of [{ method: "card" }, { method: "cheque" }]) {
      expect(await server.call("create-order", { ...order, payment })).toMatchObject({ isError: true });
    }
    expect(await server.call("get-product", { sku: "rye" })).toMatchObject({ isError: true });
  });

  test("products are found by category, price and stock", async () => {
    const found = async (input: JsonObject) => {
      const { structuredContent } = await server.call("list-products", input);
      return (structuredContent as { products: { sku: string }[] }).products.map(({ sku }) => sku);
    };
    expect(await found({ category: "pastry", in_stock: true })).toEqual(["PAS-002"]);
    expect(await found({ max_price: 2.8 })).toEqual(["BRE-002", "PAS-001"]);
  });
});

test("the next version requires a slug, returns no pages, and is otherwise equal", async () => {
  const next = await start(true);
  const [before, after] = await Promise.all([server.list(), next.list()]);
  const changed = after.filter((tool, at) => JSON.stringify(tool) !== JSON.stringify(before[at]));
  expect(changed.map(({ name }) => name)).toEqual(["list-posts", "create-post"]);
  const post = { title: "Rolls", content: "<p>Round.</p>" };
  expect(await next.call("create-post", post)).toMatchObject({ isError: true });
  const created = await next.call("create-post", { ...post, slug: "rolls" });
  expect(created.structuredContent).toMatchObject({ title: "Rolls", slug: "rolls" });
  expect(Object.keys((await next.call("list-posts", {})).structuredContent ?? {})).toEqual([
    "posts",
    "total",
  ]);
  await next.end();
});
