import {
  fromJsonSchema,
  type JsonSchemaType,
  type McpServer,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";

interface ExampleDefinition<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: JsonSchemaType;
  readonly output: JsonSchemaType;
  readonly annotations: ToolAnnotations;
  /** Called with valid input. The server validates the answer too. */
  readonly run: (input: Input) => object;
}

export type ExampleTool = (server: McpServer) => void;

/** A tool throws this to answer with `isError` and the message. */
class ToolFailure extends Error {}

export function exampleTool<Input>({
  name,
  input,
  output,
  run,
  ...definition
}: ExampleDefinition<Input>): ExampleTool {
  const schemas = { inputSchema: fromJsonSchema<Input>(input), outputSchema: fromJsonSchema(output) };
  return (server) => {
    server.registerTool(name, { ...definition, ...schemas }, (args: Input) => {
      try {
        const answer = { ...run(args) };
        return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        return { isError: true, content: [{ type: "text", text: error.message }] };
      }
    });
  };
}

/** Returns the schema of an object without other properties. */
export function closedObject(
  properties: { readonly [name: string]: JsonSchemaType },
  ...required: readonly string[]
): JsonSchemaType {
  const requiring = required.length === 0 ? {} : { required: [...required] };
  return { type: "object", properties, ...requiring, additionalProperties: false };
}

/** Returns the schema of an object that has all of these properties, and may have others. */
export function objectWith(
  description: string,
  properties: { readonly [name: string]: JsonSchemaType },
): JsonSchemaType {
  return { type: "object", description, properties, required: Object.keys(properties) };
}

export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
export const CHANGES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** Returns one page of a list. Pages count from 1. */
export function pageOf<T>(
  items: readonly T[],
  page: number,
  perPage: number,
): { items: T[]; total: number; pages: number } {
  const start = (page - 1) * perPage;
  return {
    items: items.slice(start, start + perPage),
    total: items.length,
    pages: Math.ceil(items.length / perPage),
  };
}

/** Returns the time of the next event: a fixed morning plus one minute per event, so that every run is equal. */
type Calendar = () => string;

export function createCalendar(): Calendar {
  let minutes = 0;
  return () => new Date(Date.UTC(2026, 0, 15, 9, minutes++)).toISOString();
}

export type PostStatus = "draft" | "pending" | "publish" | "private";

export interface NewPost {
  readonly title: string;
  readonly content: string;
  readonly excerpt?: string | null;
  readonly status?: PostStatus;
  readonly tags?: readonly string[];
  readonly featured_image?: { readonly url: string; readonly alt?: string } | null;
}

export interface Post extends Required<NewPost> {
  readonly id: number;
  readonly created_at: string;
  readonly updated_at: string;
}

interface PostComment {
  readonly author: string;
  readonly text: string;
  readonly replies?: readonly PostComment[];
}

const FIRST_POSTS: readonly NewPost[] = [
  { title: "Hello world", content: "<p>The first post of this site.</p>", status: "publish", tags: ["news"] },
  {
    title: "How we bake our bread",
    content: "<p>Flour, water, salt and a day of patience.</p>",
    excerpt: "Four things and a day.",
    status: "publish",
    tags: ["bread", "recipes"],
    featured_image: { url: "https://example.com/bread.jpg", alt: "A loaf of rye bread" },
  },
  { title: "Opening hours in spring", content: "<p>To be decided.</p>", tags: ["news"] },
];

const FIRST_COMMENTS: readonly PostComment[] = [
  {
    author: "Ada",
    text: "How long does the dough rest?",
    replies: [
      {
        author: "The bakery",
        text: "Overnight, somewhere cool.",
        replies: [{ author: "Ada", text: "Thanks!" }],
      },
    ],
  },
  { author: "Grace", text: "Works with spelt as well." },
];

export type Posts = ReturnType<typeof createPosts>;

/** Returns a site with three posts, in memory. Throws {@link ToolFailure} for an unknown post. */
export function createPosts(now: Calendar) {
  const posts = new Map<number, Post>();
  let lastId = 0;

  const get = (id: number): Post => {
    const post = posts.get(id);
    if (!post) throw new ToolFailure(`There is no post ${id}.`);
    return post;
  };
  const put = (post: Post): Post => {
    posts.set(post.id, post);
    return post;
  };
  const create = (post: NewPost): Post => {
    const time = now();
    const defaults = { excerpt: null, status: "draft", tags: [], featured_image: null } as const;
    return put({ ...defaults, ...post, id: ++lastId, created_at: time, updated_at: time });
  };
  for (const post of FIRST_POSTS) create(post);

  return {
    list: (): readonly Post[] => [...posts.values()],
    get,
    create,
    update: (id: number, changes: Partial<NewPost>) => put({ ...get(id), ...changes, updated_at: now() }),
    remove: (id: number) => {
      const post = get(id);
      posts.delete(id);
      return post;
    },
    comments: (id: number) => (get(id).id === 2 ? FIRST_COMMENTS : []),
  };
}

