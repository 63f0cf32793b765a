// Called on a connection, plainly and by `.safe`; a connection that is passed on keeps its type.
import { connect } from "../generated/shop/index.js";

const shop = connect();

export async function listPaid(limit: number): Promise<readonly number[]> {
  const result = await shop.findOrders.safe({ state: "paid", limit });
  return result.ok ? result.value.ids : [];
}

export async function cancelWith(wp: typeof shop, reason: string): Promise<void> {
  await wp.cancelOrder({ id: 1, reason });
}

void cancelWith(shop, "x");
