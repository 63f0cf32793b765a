import { type CommandName, COMMANDS, isCommandName } from "../command-table.js";
import { SHELLS } from "../commands/completion.js";
import { allFlagsOf, flagOf, GLOBAL_OPTIONS, type OptionSpec, type OptionTable } from "../options.js";
import type { Candidate, CompletableTool, LockedNames, ToolFlags } from "./locked-tools.js";

/** Sources of names that are not in the tables; each is read only if needed. */
export interface CompletionSources {
  readonly lock: (config: string | undefined) => Promise<LockedNames>;
  readonly flags: (tool: CompletableTool) => Promise<ToolFlags>;
  readonly rules: () => Promise<readonly string[]>;
}

/** The words before the cursor, as the parser reads them. */
interface Before {
  readonly command?: CommandName | undefined;
  readonly positionals: readonly string[];
  readonly config?: string | undefined;
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
export async function completeWords(
  words: readonly string[],
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const before = readBefore(words.slice(0, -1));
  const found = await findCandidates(words, current, before, sources);
  const fitting = found.filter(({ value }) => value.startsWith(current) && isTypeable(value));
  return [...new Map(fitting.map((candidate) => [candidate.value, candidate])).values()];
}

async function findCandidates(
  words: readonly string[],
  current: string,
  before: Before,
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  const { command, waiting } = before;
  const called = calledTool(before);
  if (called !== undefined) return completeCall(words, current, { ...before, ...called }, sources);
  if (waiting !== undefined) return valuesOf(waiting, before, sources);
  if (command === undefined) {
    return current.startsWith("-") ? options(GLOBAL_OPTIONS) : commands();
  }
  const table = tableOf(command);
  const [flag = "", ...rest] = current.split("=");
  const given = rest.length > 0 ? findOption(flag, table) : undefined;
  if (given !== undefined) return prefixed(`${flag}=`, await valuesOf(given, before, sources));
  if (current.startsWith("-")) return options(table);
  return completePositional(COMMANDS[command].arguments ?? [], before, sources);
}

interface CalledTool {
  readonly caller: "call" | "record";
  readonly tool: string;
}

/** The tool whose flags follow; undefined before its name. */
function calledTool({ command, positionals }: Before): CalledTool | undefined {
  const [first, second] = positionals;
  if (command === "call" && first !== undefined) return { caller: command, tool: first };
  if (command !== "record" || first === undefined || second === undefined) return undefined;
  return { caller: command, tool: `${first}__${second}` };
}

function readBefore(words: readonly string[]): Before {
  let command: CommandName | undefined;
  let config: string | undefined;
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) {
      if (command !== undefined) positionals.push(word);
      else command = isCommandName(word) ? word : undefined;
      // The words after the tool's name are its flags.
      if (calledTool({ positionals, command }) !== undefined) break;
      continue;
    }
    const option = findOption(word, tableOf(command));
    if (option?.[1].value === undefined) continue;
    const value = words[(at += 1)];
    if (value === undefined) return { command, positionals, config, waiting: option };
    if (option[0] === "config") config = value;
  }
  return { command, positionals, config };
}

/** Completes after a tool's name: its flags, options of the command without a parameter of the same name, and flag values. */
async function completeCall(
  words: readonly string[],
  current: string,
  { config, caller, tool: name }: Before & CalledTool,
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  const tool = (await sources.lock(config)).find(name);
  if (tool === undefined) return [];
  const flags = await sources.flags(tool);
  const { json, color } = GLOBAL_OPTIONS;
  const own = Object.entries<OptionSpec>({ ...COMMANDS[caller].options, json, color }).filter(
    ([one, spec]) => !flags.has(flagOf(one, spec).slice("--".length)),
  );
  const [flag = "", ...rest] = current.split("=");
  if (current.startsWith("--") && rest.length > 0) return prefixed(`${flag}=`, flags.values(flag) ?? []);
  if (current.startsWith("-")) return [...flags.names(current), ...options(Object.fromEntries(own))];
  const last = words.at(-2) ?? "";
  const isFlag = words.length > 2 && last.startsWith("--") && !last.includes("=");
  const values = isFlag ? flags.values(last) : undefined;
  return values ?? [];
}

async function completePositional(
  expected: readonly { readonly name: string }[],
  { positionals, config }: Before,
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  const place = expected[Math.min(positionals.length, expected.length - 1)];
  if (place === undefined || (positionals.length >= expected.length && !place.name.includes("...")))
    return [];
  switch (place.name.replace(/[^a-z]/g, "")) {
    case "server":
      return (await sources.lock(config)).servers.map((value) => ({ value }));
    case "tool":
      return (await sources.lock(config)).tools.map(({ shown, description }) => ({
        value: shown,
        about: description,
      }));
    case "rule":
      return (await sources.rules()).map((value) => ({ value }));
    case "shell":
      return SHELLS.map((value) => ({ value }));
    default:
      return [];
  }
}

async function valuesOf(
  [name, { choices = [] }]: NamedOption,
  { config }: Before,
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  if (name === "server") return (await sources.lock(config)).servers.map((value) => ({ value }));
  if (name === "accept") return (await sources.rules()).map((value) => ({ value }));
  return choices.map((value) => ({ value }));
}

function commands(): readonly Candidate[] {
  return Object.entries(COMMANDS).map(([value, { summary }]) => ({ value, about: summary }));
}

function options(table: OptionTable): readonly Candidate[] {
  const own = Object.entries(table).flatMap(([name, spec]): readonly Candidate[] => {
    const [flag = "", ...opposites] = allFlagsOf(name, spec);
    return [
      { value: flag, about: spec.help },
      ...opposites.map((value) => ({ value, about: `turn ${flag} off` })),
    ];
  });
  return [...own, { value: "--help", about: "print help" }];
}

function prefixed(prefix: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }));
}

/** Whether a name has only visible characters. A line break would also split the candidate. */
function isTypeable(value: string): boolean {
  return value !== "" && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value);
}
