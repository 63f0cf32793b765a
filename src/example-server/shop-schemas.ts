import type { JsonSchemaType } from "@modelcontextprotocol/server";

export const SKU: JsonSchemaType = {
  type: "string",
  pattern: "^[A-Z]{3}-[0-9]{3}$",
  description: "The product's article number, such as BRE-001.",
};

export const MONEY: JsonSchemaType = {
  type: "object",
  description: "An amount of money.",
  properties: {
    cents: { type: "integer", description: "In hundredths: 350 is 3.50." },
    currency: { type: "string", enum: ["EUR", "USD"] },
  },
  required: ["cents", "currency"],
};

export const PRODUCT: JsonSchemaType = {
  type: "object",
  description: "Something the shop sells.",
  properties: {
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
  },
  required: ["sku", "name", "category", "price", "stock", "attributes"],
};

/** The payment of an order. Its fields depend on `method`. */
export const PAYMENT: JsonSchemaType = {
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

export const CUSTOMER: JsonSchemaType = {
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

export const ORDER_STATUS: JsonSchemaType = {
  type: "string",
  enum: ["open", "paid", "shipped", "cancelled"],
};

export const ORDER: JsonSchemaType = {
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
