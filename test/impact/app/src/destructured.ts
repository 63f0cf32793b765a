// Taken out of a connection, under another name.
import { connect } from "../generated/shop/index.js";

const { findOrders: find, cancelOrder } = connect();

export const totalOf = async (): Promise<number> => (await find({ state: "cancelled" })).total;
export const cancel = (id: number) => cancelOrder({ id, reason: "Out of stock until further notice." });
