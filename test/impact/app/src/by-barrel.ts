import { cancelOrder, search } from "./barrel.js";

export const third = () => search({ state: "open", limit: 3 });
export const fourth = () => cancelOrder({ id: 4, reason: "four" });
