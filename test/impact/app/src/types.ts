// Only types, and a function that has nothing to do with the client.
import type { FindOrdersInput, FindOrdersOutput } from "../generated/shop/index.js";

export const LABELS: Record<FindOrdersInput["state"], string> = {
  open: "Open",
  paid: "Paid",
  cancelled: "Cancelled",
};

export function describe({ ids, total }: FindOrdersOutput): string {
  return `${ids.length} of ${total}`;
}
