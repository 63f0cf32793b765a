// Reads answers: by property, destructuring, callbacks, and in the types of its own functions.
import { getOrder, listOrders } from "../generated/shop/index.js";

interface Amount {
  readonly cents: number;
}

const format = ({ cents }: Amount): string => (cents / 100).toFixed(2);

async function load(id: number) {
  return getOrder({ id });
}

export async function renderOrder(id: number): Promise<string> {
  const order = await load(id);
  const { status, customer } = order;
  if (status === "paid") return `paid: ${format(order.total)}`;
  switch (order.status) {
    case "open":
      return `${customer.name.trim()} has to pay ${format(order.total)}`;
    default:
      return order.lines.map((line) => `${line.quantity.toFixed(0)} ${line.sku.toUpperCase()}`).join(", ");
  }
}

export async function countOpen(): Promise<number> {
  const { orders, total } = await listOrders({ status: "open", page: 1 });
  return total - orders.filter((order) => ["open", "shipped"].includes(order.status)).length;
}
