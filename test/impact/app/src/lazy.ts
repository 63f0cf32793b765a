// Loaded when it is needed.
export async function findLater(): Promise<number> {
  const { findOrders } = await import("../generated/shop/find-orders.js");
  const { total } = await findOrders({ state: "open" });
  return total;
}
