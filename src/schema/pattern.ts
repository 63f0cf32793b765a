/**
 * The flags with which JavaScript reads a pattern: the one that JSON Schema asks for where the pattern allows it.
 * Undefined when it is no regular expression at all. It is compiled here and never run: it may be hostile.
 */
export function flagsOf(pattern: string): "u" | "" | undefined {
  const known = FLAGS.get(pattern);
  if (known !== undefined) return known;
  const flags = (["u", ""] as const).find((candidate) => compiles(pattern, candidate));
  if (flags !== undefined && FLAGS.size < MAX_KNOWN) FLAGS.set(pattern, flags);
  return flags;
}

// The same few patterns come back in tool after tool.
const FLAGS = new Map<string, "u" | "">();
const MAX_KNOWN = 1000;

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
