import type { StdioEndpoint } from "../client/endpoint.js";
import type { Channel } from "../client/session.js";
import { McpCodegenError } from "../core/errors.js";

/** Replaces client/stdio.ts and cassette/index.ts where there are no processes and no disk, such as in a browser. */
export function openStdio(endpoint: StdioEndpoint): Promise<Channel> {
  return Promise.reject(
    new McpCodegenError("SERVER_UNREACHABLE", `${JSON.stringify(endpoint.label)} cannot be started here.`, {
      hint: "Only Node can start a server; connect to a url instead.",
    }),
  );
}

export function callWithCassette(): Promise<never> {
  return Promise.reject(
    new McpCodegenError("USAGE", "Calls cannot be recorded or replayed here.", {
      hint: "Cassettes are files, which only Node, Bun and Deno can read.",
    }),
  );
}

export function learnAnswer(): Promise<never> {
  return Promise.reject(
    new McpCodegenError("USAGE", "Answers cannot be learned from here.", {
      hint: "Observations are a file, which only Node, Bun and Deno can write.",
    }),
  );
}
