import { connect, createOrder, CreatePostInput } from "./generated/example/index.js";

const bakery = connect();

const created = await bakery.createPost({ title: "Rolls", content: "<p>Round.</p>", tags: ["rolls"] });
const found = await bakery.listPosts({ tags: ["rolls"], status: "draft" });
// @ts-expect-error: a title is missing
const invalid = await bakery.createPost.safe({ content: "" });
const missing = await bakery.getPost.safe({ id: 4711 });
const order = await createOrder({
  lines: [{ sku: "BRE-001", quantity: 2 }],
  customer: { name: "Ada", email: "ada@example.com" },
  payment: { method: "card", token: "tok" },
});
// @ts-expect-error: a key that the answer does not have
void order.totl;

console.log(
  JSON.stringify({
    created: created.title,
    total: found.total,
    refusedBeforeTheWire: invalid.ok || invalid.error.code,
    refusedByTheServer: missing.ok || missing.error.code,
    cents: order.total.cents,
    schema: CreatePostInput.safeParse({ title: 1 }).success,
  }),
);
