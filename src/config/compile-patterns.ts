import { createRequire } from "node:module";
import type picomatch from "picomatch";

/** Loaded with the first pattern, since most configurations have none. */
// In a CommonJS bundle of esbuild, `import.meta.url` is undefined.
const require = createRequire(import.meta.url || __filename);

/**
 * Returns a matcher for the names of tools. `*` matches any text, `?` any character, `{a,b}` either. Names are not
 * paths, so path separators are replaced in names and patterns: `*` also matches a tool named `../evil`.
 */
export function compilePatterns(patterns: readonly string[]): (tool: string) => boolean {
  if (patterns.length === 0) return () => false;
  const compile = require("picomatch") as typeof picomatch;
  const matches = compile(patterns.map(withoutPathMarks), { dot: true, nonegate: true });
  return (tool) => matches(withoutPathMarks(tool));
}

function withoutPathMarks(text: string): string {
  return `=${text.replace(/[/\n\r\u2028\u2029]/g, "\u2215")}`;
}
