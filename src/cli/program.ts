import { createRequire } from "node:module";
import type * as commander from "commander";
import { McpCodegenError } from "../contract/errors.js";
import { createContext, type GlobalOptions, type Runner, type Io } from "./context.js";
import { COMMANDS, type CommandName, type CommandOptions, type CommandSpec } from "./command-table.js";
import { GLOBAL_OPTIONS, helpOf, OPTIONS, type OptionName, type OptionSpec } from "./options.js";
import { readPackage } from "./read-package.js";
import { wrapLines } from "./wrap-lines.js";

type Runners = { readonly [C in CommandName]: () => Promise<Runner<C>> };

/** Loads the module of a command only when that command runs. */
const RUNNERS: Runners = {
  init: async () => (await import("./commands/init.js")).runInit,
  pull: async () => (await import("./commands/pull.js")).runPull,
  generate: async () => (await import("./commands/generate.js")).runGenerate,
  learn: async () => (await import("./commands/learn.js")).runLearn,
  check: async () => (await import("./commands/check.js")).runCheck,
  watch: async () => (await import("./commands/watch.js")).runWatch,
  diff: async () => (await import("./commands/diff.js")).runDiff,
  export: async () => (await import("./commands/export.js")).runExport,
  login: async () => (await import("./commands/login.js")).runLogin,
  logout: async () => (await import("./commands/logout.js")).runLogout,
  whoami: async () => (await import("./commands/whoami.js")).runWhoami,
  fix: async () => (await import("./commands/fix.js")).runFix,
  doctor: async () => (await import("./commands/doctor.js")).runDoctor,
  log: async () => (await import("./commands/log.js")).runLog,
  page: async () => (await import("./commands/page.js")).runPage,
  rules: async () => (await import("./commands/rules.js")).runRules,
  replay: async () => (await import("./commands/replay.js")).runReplay,
  explain: async () => (await import("./commands/explain.js")).runExplain,
  list: async () => (await import("./commands/list.js")).runList,
  search: async () => (await import("./commands/search.js")).runSearch,
  describe: async () => (await import("./commands/describe.js")).runDescribe,
  call: async () => (await import("./commands/call.js")).runCall,
  record: async () => (await import("./commands/record.js")).runRecord,
  completion: async () => (await import("./commands/completion.js")).runCompletion,
  serve: async () => (await import("./commands/serve.js")).runServe,
  mock: async () => (await import("./commands/mock.js")).runMock,
  "example-server": async () => (await import("./commands/example-server.js")).runExampleServer,
};

