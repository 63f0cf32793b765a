import { McpCodegenError } from "../../core/errors.js";

/** Replaces index.ts where there is no disk, such as in a browser. */
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