interface Money {
  readonly cents: number;
  readonly currency: "EUR" | "USD";
}

export interface Product {
  readonly sku: string;
  readonly name: string;
  readonly category: "bread" | "pastry" | "coffee";
  readonly price: Money;
  readonly stock: number | null;
  readonly attributes: Readonly<Record<string, string>>;
}

export type OrderStatus = "open" | "paid" | "shipped" | "cancelled";

export interface NewOrder {
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
  readonly customer: { readonly name: string; readonly email: string };
  readonly payment: { readonly method: "card" | "invoice" | "gift-card" };
  readonly note?: string;
}

interface Order {
  readonly id: number;
  readonly status: OrderStatus;
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly price: Money }[];
  readonly total: Money;
  readonly payment_method: NewOrder["payment"]["method"];
  readonly created_at: string;
  readonly note?: string;
}

const PRODUCTS: readonly Product[] = [
  {
    sku: "BRE-001",
    name: "Rye bread",
    category: "bread",
    price: eur(420),
    stock: 12,
    attributes: { weight: "1 kg" },
  },
  { sku: "BRE-002", name: "Spelt roll", category: "bread", price: eur(95), stock: 60, attributes: {} },
  {
    sku: "PAS-001",
    name: "Almond croissant",
    category: "pastry",
    price: eur(280),
    stock: 0,
    attributes: { allergens: "almond" },
  },
  {
    sku: "PAS-002",
    name: "Birthday cake",
    category: "pastry",
    price: eur(3200),
    stock: null,
    attributes: { serves: "12" },
  },
  {
    sku: "COF-001",
    name: "House espresso",
    category: "coffee",
    price: eur(890),
    stock: 30,
    attributes: { weight: "250 g" },
  },
];

function eur(cents: number): Money {
  return { cents, currency: "EUR" };
}

export type Shop = ReturnType<typeof createShop>;

/** Returns a shop with five products, in memory. Throws {@link ToolFailure} for what does not exist or cannot be done. */
export function createShop(now: Calendar) {
  const products = new Map(PRODUCTS.map((product) => [product.sku, product]));
  const orders = new Map<number, Order>();

  const getProduct = (sku: string): Product => {
    const product = products.get(sku);
    if (!product)
      throw new ToolFailure(`There is no product "${sku}". Call list-products to see which there are.`);
    return product;
  };
  const getOrder = (id: number): Order => {
    const order = orders.get(id);
    if (!order) throw new ToolFailure(`There is no order ${id}.`);
    return order;
  };
  const put = (order: Order): Order => {
    orders.set(order.id, order);
    return order;
  };
  const moveStock = (sku: string, by: number): void => {
    const product = getProduct(sku);
    if (product.stock !== null) products.set(sku, { ...product, stock: product.stock + by });
  };
  const take = (lines: NewOrder["lines"]): Order["lines"] => {
    const wanted = new Map<string, number>();
    for (const { sku, quantity } of lines) wanted.set(sku, (wanted.get(sku) ?? 0) + quantity);
    for (const [sku, quantity] of wanted) {
      const { stock } = getProduct(sku);
      if (stock !== null && stock < quantity) throw new ToolFailure(`Only ${stock} of "${sku}" are left.`);
    }
    for (const [sku, quantity] of wanted) moveStock(sku, -quantity);
    return lines.map((line) => ({ ...line, price: getProduct(line.sku).price }));
  };

  return {
    products: (): readonly Product[] => [...products.values()],
    product: getProduct,
    orders: (): readonly Order[] => [...orders.values()],
    order: getOrder,
    placeOrder: ({ lines, payment, note }: NewOrder) => {
      const order = take(lines);
      return put({
        id: orders.size + 1,
        status: payment.method === "invoice" ? "open" : "paid",
        lines: order,
        total: eur(order.reduce((sum, line) => sum + line.price.cents * line.quantity, 0)),
        payment_method: payment.method,
        created_at: now(),
        ...(note !== undefined && { note }),
      });
    },
    cancelOrder: (id: number) => {
      const order = getOrder(id);
      if (order.status === "cancelled") return order;
      if (order.status === "shipped")
        throw new ToolFailure(`Order ${id} is on its way and cannot be cancelled.`);
      for (const { sku, quantity } of order.lines) moveStock(sku, quantity);
      return put({ ...order, status: "cancelled" });
    },
  };
}
