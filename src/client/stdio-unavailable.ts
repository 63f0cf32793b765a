import { McpCodegenError } from "../core/errors.js";
import type { Channel } from "./session.js";
import type { StdioEndpoint } from "./endpoint.js";

/** Replaces stdio.ts where processes cannot be started, such as in a browser. */
export function openStdio(endpoint: StdioEndpoint): Promise<Channel> {
  return Promise.reject(
    new McpCodegenError("SERVER_UNREACHABLE", `${JSON.stringify(endpoint.label)} cannot be started here.`, {
      hint: "Only Node can start a server; connect to a url instead.",
    }),
  );
}
