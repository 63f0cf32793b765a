// Hides what it does: answers go to other code, a tool is passed on, a name is computed.
import { cancelOrder, connect, getOrder } from "../generated/shop/index.js";

declare function retry<T>(work: () => Promise<T>): Promise<T>;
declare function audit(tool: unknown): void;

const shop = connect();

export async function forward(id: number): Promise<string> {
  const order = await retry(() => getOrder({ id }));
  console.log(order.customer);
  return JSON.stringify({ order });
}

export async function run(name: "createOrder" | "listOrders", input: unknown): Promise<unknown> {
  return shop[name](input as never);
}

audit(cancelOrder);
