// Exported again, under another name.
export { findOrders as search } from "../generated/shop/index.js";
export * from "../generated/shop/cancel-order.js";
