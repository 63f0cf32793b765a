import { callCommand, recordCommand, replayCommand, runCommand } from "./commands/call/spec.js";
import { checkCommand } from "./commands/check/spec.js";
import { exportCommand, fixCommand, generateCommand, learnCommand } from "./commands/code/spec.js";
import {
  completionCommand,
  doctorCommand,
  initCommand,
  loginCommand,
  logoutCommand,
  whoamiCommand,
} from "./commands/setup/spec.js";
import { diffCommand, explainCommand, logCommand, rulesCommand } from "./commands/drift/spec.js";
import {
  contextCommand,
  describeCommand,
  listCommand,
  pageCommand,
  searchCommand,
} from "./commands/tools/spec.js";
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
    learn: learnCommand,
    rules: rulesCommand,
    explain: explainCommand,
  },
  "Calling tools": {
    list: listCommand,
    search: searchCommand,
    describe: describeCommand,
    call: callCommand,
    record: recordCommand,
    replay: replayCommand,
    run: runCommand,
  },
  "For agents": { serve: serveCommand, context: contextCommand, mock: mockCommand },
  "For teams": { export: exportCommand, page: pageCommand },
  "Set-up": {
    init: initCommand,
    doctor: doctorCommand,
    login: loginCommand,
    logout: logoutCommand,
    whoami: whoamiCommand,
    completion: completionCommand,
    "example-server": exampleServerCommand,
  },
} as const;

/** Every command, in the order of the groups. */
export const COMMANDS = {
  ...COMMAND_GROUPS["The contract"],
  ...COMMAND_GROUPS["Calling tools"],
  ...COMMAND_GROUPS["For agents"],
  ...COMMAND_GROUPS["For teams"],
  ...COMMAND_GROUPS["Set-up"],
} as const;

export type CommandName = keyof typeof COMMANDS;

/** Returns the names of the commands in the order of the table. */
export function commandNames(): readonly CommandName[] {
  return Object.keys(COMMANDS).filter(isCommandName);
}

export function isCommandName(text: string): text is CommandName {
  return Object.hasOwn(COMMANDS, text);
}

/** The command lines for words that people try, from other programs. */
export const WORDS_OF_OTHERS: { readonly [word: string]: string } = {
  accept: "pull",
  add: "init",
  auth: "login <server>",
  build: "generate",
  codegen: "generate",
  config: "init",
  create: "init",
  deprecations: "check",
  discover: "list --live",
  docs: "page",
  exec: "call <tool>",
  find: "search <words>",
  gen: "generate",
  help: "--help",
  history: "log <server>",
  html: "page",
  info: "describe <tool>",
  inspect: "describe <tool>",
  install: "pull",
  invoke: "call <tool>",
  lint: "check",
  lock: "pull",
  ls: "list",
  migrate: "fix",
  new: "init",
  outdated: "check",
  proxy: "serve",
  rename: "fix",
  server: "serve",
  servers: "list",
  setup: "init",
  show: "describe <tool>",
  snapshot: "pull",
  start: "serve",
  status: "check",
  sync: "pull",
  test: "check",
  tokens: "list --tokens",
  tools: "list",
  types: "generate",
  ui: "page --serve",
  update: "pull",
  upgrade: "pull --upgrade",
  validate: "check",
  verify: "check",
  version: "--version",
  waive: 'check --waive <finding> --reason "…"',
};
