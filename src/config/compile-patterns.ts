import { createRequire } from "node:module";
import type picomatch from "picomatch";

/** Loaded when the first pattern is: most configurations have none. */
// In a CommonJS bundle of esbuild a module has no URL.
const require = createRequire(import.meta.url || __filename);

/**
 * Whether a tool's name fits one of the patterns. `*` stands for any text, `?` for any character, `{a,b}` for either.
 * A name is not a path, so the marks of paths are taken out of both: a tool named `../evil` fits `*` as well.
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
