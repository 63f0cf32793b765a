import type { JsonSchemaType } from "@modelcontextprotocol/server";
import {
  CHANGES,
  closedObject,
  type ExampleTool,
  exampleTool,
  type NewOrder,
  objectWith,
  type OrderStatus,
  pageOf,
  READS,
  type Product,
  type Shop,
} from "./stores.js";

const SKU: JsonSchemaType = {
  type: "string",
  pattern: "^[A-Z]{3}-[0-9]{3}$",
  description: "The product's article number, such as BRE-001.",
};

const MONEY: JsonSchemaType = objectWith("An amount of money.", {
  cents: { type: "integer", description: "In hundredths: 350 is 3.50." },
  currency: { type: "string", enum: ["EUR", "USD"] },
});

const PRODUCT: JsonSchemaType = objectWith("Something the shop sells.", {
  sku: SKU,
  name: { type: "string" },
  category: { type: "string", enum: ["bread", "pastry", "coffee"] },
  price: { $ref: "#/$defs/Money" },
  stock: {
    type: ["integer", "null"],
    minimum: 0,
    description: "How many are left; null when it is made to order.",
  },
  attributes: {
    type: "object",
    additionalProperties: { type: "string" },
    description: "Weight, allergens and so on.",
  },
});

/** The payment of an order. Its fields depend on `method`. */
const PAYMENT: JsonSchemaType = {
  description: "How the order is paid.",
  oneOf: [
    {
      type: "object",
      properties: {
        method: { const: "card" },
        token: { type: "string", description: "From the card form." },
      },
      required: ["method", "token"],
    },
    {
      type: "object",
      properties: { method: { const: "invoice" }, vat_id: { type: "string" } },
      required: ["method"],
    },
    {
      type: "object",
      properties: { method: { const: "gift-card" }, code: { type: "string" }, pin: { type: "string" } },
      required: ["method", "code"],
    },
  ],
};

const CUSTOMER: JsonSchemaType = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    email: { type: "string", format: "email" },
    address: {
      type: "object",
      description: "Where to deliver; leave it out to pick the order up.",
      properties: {
        street: { type: "string" },
        city: { type: "string" },
        postcode: { type: "string" },
        country: { type: "string", pattern: "^[A-Z]{2}$", default: "DE", description: "ISO 3166-1 code." },
      },
      required: ["street", "city", "postcode"],
    },
  },
  required: ["name", "email"],
};

const ORDER_STATUS: JsonSchemaType = {
  type: "string",
  enum: ["open", "paid", "shipped", "cancelled"],
};

const ORDER: JsonSchemaType = {
  type: "object",
  description: "An order and what it costs.",
  properties: {
    id: { type: "integer", minimum: 1 },
    status: ORDER_STATUS,
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: {
          sku: { type: "string" },
          quantity: { type: "integer", minimum: 1 },
          price: { $ref: "#/$defs/Money" },
        },
        required: ["sku", "quantity", "price"],
      },
    },
    total: { $ref: "#/$defs/Money" },
    payment_method: { type: "string", enum: ["card", "invoice", "gift-card"] },
    created_at: { type: "string", format: "date-time" },
    note: { type: "string", description: "Absent when the customer left none." },
  },
  required: ["id", "status", "lines", "total", "payment_method", "created_at"],
};

const PRODUCT_OUTPUT = { ...PRODUCT, $defs: { Money: MONEY } };
const ORDER_OUTPUT = { ...ORDER, $defs: { Money: MONEY } };
const ORDER_ID = closedObject(
  { id: { type: "integer", minimum: 1, description: "The order's number." } },
  "id",
);

