// Imported from the tool's own module, and called with literals.
import { cancelOrder } from "../generated/shop/cancel-order.js";
import { findOrders } from "../generated/shop/find-orders.js";

export async function cancelOpen(): Promise<void> {
  const found = await findOrders({
    state: "open",
    limit: 50,
  });
  for (const id of found.ids) {
    const reason = "Nobody paid.";
    await cancelOrder({ id, reason });
  }
  console.log(found.total);
}
