// JavaScript that nobody type-checks.
import { connect } from "../generated/shop/index.js";

export const sixth = () => connect().findOrders({ state: "cancelled", limit: 6 });
