/** The twelve tasks of `npm run report tasks`, with the calls that a model makes for them. */

export type Call = readonly [tool: string, args: object];

export interface Task {
  readonly name: string;
  readonly request: string;
  /** What the model searches for where it does not see all tools. */
  readonly queries: readonly string[];
  /** The tools that it needs. */
  readonly tools: readonly string[];
  /** The calls of each turn. */
  readonly turns: readonly (readonly Call[])[];
  /** The scripts of code mode, one for each turn. */
  readonly scripts: readonly string[];
  readonly answer: string;
}

const ORDER = {
  lines: [{ sku: "BRE-001", quantity: 2 }],
  customer: { name: "Ada Baker", email: "ada@example.com" },
  payment: { method: "invoice" },
};

export const TASKS: readonly Task[] = [
  {
    name: "find",
    request: "What does post 5 say?",
    queries: ["get a post"],
    tools: ["blog__get-post"],
    turns: [[["blog__get-post", { id: 5 }]]],
    scripts: ["return (await blog.getPost({ id: 5 })).content;"],
    answer: "It is about the opening hours.",
  },
  {
    name: "chain",
    request: "What did the first order contain, and is it in stock?",
    queries: ["get an order", "get a product"],
    tools: ["shop__get-order", "shop__get-product"],
    turns: [[["shop__get-order", { id: 1 }]], [["shop__get-product", { sku: "BRE-001" }]]],
    scripts: [
      `const { lines } = await shop.getOrder({ id: 1 });
return Promise.all(lines.map(async ({ sku, quantity }) => ({ sku, quantity, stock: (await shop.getProduct({ sku })).stock })));`,
    ],
    answer: "Two loaves of rye bread, of which there are enough.",
  },
  {
    name: "filter",
    request: "Which orders are open?",
    queries: ["list open orders"],
    tools: ["shop__list-orders"],
    turns: [[["shop__list-orders", { status: "open" }]]],
    scripts: [
      `return (await shop.listOrders({ status: "open" })).orders.map(({ id, total }) => ({ id, total }));`,
    ],
    answer: "Orders 3 and 4 are open.",
  },
  {
    name: "aggregate",
    request: "How many posts have a featured image?",
    queries: ["list posts"],
    tools: ["blog__list-posts"],
    turns: [
      [["blog__list-posts", { page: 1 }]],
      [2, 3, 4, 5, 6].map((page) => ["blog__list-posts", { page }] as const),
    ],
    scripts: [
      `let count = 0;
for (let page = 1, pages = 1; page <= pages; page += 1) {
  const list = await blog.listPosts({ page });
  pages = list.pages;
  count += list.posts.filter((post) => post.featured_image !== null).length;
}
return count;`,
    ],
    answer: "Twelve posts have one.",
  },
  {
    name: "write with approval",
    request: "Delete post 3.",
    queries: ["delete a post"],
    tools: ["blog__delete-post"],
    turns: [[["blog__delete-post", { id: 3 }]]],
    scripts: ["return await blog.deletePost({ id: 3 });"],
    answer: "I deleted it.",
  },
  {
    name: "recover",
    request: "Order two loaves of rye bread for Ada Baker, ada@example.com, on invoice.",
    queries: ["place an order"],
    tools: ["shop__create-order"],
    turns: [[["shop__create-order", { ...ORDER, payment: "invoice" }]], [["shop__create-order", ORDER]]],
    scripts: [
      `return await shop.createOrder({ lines: [{ sku: "BRE-001", quantity: 2 }], customer: { name: "Ada Baker", email: "ada@example.com" }, payment: "invoice" });`,
      `return await shop.createOrder({ lines: [{ sku: "BRE-001", quantity: 2 }], customer: { name: "Ada Baker", email: "ada@example.com" }, payment: { method: "invoice" } });`,
    ],
    answer: "I placed the order.",
  },
  {
    name: "two servers",
    request: "Write a draft that announces our pastries.",
    queries: ["list products", "create a post"],
    tools: ["shop__list-products", "blog__create-post"],
    turns: [
      [["shop__list-products", { category: "pastry" }]],
      [["blog__create-post", { title: "Our pastries", content: "<p>Croissants and more.</p>" }]],
    ],
    scripts: [
      `return (await shop.listProducts({ category: "pastry" })).products.map(({ name }) => name);`,
      `return (await blog.createPost({ title: "Our pastries", content: "<p>Croissants and more.</p>" })).id;`,
    ],
    answer: "The draft is there.",
  },
  {
    name: "wrong name",
    request: "What does post 7 say?",
    queries: ["get a post"],
    tools: ["blog__get-post"],
    turns: [[["get_post", { id: 7 }]], [["blog__get-post", { id: 7 }]]],
    scripts: [
      "return (await blog.getPosts({ id: 7 })).content;",
      "return (await blog.getPost({ id: 7 })).content;",
    ],
    answer: "It is about sourdough.",
  },
  {
    name: "empty result",
    request: "Is there a post on panettone?",
    queries: ["search posts"],
    tools: ["blog__list-posts"],
    turns: [[["blog__list-posts", { search: "panettone" }]], [["blog__list-posts", { search: "christmas" }]]],
    scripts: [
      `return (await blog.listPosts({ search: "panettone" })).posts.map(({ title }) => title);`,
      `return (await blog.listPosts({ search: "christmas" })).posts.map(({ title }) => title);`,
    ],
    answer: "No, there is none.",
  },
  {
    name: "long result",
    request: "Give me an overview of our posts.",
    queries: ["list posts"],
    tools: ["blog__list-posts"],
    turns: [[["blog__list-posts", { per_page: 100 }]]],
    scripts: [
      "return (await blog.listPosts({ per_page: 100 })).posts.map(({ title, tags }) => ({ title, tags }));",
    ],
    answer: "They are about bread, opening hours and events.",
  },
  {
    name: "question first",
    request: "Can you cancel orders?",
    queries: ["cancel an order"],
    tools: [],
    turns: [],
    scripts: [],
    answer: "Yes, as long as they are not shipped. Which one?",
  },
  {
    name: "several writes",
    request: "Create three drafts: Rye, Wheat and Spelt.",
    queries: ["create a post"],
    tools: ["blog__create-post"],
    turns: [
      ["Rye", "Wheat", "Spelt"].map(
        (title) => ["blog__create-post", { title, content: `<p>${title}</p>` }] as const,
      ),
    ],
    scripts: [
      `for (const title of ["Rye", "Wheat", "Spelt"]) await blog.createPost({ title, content: \`<p>\${title}</p>\` });`,
    ],
    answer: "The three drafts are there.",
  },
];