/** Parses the arguments, runs the command they name and returns its exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const { own, rest } = splitAtTool(argv);
  if (own.includes("--json") && (own.includes("--version") || own.includes("-V"))) {
    (await import("./print-version.js")).printVersion(io);
    return 0;
  }
  const commands = commandsIn(argv);
  const [command, ...others] = commands;
  // Load the module while the parser is created; its errors are reported when the command runs.
  if (command !== undefined && others.length === 0) void RUNNERS[command]().catch(() => undefined);
  // require() instead of import(): importing CommonJS scans it for exports first, which takes as long as running it.
  const parser = createRequire(import.meta.url)("commander") as typeof commander;
  let exitCode = 0;
  const program = createProgram(parser, io, { commands, rest }, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...own], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof parser.CommanderError) return exitCodeOf(error, argv);
    throw error;
  }
}

/** commander also throws for `--help` and `--version`, with exit code 0. */
function exitCodeOf(error: commander.CommanderError, argv: readonly string[]): number {
  if (error.exitCode === 0) return 0;
  // Without a command, the help is already on stderr.
  if (error.code === "commander.help") return 2;
  const [what = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const command = argv.find((argument) => Object.hasOwn(COMMANDS, argument));
  throw new McpCodegenError("USAGE", sentence(what), {
    hint:
      suggestion?.replace(/^\(|\)$/g, "") ??
      `Run "npx mcp-codegen ${command === undefined ? "" : `${command} `}--help".`,
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.?$/, ".").replaceAll("'", '"');
}

function createProgram(
  { Command, Option }: typeof commander,
  io: Io,
  { commands, rest }: { readonly commands: readonly CommandName[]; readonly rest: readonly string[] },
  onExit: (exitCode: number) => void,
): commander.Command {
  const addOptions = (command: commander.Command, names: readonly OptionName[], of?: CommandName): void => {
    for (const name of names) {
      const spec: OptionSpec = OPTIONS[name];
      const option = new Option(printFlag(spec), helpOf(spec, of));
      if (spec.repeatable === true) {
        option.argParser((value: string, before: readonly string[] | undefined) => [
          ...(before ?? []),
          value,
        ]);
      }
      command.addOption(spec.choices === undefined ? option : option.choices(spec.choices));
      if (spec.negatable === true)
        command.addOption(new Option(spec.flag.replace("--", "--no-"), `turn ${spec.flag} off`));
    }
  };
  const addCommand = <C extends CommandName>(name: C, load: Runners[C]): void => {
    const spec: CommandSpec = COMMANDS[name];
    const command = program
      .command(name)
      .summary(spec.summary)
      .description(spec.description.join(" "))
      .addHelpText("after", `\n${printExamples(spec)}`);
    for (const { name: argument, help } of spec.arguments ?? []) command.argument(argument, help);
    addOptions(command, spec.options, name);
    command.action(async () => {
      const { format } = command.opts<{ readonly format?: string }>();
      const context = createContext(io, program.opts<GlobalOptions>(), {
        isStdoutTaken: format !== undefined && format !== "text",
      });
      const runCommand = await load();
      onExit(await runCommand(context, [...command.args, ...rest], readOptions<C>(spec, command.opts())));
    });
  };

  const program = new Command("mcp-codegen")
    .description("Locks the tools of MCP servers and generates typed code from the lock.")
    .version(
      readPackage().version,
      "-V, --version",
      "print the version; with --json, all versions that a bug report needs",
    )
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(wrapLines(text.split("\n"), io.stdout).join("\n")),
      writeErr: (text) => io.stderr.write(wrapLines(text.split("\n"), io.stderr).join("\n")),
      // The caller reports errors, so commander prints none.
      outputError: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .addHelpText("after", `\n${TOUR}`);
  addOptions(program, GLOBAL_OPTIONS);
  for (const name of commands) addCommand(name, RUNNERS[name]);
  return program;
}

/** Keys options by their names in the table, since two commands may have different options with the same flag. */
function readOptions<C extends CommandName>(
  { options }: CommandSpec,
  parsed: { readonly [attribute: string]: unknown },
): CommandOptions<C> {
  const values = options.map((name) => [name, parsed[attributeOf(OPTIONS[name])]] as const);
  // The parser was configured from the same table, so the values have these types.
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as CommandOptions<C>;
}

/** The key that commander uses for an option. */
function attributeOf({ flag }: OptionSpec): string {
  return flag.replace(/^--(?:no-)?/, "").replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the command in the arguments, or all commands if there is none. Adding a command to the parser takes time. */
function commandsIn(argv: readonly string[]): readonly CommandName[] {
  const first = argv.find((argument) => !argument.startsWith("-"));
  const named = commandNames().filter((name) => name === first);
  return named.length > 0 && argv[0] === first ? named : commandNames();
}

/** Splits a command line of `call` or `record` after the tool's name: the parser reads only the first part. */
export function splitAtTool(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly rest: readonly string[];
} {
  const command = findPositional(argv, 0, GLOBAL_OPTIONS);
  const name = argv[command];
  if (name !== "call" && name !== "record") return { own: argv, rest: [] };
  const names = [...GLOBAL_OPTIONS, ...COMMANDS[name].options];
  const first = findPositional(argv, command + 1, names);
  const tool = name === "call" ? first : findPositional(argv, first + 1, names);
  return { own: argv.slice(0, tool + 1), rest: argv.slice(tool + 1) };
}

/** Returns the index of the first word that is neither an option nor an option's value. */
function findPositional(argv: readonly string[], from: number, names: readonly OptionName[]): number {
  const takers = new Set(
    names.flatMap((name) => {
      const { flag, value }: OptionSpec = OPTIONS[name];
      return value === undefined ? [] : [flag];
    }),
  );
  let at = from;
  while (argv[at]?.startsWith("-") === true) at += takers.has(argv[at] ?? "") ? 2 : 1;
  return at;
}

/** Returns the names of the commands in the order of the table. */
export function commandNames(): readonly CommandName[] {
  return Object.keys(COMMANDS).filter((name): name is CommandName => Object.hasOwn(COMMANDS, name));
}

/** Returns an option as help prints it: `--config <file>`. */
export function printFlag(spec: OptionSpec): string {
  return spec.value === undefined ? spec.flag : `${spec.flag} <${spec.value}>`;
}

function printExamples({ examples }: CommandSpec): string {
  const lines = examples.map(({ line, does }) => `  # ${does}\n  $ npx ${line}`);
  return `Examples:\n${lines.join("\n")}`;
}

const TOUR = `Examples:
  # try mcp-codegen: no network, no account
  $ npx mcp-codegen init --example --yes && npx mcp-codegen pull
  # in CI
  $ npx mcp-codegen check

Exit codes: 0 no findings, 1 findings, 2 invalid input, 3 could not check, 70 a bug in mcp-codegen.`;
