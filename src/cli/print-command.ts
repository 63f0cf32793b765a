import { quoteForShell } from "./quote-for-shell.js";

/** A command line to copy: `npx mcp-codegen call 'get sum'`. */
export function printCommand(command: string, words: readonly string[]): string {
  return ["npx mcp-codegen", command, ...words.map(quoteForShell)].join(" ");
}