/** Returns the tools for the products and orders of a shop. */
export function shopTools(shop: Shop): readonly ExampleTool[] {
  return [
    exampleTool<{
      readonly category?: Product["category"];
      readonly in_stock?: boolean;
      readonly max_price?: number;
    }>({
      name: "list-products",
      title: "List products",
      description: "Returns what the shop sells.",
      input: closedObject({
        category: { type: "string", enum: ["bread", "pastry", "coffee"] },
        in_stock: { type: "boolean", default: false, description: "Only what can be had now." },
        max_price: {
          type: "number",
          exclusiveMinimum: 0,
          description: "In whole units of the currency: 3.5 is 3.50.",
        },
      }),
      output: {
        type: "object",
        properties: { products: { type: "array", items: { $ref: "#/$defs/Product" } } },
        required: ["products"],
        $defs: { Product: PRODUCT, Money: MONEY },
      },
      annotations: READS,
      run: ({ category, in_stock = false, max_price = Infinity }) => ({
        products: shop
          .products()
          .filter((product) => category === undefined || product.category === category)
          .filter((product) => !in_stock || product.stock !== 0)
          .filter((product) => product.price.cents <= max_price * 100),
      }),
    }),
    exampleTool<{ readonly sku: string }>({
      name: "get-product",
      title: "Get a product",
      description: "Returns one product.",
      input: closedObject({ sku: SKU }, "sku"),
      output: PRODUCT_OUTPUT,
      annotations: READS,
      run: ({ sku }) => shop.product(sku),
    }),
    exampleTool<NewOrder>({
      name: "create-order",
      title: "Place an order",
      description:
        "Places an order, takes what was ordered out of stock and returns the order with its total.",
      input: closedObject(
        {
          lines: {
            type: "array",
            minItems: 1,
            maxItems: 50,
            items: closedObject(
              { sku: SKU, quantity: { type: "integer", minimum: 1, maximum: 99 } },
              "sku",
              "quantity",
            ),
          },
          customer: CUSTOMER,
          payment: PAYMENT,
          note: { type: "string", maxLength: 500, description: "For the people who pack the order." },
        },
        ...["lines", "customer", "payment"],
      ),
      output: ORDER_OUTPUT,
      annotations: { ...CHANGES, destructiveHint: false, idempotentHint: false },
      run: (order) => shop.placeOrder(order),
    }),
    exampleTool<{
      readonly status?: OrderStatus;
      readonly since?: string;
      readonly page?: number;
      readonly per_page?: number;
    }>({
      name: "list-orders",
      title: "List orders",
      description: "Returns orders, oldest first, one page at a time.",
      input: closedObject({
        status: ORDER_STATUS,
        since: {
          type: "string",
          format: "date-time",
          description: "Only orders placed at this time or later.",
        },
        page: { type: "integer", minimum: 1, default: 1 },
        per_page: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      }),
      output: {
        type: "object",
        properties: {
          orders: { type: "array", items: { $ref: "#/$defs/Order" } },
          total: { type: "integer", minimum: 0 },
          pages: { type: "integer", minimum: 0 },
        },
        required: ["orders", "total", "pages"],
        $defs: { Order: ORDER, Money: MONEY },
      },
      annotations: READS,
      run: ({ status, since, page = 1, per_page = 20 }) => {
        const matching = shop
          .orders()
          .filter((order) => status === undefined || order.status === status)
          .filter((order) => since === undefined || Date.parse(order.created_at) >= Date.parse(since));
        const { items, ...counts } = pageOf(matching, page, per_page);
        return { orders: items, ...counts };
      },
    }),
    exampleTool<{ readonly id: number }>({
      name: "get-order",
      title: "Get an order",
      description: "Returns one order.",
      input: ORDER_ID,
      output: ORDER_OUTPUT,
      annotations: READS,
      run: ({ id }) => shop.order(id),
    }),
    exampleTool<{ readonly id: number; readonly reason: string }>({
      name: "cancel-order",
      title: "Cancel an order",
      description: "Cancels an order that is not shipped yet and puts its products back in stock.",
      input: closedObject(
        {
          id: { type: "integer", minimum: 1, description: "The order's number." },
          reason: { type: "string", enum: ["changed-mind", "too-late", "mistake", "other"] },
        },
        ...["id", "reason"],
      ),
      output: ORDER_OUTPUT,
      annotations: CHANGES,
      run: ({ id }) => shop.cancelOrder(id),
    }),
  ];
}
