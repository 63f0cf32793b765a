/** A command line to copy: `npx mcp-codegen call 'get sum'`. */
export function printCommand(command: string, words: readonly string[]): string {
  return ["npx mcp-codegen", command, ...words.map(quoteForShell)].join(" ");
}

/** A word as a POSIX shell takes it: in single quotes, unless it needs none. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
