// Where the tool is a value like any other, and its types are taken from it.
import { cancelOrder, connect, findOrders } from "../generated/shop/index.js";

type Search = Parameters<typeof findOrders>[0];

const DEFAULTS = { limit: 8 };

function search(wanted: Search): Promise<{ readonly total: number }> {
  return findOrders(wanted);
}

export const eighth = () => search({ state: "open", limit: 9 });
export const ninth = () => findOrders({ ...DEFAULTS, state: "cancelled" });

async function attempt<I, O>(tool: { safe(input: I): Promise<O> }, input: I): Promise<O> {
  return tool.safe(input);
}

export const tenth = () => attempt(findOrders, { state: "cancelled", limit: 10 });

export class Desk {
  readonly #client = connect();
  readonly tools = { cancelOrder };

  async close(orders: readonly number[], reason?: "late" | "The parcel was lost on its way."): Promise<void> {
    for (const id of orders) await this.tools.cancelOrder({ id, ...(reason !== undefined && { reason }) });
    const { total } = await this.#client["findOrders"]({ state: "paid" });
    console.log(total);
  }
}
