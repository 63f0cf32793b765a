import { printable } from "../../core/printable.js";
import type { Io } from "../context.js";
import { completeWords, type CompletionSources } from "./complete-words.js";

/** The maximum length of a description next to a candidate. */
const LONGEST_ABOUT = 80;

/**
 * Prints the completions of a command line for a shell: `bash <line> <breaks>`, or the shell and the words up to the
 * cursor. Each line is a candidate, followed by a tab and its description for shells that show it. Prints no errors.
 */
export async function answerCompletion([shell, ...given]: readonly string[], io: Io): Promise<number> {
  try {
    io.stdout.write((await answer(shell, given, io.cwd)).map((line) => `${line}\n`).join(""));
  } catch {
    // A message would appear in the middle of the user's command line.
  }
  return 0;
}

async function answer(
  shell: string | undefined,
  given: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const sources = sourcesIn(cwd);
  if (shell === "bash") {
    const [line = "", breaks = ""] = given;
    const { words, ...last } = splitLine(line);
    const candidates = await completeWords(words.slice(1), sources);
    return printForBash(
      candidates.map(({ value }) => value),
      last,
      breaks,
    );
  }
  return (await completeWords(given, sources)).map(({ value, about }) =>
    about === undefined
      ? value
      : `${value}\t${printable(about.trim().split("\n", 1)[0] ?? "", LONGEST_ABOUT)}`,
  );
}

function sourcesIn(cwd: string): CompletionSources {
  return {
    lock: async (config) => (await import("./locked-tools.js")).readLockedNames(cwd, config),
    flags: async (tool) => (await import("./locked-tools.js")).completeFlags(tool),
    rules: async () => [...(await import("../../drift/rules.js")).ALL_RULES.keys()],
  };
}

/** A command line up to the cursor, split as by a POSIX shell, without expansions. */
interface SplitLine extends LastWord {
  /** The words without their quotes; the last is the one at the cursor, which may be empty. */
  readonly words: readonly string[];
}

interface LastWord {
  /** The last word with its quotes. */
  readonly raw: string;
  /** The quote that is open at the cursor. */
  readonly quote?: "'" | '"' | undefined;
}

export function splitLine(line: string): SplitLine {
  const words: string[] = [];
  let word = "";
  let raw = "";
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === undefined && /[ \t\n]/.test(character)) {
      if (raw !== "") words.push(word);
      word = raw = "";
      continue;
    }
    raw += character;
    if (quote === undefined && (character === "'" || character === '"')) quote = character;
    else if (character === quote) quote = undefined;
    else if (character === "\\" && quote !== "'" && at + 1 < line.length) {
      at += 1;
      raw += line.charAt(at);
      // In double quotes, a backslash escapes only these characters.
      word += quote === '"' && !/["\\$`]/.test(line.charAt(at)) ? `\\${line.charAt(at)}` : line.charAt(at);
    } else word += character;
  }
  return { words: [...words, word], raw, quote };
}

/**
 * Returns the candidates as Bash inserts them: it replaces only the part of the word after the last word break, such as
 * `=`. Escapes special characters of the shell, since names come from servers.
 */
export function printForBash(
  candidates: readonly string[],
  { raw, quote }: LastWord,
  breaks: string,
): readonly string[] {
  // Bash completes only the quoted part, and does not pass what precedes it.
  const isQuoted = quote !== undefined && raw.lastIndexOf(quote) === 0;
  if (quote !== undefined && !isQuoted) return [];
  if (isQuoted) {
    const inner = quote === "'" ? /'/ : /["\\$`!]/;
    return candidates.filter((candidate) => !inner.test(candidate));
  }
  const kept = lengthBeforeBreak(raw, breaks);
  return candidates.map(escapeWord).flatMap((word) => {
    // The typed part may use other escapes.
    const start = raw.slice(0, kept);
    return word.startsWith(start) ? [word.slice(kept)] : [];
  });
}

/** Returns the length of the part of a word that Bash keeps. */
function lengthBeforeBreak(raw: string, breaks: string): number {
  for (let at = raw.length - 1; at >= 0; at -= 1)
    if (breaks.includes(raw.charAt(at)) && raw.charAt(at - 1) !== "\\") return at + 1;
  return 0;
}

function escapeWord(word: string): string {
  return word.replace(/[^\p{L}\p{N}\p{M}_%+=:,./@-]/gu, "\\$&");
}
