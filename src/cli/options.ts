/**
 * Every command, option and example of the command line. The parser, its types, `--help` and `docs/cli.md` are all
 * read from here.
 */
export interface OptionSpec {
  readonly flag: string;
  /** What the option takes; an option without one is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** A switch that also has a `--no-` form. */
  readonly negatable?: boolean;
  /** Whether it may be given several times; then its value is a list. */
  readonly repeatable?: boolean;
  readonly help: string;
}

export interface CommandSpec {
  readonly summary: string;
  /** A line each, to be joined by spaces. */
  readonly description: readonly string[];
  readonly alias?: string;
  /** Positional arguments in their order, as commander writes them. */
  readonly arguments?: readonly { readonly name: string; readonly help: string }[];
  readonly options: readonly OptionName[];
  readonly examples: readonly { readonly line: string; readonly does: string }[];
}

export const OPTIONS = {
  config: {
    flag: "--config",
    value: "file",
    help: "read this configuration instead of looking for one",
  },
  envFile: {
    flag: "--env-file",
    value: "file",
    help: "read variables from this file, above .env.local and .env",
  },
  json: {
    flag: "--json",
    help: "print one JSON object on stdout, everything for people on stderr",
  },
  verbose: {
    flag: "--verbose",
    help: "print what started servers write to stderr as they write it, with their names in front",
  },
  color: { flag: "--no-color", help: "print without colours (as NO_COLOR does)" },
  server: {
    flag: "--server",
    value: "command or URL",
    help: "a server by its command or URL, without any configuration and without writing; or a configured one by its name",
  },
  header: {
    flag: "--header",
    value: "name: value",
    repeatable: true,
    help: "with --server and a URL: a header to send; ${NAME} takes the value from the environment",
  },
  bearer: {
    flag: "--bearer",
    value: "token",
    help: "with --server and a URL: the bearer token to send; ${NAME} takes it from the environment",
  },
  dryRun: { flag: "--dry-run", help: "print what would be done, and do nothing" },
  frozen: {
    flag: "--frozen",
    negatable: true,
    help: "exit 1 instead of writing (default when CI is set, unless --accept is given)",
  },
  accept: {
    flag: "--accept",
    value: "finding",
    repeatable: true,
    help: "accept one security finding, by the digits in a report, or all of a rule (repeatable)",
  },
  reason: {
    flag: "--reason",
    value: "text",
    help: "why the findings are accepted or waived; it is kept in mcp-codegen.waivers.json",
  },
  waive: {
    flag: "--waive",
    value: "rule...",
    repeatable: true,
    help: "waive the findings of this rule, in one tool if its name follows: writes mcp-codegen.waivers.json (with --until and --reason)",
  },
  until: {
    flag: "--until",
    value: "date",
    help: "with --waive: the last day on which it holds, such as 2027-06-30",
  },
  remove: {
    flag: "--remove",
    help: "remove servers that are no longer configured from the lock, with their files (asked on a terminal)",
  },
  next: { flag: "--next", help: "serve the next version, in which two tools changed" },
  force: { flag: "--force", help: "overwrite generated files that were edited by hand" },
  full: {
    flag: "--full",
    negatable: true,
    help: "render every file, trusting no header (default of check when CI is set)",
  },
  offline: { flag: "--offline", help: "compare lock and files only; ask no server" },
  against: {
    flag: "--against",
    value: "git-ref",
    help: "compare the lock, or PHP with --php, with the lock at a git ref; ask no server",
  },
  env: {
    flag: "--env",
    value: "name",
    help: "the environment of each server that is meant; check and list also take all: every environment, side by side",
  },
  php: {
    flag: "--php",
    negatable: true,
    help: "read abilities from the PHP that registers them, and ask no server, or with --env beside it (check: default for servers with php when CI is set)",
  },
  compare: {
    flag: "--compare",
    help: "with --php: run the plugins in the stub of WordPress too, and exit 3 where it differs from the WordPress of php.wordpress or php.command",
  },
  allowUnresolved: {
    flag: "--allow-unresolved",
    help: "exit 0 although it is not known what some abilities are: what their PHP needs is not there",
  },
  limit: { flag: "--limit", value: "number", help: "print at most this many versions (default: 20)" },
  failOn: {
    flag: "--fail-on",
    value: "class",
    choices: ["any", "dangerous", "breaking", "never"],
    help: "the mildest change that fails (default: the configuration's check.failOn, else any)",
  },
  live: {
    flag: "--live",
    help: "ask the servers what tools they have now, and mark those that differ from the lock",
  },
  raw: {
    flag: "--raw",
    help: "print the tool list of one server as JSON, to save for diff or for the file key of a server",
  },
  fidelity: {
    flag: "--fidelity",
    help: "say how many tools have schemas that accept just what the server accepts, and why others have not",
  },
  tokens: {
    flag: "--tokens",
    help: "sort by what tools cost a model to know, with the sum of each category",
  },
  impact: {
    flag: "--impact",
    negatable: true,
    help: "find what each change breaks in your own TypeScript, by file and line (default where ts-morph and a tsconfig.json are there)",
  },
  project: {
    flag: "--project",
    value: "tsconfig",
    help: "the TypeScript project to look for call sites in (default: the nearest to the output folder)",
  },
  format: {
    flag: "--format",
    value: "format",
    choices: ["text", "json", "markdown", "github", "sarif", "junit"],
    help: "what stdout gets (default: text; json is what --json prints)",
  },
  report: {
    flag: "--report",
    value: "format=file",
    repeatable: true,
    help: "write a report to a file as well; may be given several times",
  },
  yes: { flag: "--yes", help: "ask nothing and take the defaults" },
  journal: {
    flag: "--journal",
    value: "file",
    help: "where the replay is recorded (default: beside the changes, by environment)",
  },
  references: {
    flag: "--references",
    value: "file",
    help: "a JSON file that says which arguments are ids of what earlier calls created",
  },
  skip: { flag: "--skip", value: "step", repeatable: true, help: "leave this step out" },
  allow: {
    flag: "--allow",
    value: "conflict",
    repeatable: true,
    help: "replay in spite of conflicts of this kind, such as foreign-id",
  },
  mark: {
    flag: "--mark",
    value: "step=outcome",
    repeatable: true,
    help: "what became of a step whose outcome is unknown: done, done={its result as JSON}, retry or skip",
  },
  category: { flag: "--category", value: "name", help: "tools of this category alone" },
  ofServer: {
    flag: "--server",
    value: "name",
    repeatable: true,
    help: "tools of this server alone (several times for several), or of the server with this command or URL",
  },
  most: {
    flag: "--limit",
    value: "number",
    help: "print at most this many tools (default: 10, or all of a category)",
  },
  shownAs: {
    flag: "--format",
    value: "format",
    choices: ["text", "schema", "typescript"],
    help: "text for people (default), the published schemas as JSON, or signatures of TypeScript",
  },
  input: {
    flag: "--input",
    value: "json",
    help: "the arguments as a JSON object, @ and the name of a file with it, or - for stdin; flags are laid over them",
  },
  timeout: { flag: "--timeout", value: "seconds", help: "how long the call may take (default: 60)" },
  save: {
    flag: "--save",
    value: "folder",
    help: "write the images, sounds and files of the answer into this folder",
  },
  confirmed: {
    flag: "--yes",
    help: "call a tool that may destroy something without asking",
  },
  http: {
    flag: "--http",
    value: "port",
    help: "serve over streamable HTTP on this port, in place of stdin and stdout; 0 takes a free one",
  },
  host: {
    flag: "--host",
    value: "address",
    help: "the address to listen at with --http (default: 127.0.0.1, which only this machine reaches)",
  },
  prefix: {
    flag: "--prefix",
    value: "text",
    help: "put this before the names of the tools, as in wp_execute",
  },
  direct: {
    flag: "--direct",
    help: "serve the tools themselves in place of the five",
  },
  role: {
    flag: "--role",
    value: "name",
    help: "narrow what the configuration allows by this role as well",
  },
  allowUnlocked: {
    flag: "--allow-unlocked",
    help: "use live tools that the lock does not have, or has with another definition; for development",
  },
  example: { flag: "--example", help: "configure the example server that comes with mcp-codegen" },
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

/** What the parser hands to a command; an option that was not given is absent. */
export type OptionValues<N extends OptionName> = { readonly [K in N]?: OptionValue<Options[K]> };

export const GLOBAL_OPTIONS: readonly OptionName[] = ["config", "envFile", "json", "verbose", "color"];

export const COMMANDS = {
  init: {
    summary: "write a configuration, from what your editor already has",
    description: [
      "Finds the MCP servers that your editors know (.mcp.json, .cursor/mcp.json, .vscode/mcp.json,",
      "claude_desktop_config.json) and writes mcp-codegen.config.ts. Secrets become ${VARIABLES}. Any drift of a",
      "server that looks like your own fails check; of others (published packages, somebody's service) only what is",
      "dangerous. An existing configuration is never overwritten.",
    ],
    options: ["yes", "example"],
    examples: [
      { line: "mcp-codegen init", does: "asks which of the servers found to take" },
      { line: "mcp-codegen init --yes", does: "takes all of them and asks nothing" },
      { line: "mcp-codegen init --example --yes", does: "a server to try things on: no network, no account" },
    ],
  },
  pull: {
    summary: "read the servers' tools, show what changed, write the lock and the code",
    description: [
      "Lists the tools of the configured servers, prints how they differ from mcp-codegen.lock.json, writes the",
      "lock and then the generated files. A server that fails keeps its place in the lock and its files; the",
      "others are written, and the exit code is 3. A tool with a security finding that was not accepted is held back:",
      "it keeps its locked form or stays unlocked, all others are written, and the exit code is 1. On a terminal you",
      "are asked about each finding; elsewhere --accept and --reason accept it. A server that is no longer configured",
      "stays in the lock until you confirm its removal, elsewhere by --remove; the exit code is 1 until then.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers; all of them by default" }],
    options: [
      "server",
      "header",
      "bearer",
      "php",
      "dryRun",
      "frozen",
      "accept",
      "reason",
      "remove",
      "force",
      "allowUnresolved",
    ],
    examples: [
      { line: "mcp-codegen pull", does: "every configured server" },
      { line: "mcp-codegen pull wordpress --dry-run", does: "only look at what changed" },
      { line: "mcp-codegen pull --php", does: "from a WordPress plugin's PHP, without WordPress" },
      { line: "mcp-codegen pull --frozen", does: "exit 1 if anything would be written" },
      {
        line: 'mcp-codegen pull shop --accept 3f2a9c0d1b7e --reason "carbon copies, not secrets"',
        does: "lock a tool in spite of a security finding",
      },
      {
        line: 'mcp-codegen pull --server "npx -y @modelcontextprotocol/server-everything"',
        does: "what pull would lock of a server that is not configured yet; writes nothing",
      },
    ],
  },
  generate: {
    summary: "write the code from the lock, offline",
    description: [
      "Writes one module for each locked tool, and the indexes. Only files whose inputs have changed are",
      "rendered; only files that carry the header of mcp-codegen are touched; a file that was edited by hand is",
      "not overwritten without --force: all others are written, and the exit code is 2.",
    ],
    options: ["force", "full"],
    examples: [
      { line: "mcp-codegen generate", does: "what has changed" },
      { line: "mcp-codegen generate --full", does: "everything again" },
      { line: "mcp-codegen generate --force", does: "hand-edited files too" },
    ],
  },
  check: {
    summary: "compare servers, lock and code; exit 1 when they disagree",
    description: [
      "Reports drift (what the servers say now against the lock), generated files that lag behind the lock, and",
      "hand edits. Exit codes: 0 in order, 1 drift or stale files, 2 wrong input, 3 something could not be",
      "checked.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers; all of them by default" }],
    options: [
      "offline",
      "php",
      "compare",
      "full",
      "against",
      "env",
      "failOn",
      "waive",
      "until",
      "reason",
      "allowUnresolved",
      "impact",
      "project",
      "format",
      "report",
    ],
    examples: [
      { line: "mcp-codegen check", does: "everything" },
      { line: "mcp-codegen check --offline", does: "lock against files; fit for every commit" },
      { line: "mcp-codegen check --against origin/main", does: "what a pull request changes; offline" },
      {
        line: "mcp-codegen check --php --against origin/main --fail-on breaking",
        does: "whether a pull request's PHP breaks callers",
      },
      {
        line: "mcp-codegen check --php",
        does: "what a WordPress plugin's PHP registers; no WordPress needed",
      },
      {
        line: "mcp-codegen check --php --env all",
        does: "PHP, every environment and the lock at once: which of them is behind",
      },
      { line: "mcp-codegen check --env production", does: "before a deployment" },
      { line: "mcp-codegen check --env all wordpress", does: "which environment lacks which tool" },
      { line: "mcp-codegen check --fail-on breaking", does: "for servers that are not yours" },
      {
        line: 'mcp-codegen check --waive output-property-removed get-post --until 2027-06-30 --reason "we read the title alone"',
        does: "live with a finding for a while",
      },
      {
        line: "mcp-codegen check --project app",
        does: "the call sites in the TypeScript of app that each change breaks",
      },
      { line: "mcp-codegen check --json > report.json", does: "for another program" },
      {
        line: "mcp-codegen check --report sarif=drift.sarif --report markdown=comment.md",
        does: "for code scanning, and for a comment on the pull request",
      },
    ],
  },
  diff: {
    summary: "compare two of: lockfile, saved list, git ref, server",
    description: [
      "Compares any two of: a lockfile or its folder, a saved tools/list, a git ref (the lock at that ref),",
      "<ref>:<path>, a configured server, a URL or a command. Needs no configuration but for the names of servers.",
      "Exit codes are those of check.",
    ],
    arguments: [
      { name: "<before>", help: "what to compare" },
      { name: "<after>", help: "with what" },
      { name: "[server...]", help: "names of servers in the locks; all of them by default" },
    ],
    options: ["failOn", "format", "report"],
    examples: [
      { line: "mcp-codegen diff main .", does: "what this branch does to the lock" },
      { line: "mcp-codegen diff main . --format markdown", does: "the same, as a comment on a pull request" },
      { line: "mcp-codegen diff v1.0.0 v2.0.0 wordpress", does: "one server's contract between two tags" },
      { line: "mcp-codegen diff old-tools.json new-tools.json", does: "two saved answers to tools/list" },
      { line: "mcp-codegen diff . https://example.com/mcp", does: "the lock and a server" },
    ],
  },
  log: {
    summary: "print the history of a server's contract, from git",
    description: [
      "Prints the versions of a server's contract, newest first: when the lock was committed with it, and what had",
      "changed. Read from the commits of this branch that touch the lock. Offline.",
    ],
    arguments: [{ name: "<server>", help: "name of a server in the lock" }],
    options: ["limit"],
    examples: [
      { line: "mcp-codegen log wordpress", does: "what changed when" },
      { line: "mcp-codegen log wordpress --limit 1 --json", does: "the newest version, for another program" },
    ],
  },
  replay: {
    summary: "make recorded changes in another environment",
    description: [
      "Reads the calls that a tracker recorded and makes them again, in order, in another environment. Ids of what was",
      "created are replaced by those that the environment gives. The plan is printed first and what it cannot know is",
      "reported; it stops at the first failure, and the same command goes on from there: what is done is in the",
      "journal, and is never done twice. Exit codes: 0 done, 1 conflicts or a refusal, 2 wrong input, 3 an outcome",
      "that is not known.",
    ],
    arguments: [{ name: "<changes>", help: "a file of changes, as openChangeFile writes it" }],
    options: ["env", "dryRun", "yes", "journal", "references", "skip", "allow", "mark", "allowUnlocked"],
    examples: [
      { line: "mcp-codegen replay changes.jsonl --env production --dry-run", does: "print the plan" },
      { line: "mcp-codegen replay changes.jsonl --env production", does: "replay, once you have said yes" },
      {
        line: "mcp-codegen replay changes.jsonl --env production --yes --json",
        does: "replay, for another program",
      },
      {
        line: "mcp-codegen replay changes.jsonl --env production --references references.json",
        does: "with what cannot be inferred declared",
      },
      {
        line: "mcp-codegen replay changes.jsonl --env staging --allow-unlocked",
        does: "with tools that the server has and the lock does not",
      },
      {
        line: "mcp-codegen replay changes.jsonl --env production --mark 3=retry",
        does: "go on after you have seen that step 3 was not done",
      },
    ],
  },
  rules: {
    summary: "list the rules that changes are judged by",
    description: [
      "Prints every rule of drift with its class. Offline; the table is the one that check judges by.",
    ],
    options: [],
    examples: [
      { line: "mcp-codegen rules", does: "every rule" },
      { line: "mcp-codegen rules --json", does: "for another program" },
    ],
  },
  explain: {
    summary: "say what a rule finds, and why it is classed as it is",
    description: [
      "Prints what a rule of drift finds, its class on both sides of a call, what it touches, and how to accept a",
      "finding or class it otherwise.",
    ],
    arguments: [{ name: "<rule>", help: "name of a rule, as reports print it" }],
    options: [],
    examples: [
      { line: "mcp-codegen explain input-bound-tightened", does: "why a tighter limit is breaking" },
    ],
  },
  list: {
    summary: "list the locked tools by server and category",
    description: [
      "Prints the tools in the lock with their required parameters and what each costs a model to know. Asks no server, except",
      "the one that --server describes and, with --live, those that are configured. --live prints the tools that the servers",
      "have now. It marks each that differs from the lock: unlocked (the lock does not have it), different (its definition has",
      "changed) or gone (the server does not list it any more). A server that cannot be listed makes it exit 3; marks do not",
      "change the exit code: check is the command that fails. Nothing is written.",
    ],
    alias: "discover",
    arguments: [{ name: "[server...]", help: "names of locked servers; all of them by default" }],
    options: ["server", "header", "bearer", "live", "env", "raw", "fidelity", "tokens"],
    examples: [
      { line: "mcp-codegen list", does: "every locked tool" },
      {
        line: 'mcp-codegen list --server "npx -y @modelcontextprotocol/server-everything"',
        does: "the tools of any server, without a configuration",
      },
      {
        line: "mcp-codegen list --server https://example.com/mcp --bearer '${TOKEN}'",
        does: "the same over HTTP, with a token from the environment",
      },
      {
        line: "mcp-codegen list --live",
        does: "what the configured servers have now, compared with the lock",
      },
      { line: "mcp-codegen list wordpress --live --env production", does: "the same in one environment" },
      { line: "mcp-codegen list wordpress --json", does: "one server, for another program" },
      {
        line: "mcp-codegen list wordpress --live --raw > tools.json",
        does: "saves its tool list, which diff reads",
      },
      { line: "mcp-codegen list --tokens", does: "what costs a model most, by category and tool" },
      { line: "mcp-codegen list --fidelity", does: "with the share of exact tools of each server" },
    ],
  },
  search: {
    summary: "find tools by what they do",
    description: [
      "Searches the locked tools and those of serve.tools by names, titles, descriptions, parameters and categories,",
      "and by meaning where the configuration names an embedder. Asks no server, unless --server has a command or a URL.",
      "What the policy hides is not found. A search that finds nothing exits 0; an unknown category or server exits 2.",
    ],
    arguments: [
      { name: "[query...]", help: "what the tool is to do, in plain words; or none, with --category" },
    ],
    options: ["category", "ofServer", "header", "bearer", "most"],
    examples: [
      { line: "mcp-codegen search write a new article", does: "the tools that fit best" },
      { line: "mcp-codegen search --category commerce", does: "all tools of a category by name" },
      {
        line: "mcp-codegen search refund --server shop --json",
        does: "in one server, for another program",
      },
    ],
  },
  describe: {
    summary: "say what a tool takes and answers",
    description: [
      "Prints what the lock knows of tools: parameters as flags of call, the answer, what the server says of its effects,",
      "and a command line to start from. Asks no server, unless --server names one.",
    ],
    arguments: [
      { name: "<tool...>", help: "names of locked tools, with server__ before where several have it" },
    ],
    options: ["server", "header", "bearer", "shownAs"],
    examples: [
      { line: "mcp-codegen describe create-post", does: "for people" },
      { line: "mcp-codegen describe create-post list-posts --format typescript", does: "as signatures" },
      { line: "mcp-codegen describe example__create-post --json", does: "for another program" },
    ],
  },
  call: {
    summary: "call a locked tool, with flags made from its schema",
    description: [
      "Calls one tool and prints what it answers. What follows the tool's name are its arguments: --per_page 10, --tags a",
      "--tags b, --meta.key v, --items.0.name v, --flag and --no-flag. An option of call may stand there as well unless the",
      "tool has a parameter of that name; --config and --env-file stand before it. With --server, which calls a tool of a",
      "server that no configuration has, --header and --bearer are never the tool's. Without flags and --input, what is piped",
      "in are the arguments. Tools that do not only read are called where the policy allows writes, and those that may",
      "destroy something once somebody has said yes. Exit codes: 0 done, 1 the tool failed or its answer breaks its",
      "contract, 2 wrong input or not allowed, 3 the server could not be reached.",
    ],
    arguments: [
      { name: "<tool>", help: "name of a locked tool, with server__ before where several have it" },
      { name: "[flags...]", help: "its arguments; --help lists them" },
    ],
    options: ["server", "header", "bearer", "env", "input", "timeout", "save", "confirmed"],
    examples: [
      { line: "mcp-codegen call list-posts --per_page 10", does: "call a tool that reads" },
      { line: "mcp-codegen call list-posts --help", does: "the flags of a tool" },
      {
        line: "mcp-codegen call create-post --title Hello --tags a --tags b",
        does: "call one that writes, where MCP_CODEGEN_ENABLE_WRITES or the configuration allows it",
      },
      {
        line: "mcp-codegen call --json --env sandbox list-posts --per_page 10",
        does: "in an environment, for another program",
      },
      { line: "mcp-codegen call list-posts < args.json", does: "with arguments from stdin" },
      {
        line: "mcp-codegen call list-posts --input @args.json --page 2",
        does: "from a file, with one of them replaced",
      },
      {
        line: 'mcp-codegen call --server "npx -y @modelcontextprotocol/server-everything" get-sum --a 1 --b 2',
        does: "a tool of any server, without a configuration",
      },
    ],
  },
  serve: {
    summary: "be an MCP server of five tools, over every locked tool",
    description: [
      "Serves introspect, search_tools, describe_tools, execute and context over the tools of the locked servers, or with",
      "--direct the tools themselves, on stdin and stdout until the client goes, or over HTTP until you stop it. Nothing",
      "connects before a tool is called; a tool whose server no longer keeps to the lock is not called. Tools that write",
      "are not called either, unless the configuration or MCP_CODEGEN_ENABLE_WRITES says so. Over HTTP clients need the token of MCP_CODEGEN_SERVE_TOKEN,",
      "from the environment or .env. stdout belongs to the protocol, so --json has no meaning here.",
    ],
    arguments: [{ name: "[server...]", help: "names of locked servers; all of them by default" }],
    options: ["http", "host", "env", "prefix", "role", "direct", "allowUnlocked"],
    examples: [
      { line: "mcp-codegen serve", does: "as an MCP client starts it" },
      { line: "mcp-codegen serve --config /path/to/mcp-codegen.config.ts", does: "from anywhere" },
      { line: "mcp-codegen serve wordpress --env sandbox --role content-editor", does: "less of it" },
      { line: "mcp-codegen serve --direct", does: "the tools themselves, under the same policy" },
      { line: "mcp-codegen serve --http 3333", does: "at http://127.0.0.1:3333/mcp" },
    ],
  },
  completion: {
    summary: "print what a shell sources to complete command lines",
    description: [
      "Completes commands, options, names of servers and tools from the nearest lock, and the flags of a tool and their",
      "values behind call. Needs mcp-codegen on the PATH. In Bash, source <(mcp-codegen completion bash).",
    ],
    arguments: [{ name: "<shell>", help: "bash, zsh or fish" }],
    options: [],
    examples: [
      { line: "mcp-codegen completion bash >> ~/.bashrc", does: "for Bash" },
      {
        line: "mcp-codegen completion zsh > ~/.zfunc/_mcp-codegen",
        does: "for Zsh, in a folder of its $fpath",
      },
      {
        line: "mcp-codegen completion fish > ~/.config/fish/completions/mcp-codegen.fish",
        does: "for fish",
      },
    ],
  },
  "example-server": {
    summary: "run the example MCP server on stdin and stdout",
    description: [
      "Posts and a small shop, in memory. It speaks MCP on stdin and stdout until its input ends, so --json has no",
      "meaning here. --next serves the next version, which breaks callers: list-posts no longer returns pages, and create-post",
      "requires a slug. In a configuration that init --example wrote, that version is the environment next.",
    ],
    options: ["next"],
    examples: [
      { line: "mcp-codegen example-server", does: "as an MCP client starts it" },
      { line: 'mcp-codegen list --server "npx mcp-codegen example-server"', does: "list its tools" },
      {
        line: "mcp-codegen check --env next",
        does: "what its next version breaks, after init --example and pull",
      },
    ],
  },
} as const;

export type CommandName = keyof typeof COMMANDS;

/** The options of one command as the parser hands them over; its own names are those of {@link OPTIONS}. */
export type CommandOptions<C extends CommandName> = OptionValues<(typeof COMMANDS)[C]["options"][number]>;
