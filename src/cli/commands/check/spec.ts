import { defineCommand } from "../../command-spec.js";
import { type OptionTable, REPORT_FLAGS, SHARED } from "../../options.js";

export const CHECK_FLAGS = {
  offline: { help: "compare the lock only with files" },
  php: {
    negatable: true,
    help: "read abilities from PHP instead of servers",
    more: "; with --env, compare with that environment too (default for servers with php when CI is set)",
  },
  full: {
    negatable: true,
    help: "render every file, even if its header matches",
    more: " (when CI is set: those that no earlier run rendered)",
  },
  against: {
    value: "lock",
    help: "compare with the lock at this git ref, file or URL",
    more: ": the lock here, or with --php the PHP; contact no server",
  },
  env: { ...SHARED.env, help: 'compare this environment of each server, or "all"' },
  ...REPORT_FLAGS,
  waive: {
    value: "rule...",
    repeatable: true,
    help: "waive this rule, for the tool named next or for all",
    more: "; requires --until and --reason",
  },
  until: { value: "date", help: "the last day of the waiver, such as 2027-06-30" },
  reason: SHARED.reason,
  unwaive: {
    value: "rule...",
    repeatable: true,
    help: "remove waivers of this rule, before the check",
    more: ", for all tools or the one named next (and its path)",
  },
  allowUnresolved: SHARED.allowUnresolved,
  impact: {
    negatable: true,
    help: "list the lines of your code that each change breaks",
    more: " (default with ts-morph and a tsconfig.json)",
  },
  project: SHARED.project,
  hosts: {
    value: "names",
    repeatable: true,
    help: "report what these hosts refuse, as anthropic,cursor",
    more: " (repeatable; default: hosts in the configuration)",
  },
} as const satisfies OptionTable;

/** What options for the changes of servers exclude. */
const COMPARING = { excludes: ["--offline"], unless: "--against", because: ", which compares no servers" };

export const checkCommand = defineCommand({
  summary: "compare servers, lock and code; exit 1 if they differ",
  description: [
    "Reports drift between the servers and the lock, generated files that are old or were edited by hand, names of",
    "tools in files that agents read and recorded calls that the lock contradicts, exceeded token budgets, and tools",
    "that hosts refuse. Exit codes: 0 no findings, 1 findings, 2 invalid input, 3 something could not be checked.",
  ],
  arguments: { "[server...]": "names of configured servers (default: all)" },
  options: CHECK_FLAGS,
  conflicts: [
    { option: "--project", excludes: ["--no-impact"] },
    { option: "--impact", ...COMPARING },
    { option: "--project", ...COMPARING },
    { option: "--php", excludes: ["--offline"], because: ", which reads no PHP" },
    { option: "--waive", excludes: ["--unwaive"] },
    { option: "--env", excludes: ["--against", "--offline"], because: ", which contacts no server" },
  ],
  examples: {
    "mcp-codegen check --offline": "compare the lock only with files; fast enough for every commit",
  },
  load: async () => (await import("./run.js")).runCheck,
});
