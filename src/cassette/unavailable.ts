import { McpCodegenError } from "../contract/errors.js";

/** Replaces index.ts where there is no disk, such as in a browser. */
export function callWithCassette(): Promise<never> {
  return Promise.reject(
    new McpCodegenError("USAGE", "Calls cannot be recorded or replayed here.", {
      hint: "Cassettes are files, which only Node, Bun and Deno can read.",
    }),
  );
}
