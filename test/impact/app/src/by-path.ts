// By a path of the tsconfig; an object that is built before it is passed.
import { findOrders } from "@tools/shop/index.js";

const input = { state: "cancelled", limit: 5 } as const;

export const fifth = () => findOrders(input);
