// Wrong before any change: nothing of this is the server's doing.
import { findOrders } from "../generated/shop/index.js";

export const seventh = () => findOrders({ state: "lost", limit: "7" });
