// Imported from the server's index; a value that is known because it is a constant.
import { cancelOrder, findOrders } from "../generated/shop/index.js";

const REASON = "The customer changed their mind about it.";

export async function cancelFirst(): Promise<number> {
  const { ids, total } = await findOrders({ state: "cancelled" });
  const [id] = ids;
  if (id !== undefined) await cancelOrder({ id, reason: REASON });
  return total;
}
