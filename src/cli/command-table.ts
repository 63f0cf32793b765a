import { callCommand, recordCommand } from "./commands/call/spec.js";
import { checkCommand } from "./commands/check/spec.js";
import { completionCommand } from "./commands/completion.js";
import { describeCommand } from "./commands/describe/spec.js";
import { diffCommand } from "./commands/diff/spec.js";
import { doctorCommand } from "./commands/doctor/spec.js";
import { exampleServerCommand } from "./commands/example-server.js";
import { exportCommand } from "./commands/export/spec.js";
import { fixCommand } from "./commands/fix/spec.js";
import { generateCommand } from "./commands/generate/spec.js";
import { initCommand } from "./commands/init/spec.js";
import { learnCommand } from "./commands/learn/spec.js";
import { listCommand } from "./commands/list/spec.js";
import { logCommand } from "./commands/log/spec.js";
import { loginCommand, logoutCommand, whoamiCommand } from "./commands/login/spec.js";
import { mockCommand } from "./commands/mock/spec.js";
import { pageCommand } from "./commands/page/spec.js";
import { pullCommand } from "./commands/pull/spec.js";
import { replayCommand } from "./commands/replay/spec.js";
import { explainCommand, rulesCommand } from "./commands/rules/spec.js";
import { searchCommand } from "./commands/search/spec.js";
import { serveCommand } from "./commands/serve/spec.js";
import { watchCommand } from "./commands/watch/spec.js";

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
