/** Returns a command line to copy: `npx mcp-codegen call 'get sum'`. */
export function printCommand(command: string, words: readonly string[]): string {
  return ["npx mcp-codegen", command, ...words.map(quoteForShell)].join(" ");
}

/** Quotes a word for a POSIX shell, if necessary. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
