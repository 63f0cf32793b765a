import { assertEnvFile } from "../config/variables.js";
import { listWords } from "../core/collections.js";
import { LOCKFILE_VERSION } from "../core/lockfile.js";
import { PROTOCOL_VERSIONS } from "../core/connection.js";
import { resolve } from "node:path";
import process from "node:process";
import { Command, CommanderError } from "commander";
import { printJson } from "../core/printable.js";
import type { DocumentOf } from "../report/documents.js";
import { EMIT_REVISION } from "../core/generated-file.js";
import { addOptions } from "./parse-options.js";
import { type AnyCommand, assertCompatible, usageError } from "./command-spec.js";
import {
  type CommandName,
  COMMAND_GROUPS,
  commandNames,
  COMMANDS,
  isCommandName,
  UNLISTED_COMMANDS,
  WORDS_OF_OTHERS,
} from "./command-table.js";
import { createCommandContext, type Io, readPackage } from "./context.js";
import {
  allFlagsOf,
  flagOf,
  GLOBAL_OPTIONS,
  type GlobalOptions,
  type OptionSpec,
  type OptionTable,
} from "./options.js";
import { columnsOf, wrapLines } from "./print-text.js";
import { toServerName } from "../core/tool-name.js";

/** Parses the arguments, runs the command they name and returns its exit code. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  const { own: before, rest } = splitAtTool(argv);
  assertValues(before);
  if (before.includes("--json") && (before.includes("--version") || before.includes("-V"))) {
    printVersions(io);
    return 0;
  }
  const [first = ""] = argv;
  // Adding a command to the parser takes time.
  const commands = isCommandName(first) ? [first] : commandNames();
  // Load the command while the parser is created; its errors are reported when the command runs.
  if (isCommandName(first)) void COMMANDS[first].load().catch(() => undefined);
  let exitCode = 0;
  const program = createProgram(io, { commands, rest }, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...before], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error, argv);
    throw error;
  }
}

function printVersions({ stdout }: Io): void {
  const document: DocumentOf<"version"> = {
    report: "version",
    exitCode: 0,
    name: "mcp-codegen",
    version: readPackage().version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    emitRevision: EMIT_REVISION,
    lockfileVersion: LOCKFILE_VERSION,
    protocolVersions: PROTOCOL_VERSIONS,
  };
  stdout.write(`${printJson(document)}\n`);
}

/** commander also throws for `--help` and `--version`, with exit code 0. */
function exitCodeOf(error: CommanderError, argv: readonly string[]): number {
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help") {
    // The help is already on stderr.
    if (!argv.includes("--json")) return 2;
    throw usageError("A command is missing.", 'Run "npx mcp-codegen --help".');
  }
  const [problem = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const [, word = ""] = error.code.startsWith("commander.unknown") ? (/'([^']*)'/.exec(problem) ?? []) : [];
  const meant = WORDS_OF_OTHERS.get(word.toLowerCase());
  if (meant !== undefined) throw usageError(sentence(problem), `Use "npx mcp-codegen ${meant}".`);
  const command = argv.find(isCommandName);
  const [waiting] = error.code === "commander.optionMissingArgument" ? (/--[\w-]+/.exec(problem) ?? []) : [];
  const [example] =
    command !== undefined && error.code === "commander.missingArgument"
      ? Object.keys(COMMANDS[command].examples)
      : [];
  const help = `Run "npx mcp-codegen ${command === undefined ? "" : `${command} `}--help".`;
  const owners = commandsWith(word);
  const hint =
    owners.length > 0 ? `${word} is an option of ${listWords(owners)}.` : suggestion?.replace(/^\(|\)$/g, "");
  throw usageError(
    sentence(waiting === undefined ? problem : `${waiting} needs a value`),
    hint ?? (example === undefined ? help : `For example: "npx ${example}".`),
  );
}

