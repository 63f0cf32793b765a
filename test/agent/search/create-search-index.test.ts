import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createSearchIndex } from "../../../src/agent/search/create-search-index.js";
import type { SearchableTool } from "../../../src/agent/search/postings.js";

const tools: readonly SearchableTool[] = [
  { name: "blog__create_post", server: "blog", description: "Writes a new article. It is a draft at first." },
  { name: "blog__list_posts", server: "blog", description: "Every article of the blog." },
  { name: "blog__delete_post", server: "blog", description: "Takes an article off the blog, for good." },
  { name: "blog__upload-media", server: "blog", description: "Stores an image.", category: "media" },
  {
    name: "shop__getOrder",
    server: "shop",
    title: "Order details",
    description: "What was bought.",
    inputSchema: () => ({ type: "object", properties: { customerEmail: { type: "string" } } }),
  },
  { name: "shop__refundOrder", server: "shop", description: "Gives the money back." },
  { name: "compute.vm.restart", description: "Restarts a machine." },
];
const index = createSearchIndex(tools);
const status = { type: "string", enum: ["open", "paid", "cancelled"] };
const orders = createSearchIndex([
  { name: "create-order", description: "Places an order.", annotations: { readOnlyHint: false } },
  { name: "cancel-order", description: "Cancels an order that is not shipped yet." },
  {
    name: "list-orders",
    description: "Lists orders.",
    inputSchema: { properties: { status } },
    annotations: { readOnlyHint: true },
  },
  { name: "get-order", annotations: { readOnlyHint: true } },
  { name: "update-post", description: "Changes a post that others read." },
  { name: "list-invoices", inputSchema: { properties: { filter: { properties: { supplier: {} } } } } },
  { name: "search", outputSchema: { properties: { rows: { items: { properties: { warehouse: {} } } } } } },
]);
const POSTS = ["create-post", "delete-post", "get-post", "list-posts", "update-post"];
const posts = createSearchIndex(POSTS.map((name) => ({ name })));
const namesOf = (hits: readonly { readonly tool: { readonly name: string } }[]): readonly string[] =>
  hits.map(({ tool }) => tool.name);

describe("a query finds", () => {
  it.each([
    ["a name of any style", index, "upload media", "blog__upload-media"],
    ["a name in camel case", index, "get order", "shop__getOrder"],
    ["inflected words", index, "deleting posts", "blog__delete_post"],
    ["a synonym of the verb", index, "erase a post", "blog__delete_post"],
    ["a synonym of the noun", index, "new article", "blog__create_post"],
    ["a mistyped word", index, "refnud an order", "shop__refundOrder"],
    ["a short form", index, "restart the VM", "compute.vm.restart"],
    ["what a short form stands for", index, "restart a virtual machine", "compute.vm.restart"],
    ["the beginning of a word", index, "refu", "shop__refundOrder"],
    ["a parameter", index, "customer email", "shop__getOrder"],
    ["a category", index, "media", "blog__upload-media"],
    ["a title", index, "order details", "shop__getOrder"],
    ["a server", index, "shop refund", "shop__refundOrder"],
    ["a verb of several words", index, "get rid of a post", "blog__delete_post"],
    ["a verb around its object", index, "take my article off the blog", "blog__delete_post"],
    ["things in a state", orders, "open orders", "list-orders"],
    ["things in the state of a verb", orders, "cancelled orders", "list-orders"],
    ["an answer to which", orders, "which orders were cancelled?", "list-orders"],
    ["an answer to whether", orders, "are there paid orders?", "list-orders"],
    ["a list for several things", orders, "orders", "list-orders"],
    ["a verb", orders, "cancel the order", "cancel-order"],
    ["another verb", orders, "create an order", "create-order"],
    ["a verb of a question", orders, "how do I cancel an order?", "cancel-order"],
    ["a parameter of a parameter", orders, "supplier", "list-invoices"],
    ["a part of the result", orders, "warehouse", "search"],
    ["no short word like another", orders, "bread", undefined],
    ["a list for which", posts, "which posts are there", "list-posts"],
    ["a list for how many", posts, "how many posts are there", "list-posts"],
    ["a list for a plural", posts, "posts", "list-posts"],
    ["a read for a singular", posts, "post", "get-post"],
    ["a read for what", posts, "what does a post have", "get-post"],
    ["a short verb", posts, "rm a post", "delete-post"],
    ["a verb for who", posts, "who creates a post", "create-post"],
  ])("%s", (_, among, query, expected) => {
    expect(among.search(query)[0]?.tool.name).toBe(expected);
  });

  it("the best for each of two things", () => {
    const hits = index.search("upload an image and refund the order", { limit: 2 });
    expect(namesOf(hits).toSorted()).toEqual(["blog__upload-media", "shop__refundOrder"]);
  });

  it("nothing where nothing fits, or nothing is asked", () => {
    expect(["", "   ", "xyzzy plugh", "…"].flatMap((query) => index.search(query))).toEqual([]);
  });
});

