import { callCommand, recordCommand, replayCommand } from "./commands/call/spec.js";
import { checkCommand } from "./commands/check/spec.js";
import { exportCommand, fixCommand } from "./commands/code/spec.js";
import { completionCommand } from "./commands/completion.js";
import { diffCommand, explainCommand, logCommand, rulesCommand } from "./commands/drift/spec.js";
import { generateCommand, learnCommand } from "./commands/generate/spec.js";
import { loginCommand, logoutCommand, whoamiCommand } from "./commands/login/spec.js";
import { pageCommand } from "./commands/page/spec.js";
import { pullCommand, watchCommand } from "./commands/pull/spec.js";
import { exampleServerCommand, mockCommand, serveCommand } from "./commands/serve/spec.js";
import { doctorCommand, initCommand } from "./commands/setup/spec.js";
import { describeCommand, listCommand, searchCommand } from "./commands/tools/spec.js";

/** Every command, in the order of `--help` and `docs/cli.md`. */
export const COMMANDS = {
  init: initCommand,
  pull: pullCommand,
  generate: generateCommand,
  learn: learnCommand,
  check: checkCommand,
  watch: watchCommand,
  diff: diffCommand,
  fix: fixCommand,
  export: exportCommand,
  login: loginCommand,
  logout: logoutCommand,
  whoami: whoamiCommand,
  doctor: doctorCommand,
  log: logCommand,
  page: pageCommand,
  replay: replayCommand,
  rules: rulesCommand,
  explain: explainCommand,
  list: listCommand,
  search: searchCommand,
  describe: describeCommand,
  call: callCommand,
  record: recordCommand,
  serve: serveCommand,
  mock: mockCommand,
  completion: completionCommand,
  "example-server": exampleServerCommand,
} as const;

export type CommandName = keyof typeof COMMANDS;

/** Returns the names of the commands in the order of the table. */
export function commandNames(): readonly CommandName[] {
  return Object.keys(COMMANDS).filter(isCommandName);
}

export function isCommandName(text: string): text is CommandName {
  return Object.hasOwn(COMMANDS, text);
}
