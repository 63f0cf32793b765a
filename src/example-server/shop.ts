import { type Calendar, ToolFailure } from "./example-tool.js";

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

/** A small shop, in memory. */
export interface Shop {
  products(): readonly Product[];
  product(sku: string): Product;
  orders(): readonly Order[];
  order(id: number): Order;
  placeOrder(order: NewOrder): Order;
  cancelOrder(id: number): Order;
}

/**
 * Returns a shop with five products and no orders. Throws {@link ToolFailure} for what does not exist, is not
 * in stock or cannot be cancelled.
 */
export function createShop(now: Calendar): Shop {
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
    products: () => [...products.values()],
    product: getProduct,
    orders: () => [...orders.values()],
    order: getOrder,
    placeOrder: ({ lines, payment, note }) => {
      const taken = take(lines);
      return put({
        id: orders.size + 1,
        status: payment.method === "invoice" ? "open" : "paid",
        lines: taken,
        total: eur(taken.reduce((sum, line) => sum + line.price.cents * line.quantity, 0)),
        payment_method: payment.method,
        created_at: now(),
        ...(note !== undefined && { note }),
      });
    },
    cancelOrder: (id) => {
      const order = getOrder(id);
      if (order.status === "cancelled") return order;
      if (order.status === "shipped")
        throw new ToolFailure(`Order ${id} is on its way and cannot be cancelled.`);
      for (const { sku, quantity } of order.lines) moveStock(sku, quantity);
      return put({ ...order, status: "cancelled" });
    },
  };
}