test("a rare word counts more than a common one, by BM25", () => {
  const names = ["create_order", "create_post", "create_page", "list_pages", "order_status"];
  const hits = createSearchIndex(names.map((name) => ({ name }))).search("create order");
  const scores = hits.map(({ tool, score }) => `${tool.name} ${score.toFixed(4)}`);
  expect(scores).toEqual([
    "create_order 0.7463",
    "order_status 0.3528",
    "create_page 0.1770",
    "create_post 0.1770",
  ]);
});

test("a word of several common groups is closer than a word of one", () => {
  const found = createSearchIndex([{ name: "icon" }, { name: "photo" }]).search("picture");
  expect(found.map(({ tool }) => tool.name)).toEqual(["photo", "icon"]);
  expect(found[1]?.score).toBeLessThan(found[0]?.score ?? 0);
});

describe("an answer", () => {
  it("has at most as many tools as asked for, five by default", () => {
    const many = createSearchIndex(Array.from({ length: 40 }, (_, i) => ({ name: `get_post_${i}` })));
    expect(many.search("post")).toHaveLength(5);
    expect(many.search("post", { limit: 12 })).toHaveLength(12);
    expect(many.search("post", { limit: 0 })).toEqual([]);
  });

  it("has only tools that are accepted", () => {
    const accepts = ({ server }: SearchableTool): boolean => server === "shop";
    const found = index.search("list posts and get order", { limit: 10, accepts });
    expect(found.map(({ tool }) => tool.server)).toContain("shop");
    expect(found.filter(({ tool }) => tool.server !== "shop")).toEqual([]);
  });

  it("is in one order: by score, then by what annotations say, then by name", () => {
    const alike = ["c", "a", "b"].map((letter) => ({ name: `${letter}__invoice`, server: letter }));
    const reading = { name: "d__invoice", server: "d", annotations: { readOnlyHint: true } };
    const hits = createSearchIndex([...alike, reading]).search("invoices");
    expect(namesOf(hits)).toEqual(["d__invoice", "a__invoice", "b__invoice", "c__invoice"]);
  });

  test("does not depend on the order of the tools, and its scores never rise", () => {
    const both = "delete the post and refund the order";
    const queries = fc.constantFrom("create a post", "order", both, "vm", "restrat machine");
    const orderings = fc.shuffledSubarray([...tools], { minLength: tools.length });
    fc.assert(
      fc.property(orderings, queries, (shuffled, query) => {
        const hits = createSearchIndex(shuffled).search(query);
        expect(hits).toEqual(index.search(query));
        const scores = hits.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      }),
    );
  });
});

describe("hostile text", () => {
  it("is words like any other", () => {
    const hostile: readonly SearchableTool[] = [
      { name: "__proto__", description: "constructor" },
      { name: "toString", description: "x".repeat(1_000_000) },
      { name: "(((.*)+)+)+$", description: "a(b|b)*c ".repeat(10_000), inputSchema: () => null },
      { name: "", title: "", description: "", inputSchema: () => ({ properties: "none" }) },
      { name: "hasOwnProperty", inputSchema: () => ({ properties: { ["__proto__"]: {}, valueOf: {} } }) },
    ];
    const found = createSearchIndex(hostile);
    expect(found.search("proto")[0]?.tool.name).toBe("__proto__");
    expect(found.search("to string")[0]?.tool.name).toBe("toString");
    for (const query of ["__proto__", "constructor", "(((.*)+)+)+$", "x".repeat(100_000)])
      found.search(query);
  });
});

test("tools that fit far less than the best are not found", () => {
  const noise = Array.from({ length: 40 }, (_, at) => ({
    name: `video_tool_${at}`,
    description: `Edits a video. ${"Many other words that say nothing of it. ".repeat(10)} A post may have a clip.`,
  }));
  const found = createSearchIndex([{ name: "create-post", description: "Creates a post." }, ...noise]).search(
    "create a post",
  );
  expect(found.map(({ tool }) => tool.name)).toEqual(["create-post"]);
  expect(found.every(({ score }) => score >= 0.03)).toBe(true);
});
