// Through the index of all servers, and through a namespace of one.
import { shop } from "../generated/index.js";
import * as tools from "../generated/shop/index.js";

export const first = () => shop.findOrders({ state: "cancelled", limit: 1 });
export const second = () => tools.findOrders({ state: "open", limit: 2 });
