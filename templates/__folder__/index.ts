// Stands for the index of any server.
export * from "../server-index.js";
