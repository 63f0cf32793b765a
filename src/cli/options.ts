/**
 * Every option of the command line. The parser, its types, `--help` and `docs/cli.md` use this table and the one in
 * `command-table.ts`.
 */
export interface OptionSpec {
  readonly flag: string;
  /** The name of its value in help; absent for a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** A switch that also has a `--no-` form. */
  readonly negatable?: boolean;
  /** Whether the option can be repeated; its value is then a list. */
  readonly repeatable?: boolean;
  readonly help: string;
  /** By command: the help where the option does something else there. */
  readonly helpIn?: { readonly [command: string]: string };
}

/** Returns the help of an option in a command. */
export function helpOf({ help, helpIn = {} }: OptionSpec, command?: string): string {
  return (command === undefined ? undefined : helpIn[command]) ?? help;
}

export const OPTIONS = {
  config: {
    flag: "--config",
    value: "file",
    help: "use this configuration file instead of searching for one",
  },
  envFile: {
    flag: "--env-file",
    value: "file",
    help: "read variables from this file; they override .env.local and .env",
  },
  json: {
    flag: "--json",
    help: "print one JSON object to stdout and all other output to stderr",
  },
  verbose: {
    flag: "--verbose",
    help: "print the stderr of started servers, each line with the server's name",
  },
  color: { flag: "--no-color", help: "disable colours (same as NO_COLOR)" },
  interval: {
    flag: "--interval",
    value: "seconds",
    help: "read servers that send no notifications this often (default: as long as the server calls its list fresh, else 30)",
  },
  checkOnly: { flag: "--check", help: "write nothing, and report drift as check does" },
  server: {
    flag: "--server",
    value: "command or URL",
    help: "a server's command or URL, used without a configuration and without writing files; or the name of a configured server",
  },
  header: {
    flag: "--header",
    value: "name: value",
    repeatable: true,
    help: "with --server and a URL: a header to send; ${NAME} is replaced by the environment variable (repeatable)",
  },
  bearer: {
    flag: "--bearer",
    value: "token",
    help: "with --server and a URL: the bearer token to send; ${NAME} is replaced by the environment variable",
  },
  dryRun: { flag: "--dry-run", help: "print the planned changes without making them" },
  frozen: {
    flag: "--frozen",
    negatable: true,
    help: "write nothing, and exit 1 if there is anything to write (default when CI is set, unless --accept is given)",
  },
  rename: {
    flag: "--rename",
    value: "server/old=new",
    repeatable: true,
    help: "apply this rename, which is a guess; of a property: server/tool.old=new; of a value: server/tool.property:old=new (repeatable)",
  },
  write: { flag: "--write", help: "edit the files" },
  accept: {
    flag: "--accept",
    value: "finding",
    repeatable: true,
    help: "accept one security finding by its id from a report, or all findings of a rule (repeatable)",
  },
  from: {
    flag: "--from",
    value: "folder",
    repeatable: true,
    help: "read the cassettes in and below this folder instead of those of the configuration (repeatable)",
  },
  fresh: {
    flag: "--fresh",
    help: "forget what was learned before, so that types can become narrower",
  },
  reason: {
    flag: "--reason",
    value: "text",
    help: "why the findings are accepted or waived; saved in mcp-codegen.waivers.json",
  },
  waive: {
    flag: "--waive",
    value: "rule...",
    repeatable: true,
    help: "waive the findings of this rule, or only those of one tool if its name follows; requires --until and --reason, and writes mcp-codegen.waivers.json",
  },
  until: {
    flag: "--until",
    value: "date",
    help: "with --waive: the last day of the waiver, such as 2027-06-30",
  },
  remove: {
    flag: "--remove",
    help: "remove servers that are no longer configured from the lock, with their generated files (a terminal asks instead)",
  },
  prelude: {
    flag: "--prelude",
    help: 'make the calls of "prelude" before a list, and remember that they were confirmed (a terminal asks instead)',
  },
  browser: { flag: "--no-browser", help: "open no browser, and print the address of the login page" },
  wait: { flag: "--wait", value: "seconds", help: "time limit for the login (default: 300)" },
  pageFile: {
    flag: "--out",
    value: "file",
    help: "the file to write (default: mcp-codegen.html beside the configuration)",
  },
  serve: {
    flag: "--serve",
    help: "write no file; show the page on a loopback port, and reload it when the lock changes",
  },
  port: { flag: "--port", value: "port", help: "with --serve: the port (default: a free one)" },
  open: { flag: "--open", help: "open the page in your browser" },
  next: { flag: "--next", help: "serve the next version of the example, in which two tools changed" },
  force: {
    flag: "--force",
    help: "overwrite generated files that were edited by hand",
    helpIn: { fix: "edit files with uncommitted changes, too" },
  },
  full: {
    flag: "--full",
    negatable: true,
    help: "render every file, even if its header matches",
    helpIn: { check: "render every file, even if its header matches (default when CI is set)" },
  },
  offline: {
    flag: "--offline",
    help: "compare the lock only with files, and contact no server",
    helpIn: { doctor: "contact no server; examine everything else" },
  },
  against: {
    flag: "--against",
    value: "git-ref",
    help: "compare the lock (with --php, the PHP) with the lock at a git ref, and contact no server",
    helpIn: { fix: "the git ref of the lock that your code was written for (default: HEAD)" },
  },
  env: {
    flag: "--env",
    value: "name",
    help: "use this environment of the server",
    helpIn: {
      check: 'use this environment of each server; "all" compares every environment',
      list: 'use this environment of each server; "all" compares every environment',
      serve: "use this environment of each server",
      replay: "make the calls in this environment of each server",
    },
  },
  php: {
    flag: "--php",
    negatable: true,
    help: "read abilities from the PHP that registers them, and contact no server",
    helpIn: {
      check:
        "read abilities from the PHP that registers them, and contact no server; with --env, compare with that environment too (default for servers with php when CI is set)",
    },
  },
  allowUnresolved: {
    flag: "--allow-unresolved",
    help: "exit 0 even if some abilities cannot be resolved because code that their PHP needs is missing",
  },
  limit: { flag: "--limit", value: "number", help: "maximum number of versions to print (default: 20)" },
  failOn: {
    flag: "--fail-on",
    value: "class",
    choices: ["any", "dangerous", "breaking", "consumer", "never"],
    help: "exit 1 for changes of this class or worse (unproved changes count as breaking), or with consumer, for those that break a known consumer (default: check.failOn in the configuration, else any)",
  },
  consumers: {
    flag: "--consumers",
    value: "files",
    repeatable: true,
    help: "report which consumers each change breaks: files that export wrote, as a path or a glob pattern (repeatable; default: check.consumers in the configuration)",
  },
  live: {
    flag: "--live",
    help: "list the current tools of the servers, and mark tools that differ from the lock",
  },
  raw: {
    flag: "--raw",
    help: 'print the tool list of one server as JSON, for diff or for a server\'s "file" key',
  },
  fidelity: {
    flag: "--fidelity",
    help: "show how many tools have exact schemas, and why the others are approximate",
  },
  tokens: {
    flag: "--tokens",
    help: "sort tools by the tokens that their definitions cost a model, with a sum for each category",
  },
  impact: {
    flag: "--impact",
    negatable: true,
    help: "find the lines of your TypeScript that each change breaks (default if ts-morph and a tsconfig.json are found)",
  },
  project: {
    flag: "--project",
    value: "tsconfig",
    help: "the TypeScript project to search for call sites (default: the nearest to the output folder)",
    helpIn: { fix: "the TypeScript project to edit (default: the nearest to the output folder)" },
  },
  consumer: {
    flag: "--consumer",
    value: "name",
    help: "the name that the providers' reports give to this project (default: the name in package.json)",
  },
  consumerFile: {
    flag: "--out",
    value: "file",
    help: "the file to write (default: mcp-codegen.consumer.json beside the configuration)",
  },
  paths: { flag: "--paths", help: "also write the paths of the files that use each tool" },
  checkConsumer: { flag: "--check", help: "write nothing; exit 1 if the file is out of date" },
  usesProject: {
    flag: "--project",
    value: "tsconfig",
    help: "the TypeScript project to analyse (default: the nearest to the output folder)",
  },
  format: {
    flag: "--format",
    value: "format",
    choices: ["text", "json", "markdown", "github", "sarif", "junit", "html"],
    help: "the report format on stdout (default: text; json is the same as --json)",
  },
  report: {
    flag: "--report",
    value: "format=file",
    repeatable: true,
    help: "also write a report to a file (repeatable)",
  },
  yes: { flag: "--yes", help: "accept the defaults without asking" },
  journal: {
    flag: "--journal",
    value: "file",
    help: "the file that records the replay (default: next to <changes>, one for each environment)",
  },
  references: {
    flag: "--references",
    value: "file",
    help: "a JSON file that lists which arguments are ids created by earlier calls",
  },
  skip: { flag: "--skip", value: "step", repeatable: true, help: "skip this step (repeatable)" },
  allow: {
    flag: "--allow",
    value: "conflict",
    repeatable: true,
    help: "replay despite conflicts of this kind, such as foreign-id (repeatable)",
  },
  mark: {
    flag: "--mark",
    value: "step=outcome",
    repeatable: true,
    help: "resolve a step whose outcome is unknown: done, done=<its result as JSON>, retry or skip (repeatable)",
  },
  category: { flag: "--category", value: "name", help: "only tools of this category" },
  serverFilter: {
    flag: "--server",
    value: "name",
    repeatable: true,
    help: "only tools of this configured server (repeatable), or of the server with this command or URL",
  },
  maxTools: {
    flag: "--limit",
    value: "number",
    help: "maximum number of tools to print (default: 10, or all tools of a category)",
  },
  outputFormat: {
    flag: "--format",
    value: "format",
    choices: ["text", "schema", "typescript"],
    help: "text (default), the published schemas as JSON, or TypeScript signatures",
  },
  input: {
    flag: "--input",
    value: "json",
    help: "arguments as a JSON object, @file, or - for stdin; flags override its values",
  },
  timeout: { flag: "--timeout", value: "seconds", help: "time limit for the call (default: 60)" },
  save: {
    flag: "--save",
    value: "folder",
    help: "save images, audio and files from the result to this folder",
  },
  cassette: {
    flag: "--cassette",
    value: "folder",
    help: 'record in this folder (default: the first of "cassettes" in the configuration, or cassettes/)',
  },
  answerFrom: {
    flag: "--cassette",
    value: "folder",
    help: "answer calls that were recorded in this folder from there",
  },
  fromLock: {
    flag: "--from",
    value: "lock",
    help: "serve the definitions of this lockfile instead of the project's",
  },
  changeAfter: {
    flag: "--change-after",
    value: "calls",
    help: "with --from: serve the project's lock first, and change to the other one after this number of calls",
  },
  seed: { flag: "--seed", value: "text", help: "another seed gives other answers (default: 1)" },
  latency: { flag: "--latency", value: "ms", help: "wait before each answer" },
  fail: {
    flag: "--fail",
    value: "rate",
    help: "let this share of the calls fail, from 0 to 1; the same calls for a seed",
  },
  boundary: {
    flag: "--boundary",
    help: "answer with the least and the most that the schemas allow, null, and empty texts and lists",
  },
  answer: {
    flag: "--answer",
    value: "key=value",
    repeatable: true,
    help: "answer a question of the tool: a field of its form, or action=accept, action=decline or action=cancel (repeatable)",
  },
  confirmed: {
    flag: "--yes",
    help: "call without asking, whatever the tool does",
  },
  renamesUnasked: { flag: "--yes", help: "ask nothing: guesses are listed and not applied" },
  replayConfirmed: { flag: "--yes", help: "replay without asking" },
  http: {
    flag: "--http",
    value: "port",
    help: "serve Streamable HTTP on this port instead of stdio; 0 picks a free port",
  },
  host: {
    flag: "--host",
    value: "address",
    help: "with --http: the address to listen on (default: 127.0.0.1, reachable only from this machine)",
  },
  prefix: {
    flag: "--prefix",
    value: "text",
    help: "prefix for the names of the served tools, as in wp_execute",
  },
  direct: {
    flag: "--direct",
    help: "serve the locked tools directly instead of the five meta-tools",
  },
  role: {
    flag: "--role",
    value: "name",
    help: "also apply this role of the configuration's policy",
  },
  allowUnlocked: {
    flag: "--allow-unlocked",
    help: "also use tools that are not in the lock or whose definition differs from it; for development",
  },
  example: { flag: "--example", help: "configure the example server that ships with mcp-codegen" },
} as const;

type Options = typeof OPTIONS;
export type OptionName = keyof Options;

type OptionValue<O> = O extends { readonly choices: readonly (infer C)[] }
  ? C
  : O extends { readonly repeatable: true }
    ? readonly string[]
    : O extends { readonly value: string }
      ? string
      : boolean;

/** Parsed options of a command; an option that is not on the command line is absent. */
export type OptionValues<N extends OptionName> = { readonly [K in N]?: OptionValue<Options[K]> };

export const GLOBAL_OPTIONS: readonly OptionName[] = ["config", "envFile", "json", "verbose", "color"];
