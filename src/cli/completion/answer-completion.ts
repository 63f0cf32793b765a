import { printable } from "../../contract/printable.js";
import type { Io } from "../io.js";
import { completeWords, type CompletionSources } from "./complete-words.js";
import { printForBash } from "./print-for-bash.js";
import { splitLine } from "./split-line.js";

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
    lock: async (config) => (await import("./locked-names.js")).readLockedNames(cwd, config),
    flags: async (tool) => (await import("./complete-flags.js")).completeFlags(tool),
    rules: async () => [...(await import("../../drift/rules.js")).ALL_RULES.keys()],
  };
}
