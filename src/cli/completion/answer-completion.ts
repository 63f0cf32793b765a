import { dirname, join, resolve } from "node:path";
import { createToolNames } from "../../agent/registry/tool-names.js";
import { splitShellWords } from "../../config/parse-server-argument.js";
import { findOwn, findText, type JsonObject, type JsonValue, objectOrEmpty } from "../../core/json.js";
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

/**
 * Prints the completions of a command line for a shell: `bash <line> <breaks>`, or the shell and the words up to the
 * cursor. Each line is a candidate, followed by a tab and its description for shells that show it. Prints no errors.
 */
export async function answerCompletion([shell, ...words]: readonly string[], io: Io): Promise<number> {
  try {
    const complete = shell === "bash" ? completeLine : completeWords;
    const candidates = await complete(words, io.cwd);
    io.stdout.write(candidates.map((candidate) => `${printCandidate(candidate)}\n`).join(""));
  } catch {
    // A message would appear in the middle of the user's command line.
  }
  return 0;
}

function printCandidate({ value, about }: Candidate): string {
  if (about === undefined) return value;
  return `${value}\t${printable(about.trim().split("\n", 1)[0] ?? "", 80)}`;
}

/** Bash replaces only the part of the word after the last word break, such as `=`. */
async function completeLine(
  [line = "", breaks = ""]: readonly string[],
  cwd: string,
): Promise<readonly Candidate[]> {
  const words = splitShellWords(line).words.slice(1);
  const kept = Math.max(...Array.from(breaks, (mark) => (words.at(-1) ?? "").lastIndexOf(mark) + 1));
  return (await completeWords(words, cwd)).map(({ value }) => ({ value: value.slice(kept) }));
}

/** Names come from servers: one that a shell would not take as it is, without quotes, is not offered. */
const PLAIN = /^[\p{L}\p{N}_%+:,./@-][\p{L}\p{N}\p{M}_%+=:,./@-]*$/u;

/** Returns the completions of the last word. `words` begins after the program's name. */
async function completeWords(words: readonly string[], cwd: string): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  // The value in `--option=value` is completed as that in `--option value`.
  const [prefix = "", flag] = /^(--[^=]*)=/.exec(current) ?? [];
  const before = readBefore([...words.slice(0, -1), ...(flag === undefined ? [] : [flag])], cwd);
  const candidates = await findCandidates(current.slice(prefix.length), before);
  return candidates
    .map(({ value, about }) => ({ value: prefix + value, about }))
    .filter(({ value }) => value.startsWith(current) && PLAIN.test(value));
}

/** The words before the cursor, as the parser reads them. */
interface Before {
  readonly command?: CommandName | undefined;
  readonly positionals: number;
  /** The option whose value is at the cursor. */
  readonly waiting?: NamedOption | undefined;
  /** Reads the names in the lock. */
  readonly readLock: () => Promise<LockedNames>;
}

type NamedOption = readonly [name: string, spec: OptionSpec];

function readBefore(words: readonly string[], cwd: string): Before {
  let command: CommandName | undefined;
  let config: string | undefined;
  let waiting: NamedOption | undefined;
  let positionals = 0;
  for (const word of words) {
    if (waiting !== undefined) {
      if (waiting[0] === "config") config = word;
      waiting = undefined;
    } else if (word.startsWith("-")) {
      const option = Object.entries(tableOf(command)).find(([name, spec]) => flagOf(name, spec) === word);
      if (option?.[1].value !== undefined) waiting = option;
    } else if (command !== undefined) positionals += 1;
    else if (isCommandName(word)) command = word;
  }
  return { command, positionals, waiting, readLock: () => readLockedNames(cwd, config) };
}

function tableOf(command: CommandName | undefined): OptionTable {
  return { ...(command === undefined ? {} : COMMANDS[command].options), ...GLOBAL_OPTIONS };
}

async function findCandidates(current: string, before: Before): Promise<readonly Candidate[]> {
  const { command, waiting, positionals, readLock } = before;
  if (waiting !== undefined) return valuesOf(waiting[0], readLock, waiting[1].choices);
  if (current.startsWith("-")) return listOptions(tableOf(command));
  if (command === undefined)
    return Object.entries(COMMANDS).map(([value, { summary }]) => ({ value, about: summary }));
  const places = Object.keys(COMMANDS[command].arguments ?? {});
  const place = places[positionals] ?? places.find((each) => each.includes("..."));
  return valuesOf(place?.replace(/[^a-z]/g, "") ?? "", readLock);
}

/** Returns what can stand for a positional argument or an option's value. */
async function valuesOf(
  name: string,
  readLock: Before["readLock"],
  choices: readonly string[] = [],
): Promise<readonly Candidate[]> {
  if (name === "server" || name === "tool") return (await readLock())[name];
  if (name === "rule" || name === "accept") return toCandidates(ALL_RULES.keys());
  return toCandidates(name === "shell" ? SHELLS : choices);
}

function toCandidates(values: Iterable<string>): readonly Candidate[] {
  return Array.from(values, (value) => ({ value }));
}

function listOptions(table: OptionTable): readonly Candidate[] {
  const candidates = Object.entries(table).flatMap(([name, spec]) =>
    allFlagsOf(name, spec).map((value, at) => ({
      value,
      about: at === 0 ? spec.help : `turn ${flagOf(name, spec)} off`,
    })),
  );
  return [...candidates, { value: "--help", about: "print help" }];
}

interface LockedNames {
  readonly server: readonly Candidate[];
  /** The names of tools, each as short as possible, with descriptions. */
  readonly tool: readonly Candidate[];
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
  return { server: [], tool: [] };
}

function namesIn(lock: JsonValue): LockedNames {
  const servers = objectIn(lock, "servers");
  const tools = Object.entries(servers).flatMap(([server, block]) =>
    Object.entries(objectIn(block, "tools"))
      .filter(([, tool]) => findOwn(tool, "unusable") === undefined)
      .map(([name, tool]) => {
        const about = findText(findOwn(tool, "definition"), "description");
        return { name: `${server}__${name}`, server, about };
      }),
  );
  const names = createToolNames(tools);
  return {
    server: toCandidates(Object.keys(servers)),
    tool: tools.map((tool) => ({ value: names.nameOf(tool), about: tool.about })),
  };
}

function objectIn(value: JsonValue | undefined, key: string): JsonObject {
  return objectOrEmpty(findOwn(value, key));
}
