import { callCommand, replayCommand, runCommand } from "./commands/call/spec.js";
import { checkCommand } from "./commands/check/spec.js";
import { fixCommand, generateCommand } from "./commands/code/spec.js";
import { completionCommand, doctorCommand, initCommand, loginCommand } from "./commands/setup/spec.js";
import { diffCommand, explainCommand, logCommand } from "./commands/drift/spec.js";
import { describeCommand, listCommand, pageCommand, searchCommand } from "./commands/tools/spec.js";
import { pullCommand, watchCommand } from "./commands/pull/spec.js";
import { exampleServerCommand, mockCommand, serveCommand } from "./commands/serve/spec.js";

/** The commands by the group that `--help` and `docs/cli.md` show them in. */
export const COMMAND_GROUPS = {
  "The contract": {
    pull: pullCommand,
    generate: generateCommand,
    check: checkCommand,
    diff: diffCommand,
    log: logCommand,
    watch: watchCommand,
    fix: fixCommand,
    explain: explainCommand,
  },
  "Calling tools": {
    list: listCommand,
    search: searchCommand,
    describe: describeCommand,
    call: callCommand,
    replay: replayCommand,
    run: runCommand,
  },
  "For agents": { serve: serveCommand, mock: mockCommand },
  "For teams": { page: pageCommand },
  "Set-up": { init: initCommand, doctor: doctorCommand, login: loginCommand },
} as const;

/** Commands that work, and that `--help` does not list. */
export const UNLISTED_COMMANDS = {
  completion: completionCommand,
  "example-server": exampleServerCommand,
} as const;

/** Every command, in the order of the groups. */
export const COMMANDS = {
  ...COMMAND_GROUPS["The contract"],
  ...COMMAND_GROUPS["Calling tools"],
  ...COMMAND_GROUPS["For agents"],
  ...COMMAND_GROUPS["For teams"],
  ...COMMAND_GROUPS["Set-up"],
  ...UNLISTED_COMMANDS,
} as const;

export type CommandName = keyof typeof COMMANDS;

/** Returns the names of the commands in the order of the table. */
export function commandNames(): readonly CommandName[] {
  return Object.keys(COMMANDS).filter(isCommandName);
}

export function isCommandName(text: string): text is CommandName {
  return Object.hasOwn(COMMANDS, text);
}

/** The words and options that people try, from other programs and earlier versions, by the command line that is meant. */
const WORDS: { readonly [line: string]: string } = {
  pull: "accept install lock snapshot sync update --no-php",
  init: "add config create new setup",
  "login <server>": "auth",
  "login --list": "whoami",
  "login --out <server>": "logout",
  generate: "build codegen gen types --no-full",
  "generate --learn": "learn",
  check: "deprecations lint outdated status test validate verify",
  "check --against <lock>": "export",
  "list --live": "discover",
  "list --context": "context",
  explain: "rules",
  page: "docs html",
  "call --record <server>__<tool>": "record",
  "call <tool>": "exec invoke",
  "search <words>": "find",
  "--help": "help",
  "log <server>": "history",
  "replay <changes>": "--journal",
  "describe <tool>": "info inspect show",
  list: "ls servers tools",
  fix: "migrate rename",
  serve: "proxy server start",
  "list --tokens": "tokens",
  "page --serve": "ui",
  "pull --upgrade": "upgrade",
  "--version": "version",
  'check --waive <finding> --reason "…"': "waive",
};

/** The command line for each of these words. */
export const WORDS_OF_OTHERS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([line, words]) => words.split(" ").map((word) => [word, line])),
);
