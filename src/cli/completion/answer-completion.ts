import { dirname, join, resolve } from "node:path";
import { createToolNames } from "../../agent/registry/tool-names.js";
import { type LastWord, splitShellWords } from "../../config/parse-server-argument.js";
import { findOwn, type JsonObject, type JsonValue, objectOrEmpty } from "../../core/json.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { printable } from "../../core/printable.js";
import { ALL_RULES } from "../../drift/rules.js";
import { findFileText, upwards } from "../../files/read-files.js";
import type { Io } from "../context.js";
import { type CommandName, COMMANDS, isCommandName } from "../command-table.js";
import { SHELLS } from "../commands/setup/spec.js";
import { allFlagsOf, flagOf, GLOBAL_OPTIONS, type OptionSpec, type OptionTable } from "../options.js";

/** A word to insert at the cursor, with a description. */
interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

interface LockedNames {
  readonly servers: readonly string[];
  /** The names of tools, each as short as possible, with descriptions. */
  readonly tools: readonly Candidate[];
}

/** The maximum length of a description next to a candidate. */
const LONGEST_ABOUT = 80;

/**
 * Prints the completions of a command line for a shell: `bash <line> <breaks>`, or the shell and the words up to the
 * cursor. Each line is a candidate, followed by a tab and its description for shells that show it. Prints no errors.
 */
export async function answerCompletion([shell, ...words]: readonly string[], io: Io): Promise<number> {
  try {
    io.stdout.write((await answer(shell, words, io.cwd)).map((line) => `${line}\n`).join(""));
  } catch {
    // A message would appear in the middle of the user's command line.
  }
  return 0;
}

async function answer(
  shell: string | undefined,
  typed: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  if (shell === "bash") {
    const [line = "", breaks = ""] = typed;
    const { words, ...last } = splitShellWords(line);
    const candidates = await completeWords(words.slice(1), cwd);
    return printForBash(
      candidates.map(({ value }) => value),
      last,
      breaks,
    );
  }
  return (await completeWords(typed, cwd)).map(({ value, about }) =>
    about === undefined
      ? value
      : `${value}\t${printable(about.trim().split("\n", 1)[0] ?? "", LONGEST_ABOUT)}`,
  );
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

function lengthBeforeBreak(raw: string, breaks: string): number {
  for (let at = raw.length - 1; at >= 0; at -= 1)
    if (breaks.includes(raw.charAt(at)) && raw.charAt(at - 1) !== "\\") return at + 1;
  return 0;
}

function escapeWord(word: string): string {
  return word.replace(/[^\p{L}\p{N}\p{M}_%+=:,./@-]/gu, "\\$&");
}

/** The words before the cursor, as the parser reads them. */
interface Before {
  readonly command?: CommandName | undefined;
  readonly positionals: readonly string[];
  /** Reads the names in the lock. */
  readonly readLock: () => Promise<LockedNames>;
  /** The option whose value is at the cursor. */
  readonly waiting?: NamedOption | undefined;
}

type NamedOption = readonly [name: string, spec: OptionSpec];

function tableOf(command: CommandName | undefined): OptionTable {
  return { ...(command === undefined ? {} : COMMANDS[command].options), ...GLOBAL_OPTIONS };
}

function findOption(flag: string, table: OptionTable): NamedOption | undefined {
  return Object.entries(table).find(([name, spec]) => flagOf(name, spec) === flag);
}

/** Returns the completions of the last word. `words` begins after the program's name. */
async function completeWords(words: readonly string[], cwd: string): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const candidates = await findCandidates(current, readBefore(words.slice(0, -1), cwd));
  const fitting = candidates.filter(({ value }) => value.startsWith(current) && isTypeable(value));
  return [...new Map(fitting.map((candidate) => [candidate.value, candidate])).values()];
}

async function findCandidates(current: string, before: Before): Promise<readonly Candidate[]> {
  const { command, waiting } = before;
  if (waiting !== undefined) return valuesOf(waiting, before);
  if (command === undefined) return current.startsWith("-") ? options(GLOBAL_OPTIONS) : commands();
  const table = tableOf(command);
  const [flag = "", ...rest] = current.split("=");
  const option = rest.length > 0 ? findOption(flag, table) : undefined;
  if (option !== undefined) return prefixed(`${flag}=`, await valuesOf(option, before));
  if (current.startsWith("-")) return options(table);
  return completePositional(Object.keys(COMMANDS[command].arguments ?? {}), before);
}

