// Every server.
// @each servers
export * as __server__ from "./__folder__/index.js";
// @when isEmpty
export {};
