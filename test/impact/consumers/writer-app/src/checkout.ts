// Passes inputs: literals, constants, spreads, conditions and values that only the types know.
import { cancelOrder, createOrder, listOrders } from "../generated/shop/index.js";
import type { CreateOrderInput } from "../generated/shop/index.js";

const PAGE = { page: 1, per_page: 50 } as const;

interface Cart {
  readonly skus: readonly string[];
  readonly note?: string;
}

export async function buy(cart: Cart, isUrgent: boolean): Promise<number> {
  const created = await createOrder({
    customer: { name: "Ada" },
    lines: cart.skus.map((sku) => ({ sku, quantity: 1 })),
    priority: isUrgent ? "high" : "normal",
    ...(cart.note !== undefined && { note: cart.note }),
  });
  return created.id;
}

export async function reorder(input: CreateOrderInput): Promise<boolean> {
  const result = await createOrder.safe(input);
  return result.ok;
}

export async function cleanUp(): Promise<void> {
  const { orders } = await listOrders({ ...PAGE, status: "shipped" });
  for (const { id } of orders) await cancelOrder({ id, reason: "too old" });
}

export async function cancelWith(extra: Record<string, string>): Promise<void> {
  await cancelOrder({ id: 7, ...extra });
}