/** Returns the names of the commands that have an option. */
function commandsWith(flag: string): readonly CommandName[] {
  return commandNames().filter((name) => {
    const { options }: AnyCommand = COMMANDS[name];
    return Object.entries(options).some(([option, spec]) => allFlagsOf(option, spec).includes(flag));
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.?$/, ".").replaceAll("'", '"');
}

/** Names of servers may be written as they are in the configuration, with hyphens. */
function nameServers({ arguments: table = {} }: AnyCommand, args: readonly string[]): readonly string[] {
  const names = Object.keys(table);
  return args.map((text, at) =>
    (names[at] ?? names.at(-1))?.includes("server") === true ? toServerName(text) : text,
  );
}

function createProgram(
  io: Io,
  { commands, rest }: { readonly commands: readonly CommandName[]; readonly rest: readonly string[] },
  onExit: (exitCode: number) => void,
): Command {
  const addCommand = (name: CommandName, spec: AnyCommand, hidden = false): void => {
    const command = program
      .command(name, { hidden })
      .summary(spec.summary)
      .description(spec.description.join(" "))
      .addHelpText("after", `\n${ALSO}`);
    for (const [argument, help] of Object.entries(spec.arguments ?? {})) command.argument(argument, help);
    addOptions(command, spec.options);
    command.action(async () => {
      const options = command.opts<{ readonly format?: string }>();
      const values = program.opts<GlobalOptions>();
      assertCompatible(spec, { ...values, ...options });
      if (values.envFile !== undefined) await assertEnvFile(resolve(io.cwd, values.envFile));
      const { format = "text" } = options;
      const context = createCommandContext(io, values, { isStdoutTaken: format !== "text" });
      const runCommand = await spec.load();
      // The parser was configured from the table of this command, so the values have its types.
      const args = nameServers(spec, command.args);
      onExit(await runCommand(context, [...args, ...rest], options as never));
    });
  };

  const program = new Command("mcp-codegen")
    .description(SUMMARY)
    .version(
      readPackage().version,
      "-V, --version",
      "print the version; with --json, all versions that a bug report needs",
    )
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      optionTerm: ({ flags, long }) => {
        const options = commands.flatMap((name) => Object.entries<OptionSpec>(COMMANDS[name].options));
        const forms = options.map(([name, spec]) => allFlagsOf(name, spec));
        return forms.find(([flag, opposite]) => flag === long && opposite !== undefined)?.join(", ") ?? flags;
      },
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(wrapLines(text.split("\n"), io.stdout).join("\n")),
      writeErr: (text) => io.stderr.write(wrapLines(text.split("\n"), io.stderr).join("\n")),
      // The caller reports errors, so commander prints none.
      outputError: () => undefined,
      getOutHelpWidth: () => columnsOf(io.stdout) ?? 100,
      getErrHelpWidth: () => columnsOf(io.stderr) ?? 100,
    })
    .addHelpText("after", `\n${TOUR}`);
  addOptions(program, GLOBAL_OPTIONS);
  for (const [title, group] of Object.entries(COMMAND_GROUPS)) {
    program.commandsGroup(`${title}:`);
    for (const name of commands) if (Object.hasOwn(group, name)) addCommand(name, COMMANDS[name]);
  }
  for (const name of commands)
    if (Object.hasOwn(UNLISTED_COMMANDS, name)) addCommand(name, COMMANDS[name], true);
  return program;
}

/** Splits a command line of `call` after the tool's name: the parser reads only the first part. */
export function splitAtTool(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly rest: readonly string[];
} {
  const command = findPositional(argv, 0, GLOBAL_OPTIONS);
  if (argv[command] !== "call") return { own: argv, rest: [] };
  const tool = findPositional(argv, command + 1, { ...GLOBAL_OPTIONS, ...COMMANDS.call.options });
  return { own: argv.slice(0, tool + 1), rest: argv.slice(tool + 1) };
}

function findPositional(argv: readonly string[], from: number, table: OptionTable): number {
  const takers = takersIn(table);
  let at = from;
  while (argv[at]?.startsWith("-") === true) at += takers.has(argv[at] ?? "") ? 2 : 1;
  return at;
}

function takersIn(table: OptionTable): ReadonlySet<string> {
  return new Set(
    Object.entries(table).flatMap(([name, spec]) => (spec.value === undefined ? [] : flagOf(name, spec))),
  );
}

/** Throws `USAGE` for a value that looks like an option: the parser would read `--version` as one, and end with 0. */
function assertValues(argv: readonly string[]): void {
  const name = argv[findPositional(argv, 0, GLOBAL_OPTIONS)] ?? "";
  const takers = takersIn({ ...GLOBAL_OPTIONS, ...(isCommandName(name) && COMMANDS[name].options) });
  const end = argv.indexOf("--");
  for (const [at, flag] of argv.slice(0, end === -1 ? argv.length : end).entries()) {
    const value = argv[at + 1] ?? "";
    // A negative number is a value.
    if (!takers.has(flag) || !/^-[^\d.]/.test(value)) continue;
    throw usageError(
      `${flag} takes a value, and ${JSON.stringify(value)} looks like an option.`,
      `If it is the value, write ${flag}=${value}.`,
    );
  }
}

const GLOBAL = Object.entries(GLOBAL_OPTIONS).map(([name, spec]) => flagOf(name, spec));
const ALSO = `Also ${GLOBAL.join(", ")}: see "npx mcp-codegen --help".`;

const SUMMARY = `Locks the tools of MCP servers and generates typed code from the lock.

  $ npx mcp-codegen pull     read the servers' tools, and write the lock and the code
  $ npx mcp-codegen check    fail in CI when servers, lock and code no longer agree

To try it without a server or an account:

  $ npx mcp-codegen init --example --yes && npx mcp-codegen pull`;

const TOUR = `Run "npx mcp-codegen <command> --help" for the options of a command.

Exit codes: 0 no findings, 1 findings, 2 invalid input, 3 could not check, 70 a bug in mcp-codegen.`;