function readBefore(words: readonly string[], cwd: string): Before {
  let command: CommandName | undefined;
  let config: string | undefined;
  let waiting: NamedOption | undefined;
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) {
      if (command !== undefined) positionals.push(word);
      else command = isCommandName(word) ? word : undefined;
      continue;
    }
    const option = findOption(word, tableOf(command));
    if (option?.[1].value === undefined) continue;
    const value = words[(at += 1)];
    if (value === undefined) waiting = option;
    else if (option[0] === "config") config = value;
  }
  const readLock = (): Promise<LockedNames> => readLockedNames(cwd, config);
  return { command, positionals, readLock, waiting };
}

async function completePositional(
  expected: readonly string[],
  { positionals, readLock }: Before,
): Promise<readonly Candidate[]> {
  const place = expected[Math.min(positionals.length, expected.length - 1)];
  if (place === undefined || (positionals.length >= expected.length && !place.includes("..."))) return [];
  switch (place.replace(/[^a-z]/g, "")) {
    case "server":
      return toCandidates((await readLock()).servers);
    case "tool":
      return (await readLock()).tools;
    case "rule":
      return listRules();
    case "shell":
      return toCandidates(SHELLS);
    default:
      return [];
  }
}

async function valuesOf(
  [name, { choices = [] }]: NamedOption,
  { readLock }: Before,
): Promise<readonly Candidate[]> {
  if (name === "server") return toCandidates((await readLock()).servers);
  return name === "accept" ? listRules() : toCandidates(choices);
}

function listRules(): readonly Candidate[] {
  return toCandidates(ALL_RULES.keys());
}

function toCandidates(values: Iterable<string>): readonly Candidate[] {
  return Array.from(values, (value) => ({ value }));
}

function commands(): readonly Candidate[] {
  return Object.entries(COMMANDS).map(([value, { summary }]) => ({ value, about: summary }));
}

function options(table: OptionTable): readonly Candidate[] {
  const candidates = Object.entries(table).flatMap(([name, spec]): readonly Candidate[] => {
    const [flag = "", ...opposites] = allFlagsOf(name, spec);
    return [
      { value: flag, about: spec.help },
      ...opposites.map((value) => ({ value, about: `turn ${flag} off` })),
    ];
  });
  return [...candidates, { value: "--help", about: "print help" }];
}

function prefixed(prefix: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }));
}

/** Whether a name has only visible characters. A line break would also split the candidate. */
function isTypeable(value: string): boolean {
  return value !== "" && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value);
}

/**
 * Returns the names in the lock next to a configuration, or in the nearest lock from `cwd` upward. To be fast, does not
 * verify digests. A missing lock has no names.
 */
async function readLockedNames(cwd: string, config: string | undefined): Promise<LockedNames> {
  const folders = config === undefined ? upwards(resolve(cwd)) : [dirname(resolve(cwd, config))];
  for (const folder of folders) {
    const text = await findFileText(join(folder, LOCKFILE_NAME)).catch(() => undefined);
    if (text !== undefined) return namesIn(JSON.parse(text) as JsonValue);
  }
  return namesIn(undefined);
}

function namesIn(lock: JsonValue | undefined): LockedNames {
  const servers = objectIn(lock, "servers");
  const tools = Object.entries(servers).flatMap(([server, block]) =>
    Object.entries(objectIn(block, "tools"))
      .filter(([, tool]) => findOwn(tool, "unusable") === undefined)
      .map(([name, tool]) => {
        const description = findOwn(objectIn(tool, "definition"), "description");
        return { name: `${server}__${name}`, server, description };
      }),
  );
  const names = createToolNames(tools);
  return {
    servers: Object.keys(servers),
    tools: tools.map((tool) => ({
      value: names.nameOf(tool),
      about: typeof tool.description === "string" ? tool.description : undefined,
    })),
  };
}

function objectIn(value: JsonValue | undefined, key: string): JsonObject {
  return objectOrEmpty(findOwn(value, key));
}
