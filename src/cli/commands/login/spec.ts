import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const LOGIN_FLAGS = {
  env: SHARED.env,
  browser: { isNegative: true, help: "open no browser, and print the address of the login page" },
  wait: { value: "seconds", help: "time limit for the login (default: 300)" },
} as const satisfies OptionTable;

export const loginCommand = defineCommand({
  summary: "log in to a server that requires it",
  description: [
    "Opens the login page of the server's authorization server in a browser (OAuth 2.1 with PKCE), and waits for the",
    "answer on a loopback port. The tokens are saved in your state folder, readable by you alone, and never in the",
    "project. Every command then uses and refreshes them. Log in again when a server requires more scopes. In CI, use",
    "client credentials or a token: see docs/servers.md#login.",
  ],
  arguments: [{ name: "<server>", help: "name of a configured server, or a URL" }],
  options: LOGIN_FLAGS,
  examples: [
    { line: "mcp-codegen login shop", does: "log in to a configured server" },
    { line: "mcp-codegen login https://example.com/mcp", does: "log in to a server without a configuration" },
    { line: "mcp-codegen login shop --no-browser", does: "print the address of the login page" },
  ],
  load: async () => (await import("./run.js")).runLogin,
});

export const LOGOUT_FLAGS = {
  env: SHARED.env,
} as const satisfies OptionTable;

export const logoutCommand = defineCommand({
  summary: "delete the login for a server",
  description: ["Deletes the saved tokens, and revokes them if the authorization server supports it."],
  arguments: [{ name: "<server>", help: "name of a configured server, or a URL" }],
  options: LOGOUT_FLAGS,
  examples: [{ line: "mcp-codegen logout shop", does: "log out of a configured server" }],
  load: async () => (await import("./run.js")).runLogout,
});

export const WHOAMI_FLAGS = {
  env: SHARED.env,
} as const satisfies OptionTable;

export const whoamiCommand = defineCommand({
  summary: "list your logins: issuer, account, scopes, time left",
  description: [
    "Lists the saved logins. Prints no tokens, and contacts no server. Exits 1 if you are not logged in to one of the",
    "named servers.",
  ],
  arguments: [{ name: "[server...]", help: "names of configured servers, or URLs (default: all logins)" }],
  options: WHOAMI_FLAGS,
  examples: [
    { line: "mcp-codegen whoami", does: "list all logins" },
    { line: "mcp-codegen whoami shop --json", does: "print one login as JSON" },
  ],
  load: async () => (await import("./run.js")).runWhoami,
});
