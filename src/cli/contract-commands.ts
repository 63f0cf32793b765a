/** Commands that read, compare and write contracts, and replay recorded calls. */
export const CONTRACT_COMMANDS = {
  init: {
    summary: "write a configuration from the MCP servers in your editor",
    description: [
      "Finds the MCP servers in your editors' configuration (.mcp.json, .cursor/mcp.json, .vscode/mcp.json,",
      "claude_desktop_config.json) and writes mcp-codegen.config.ts. Secrets become ${VARIABLES}. For a server that",
      "looks like your own, any drift fails check; for other servers (published packages, third-party services) only",
      "dangerous changes do. An existing configuration is never overwritten.",
    ],
    options: ["yes", "example"],
    examples: [
      { line: "mcp-codegen init", does: "ask which of the servers found to add" },
      { line: "mcp-codegen init --yes", does: "add all of them without asking" },
      {
        line: "mcp-codegen init --example --yes",
        does: "add an example server to try mcp-codegen: no network, no account",
      },
    ],
  },
  pull: {
    summary: "read the servers' tools, show what changed, write the lock and the code",
    description: [
      "Lists the tools of the configured servers, prints how they differ from mcp-codegen.lock.json, and writes the",
      "lock and the generated files. If a server fails, its part of the lock and its files stay unchanged; the other",
      "servers are written, and the exit code is 3. A tool with a security finding that was not accepted is held back:",
      "it keeps its locked definition or stays unlocked, the other tools are written, and the exit code is 1. On a",
      "terminal, pull asks about each finding; elsewhere, accept findings with --accept and --reason. A server that is",
      "no longer configured stays in the lock until you confirm its removal on the terminal or pass --remove; until",
      "then, the exit code is 1.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
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
      "prelude",
      "force",
      "allowUnresolved",
    ],
    examples: [
      { line: "mcp-codegen pull", does: "pull every configured server" },
      { line: "mcp-codegen pull wordpress --dry-run", does: "show what changed, write nothing" },
      { line: "mcp-codegen pull --php", does: "read a WordPress plugin's PHP, without WordPress" },
      { line: "mcp-codegen pull --frozen", does: "exit 1 if there is anything to write" },
      {
        line: 'mcp-codegen pull shop --accept 3f2a9c0d1b7e --reason "carbon copies, not secrets"',
        does: "lock a tool despite a security finding",
      },
      {
        line: 'mcp-codegen pull --server "npx -y @modelcontextprotocol/server-everything"',
        does: "show what pull would lock for a server that is not configured; writes nothing",
      },
    ],
  },
  generate: {
    summary: "write the code from the lock, offline",
    description: [
      "Writes one module for each locked tool, and the index files. Renders only files whose inputs changed, and",
      "touches only files with the mcp-codegen header. A file that was edited by hand is not overwritten without",
      "--force: the other files are written, and the exit code is 2.",
    ],
    options: ["force", "full"],
    examples: [
      { line: "mcp-codegen generate", does: "write the files whose inputs changed" },
      { line: "mcp-codegen generate --full", does: "write every file again" },
      { line: "mcp-codegen generate --force", does: "overwrite files that were edited by hand, too" },
    ],
  },
  learn: {
    summary: "learn output types from recorded answers, for tools that declare none",
    description: [
      "Reads the recorded calls in cassettes and infers a schema of the answers of each locked tool without an output",
      "schema: of its structured content, or of its text if every answer is JSON. Writes mcp-codegen.observed.json, which",
      "holds no values. generate then gives these tools a typed answer. More answers only widen a type; --fresh starts",
      "again. An answer that does not fit is handed over and reported to the logger, and never fails a call.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
    options: ["from", "fresh"],
    examples: [
      { line: "mcp-codegen learn", does: "learn from all cassettes of the project" },
      {
        line: "mcp-codegen learn shop --from recordings",
        does: "learn from other cassettes, for one server",
      },
    ],
  },
  check: {
    summary: "compare servers, lock and code; exit 1 if they differ",
    description: [
      "Reports drift between the servers and the lock, generated files that are older than the lock or were edited by",
      "hand, names of tools in files that agents read (skills, instructions, permissions) and recorded calls that the",
      "lock contradicts, and exceeded token budgets. Exit codes: 0 no findings, 1 findings, 2 invalid input, 3 something",
      "could not be checked.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
    options: [
      "offline",
      "php",
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
      "consumers",
      "format",
      "report",
    ],
    examples: [
      { line: "mcp-codegen check", does: "check everything" },
      {
        line: "mcp-codegen check --offline",
        does: "compare the lock only with files; fast enough for every commit",
      },
      {
        line: "mcp-codegen check --against origin/main",
        does: "show what a pull request changes in the lock; offline",
      },
      {
        line: "mcp-codegen check --php --against origin/main --fail-on breaking",
        does: "check whether a pull request's PHP breaks callers",
      },
      {
        line: "mcp-codegen check --php",
        does: "check the abilities in a WordPress plugin's PHP; needs no WordPress",
      },
      {
        line: "mcp-codegen check --php --env all",
        does: "compare PHP, every environment and the lock, and show which is behind",
      },
      { line: "mcp-codegen check --env production", does: "check production before a deployment" },
      {
        line: "mcp-codegen check --env all wordpress",
        does: "show which environment lacks which tool",
      },
      {
        line: "mcp-codegen check --fail-on breaking",
        does: "for third-party servers: fail only on breaking changes",
      },
      {
        line: 'mcp-codegen check --waive output-property-removed get-post --until 2027-06-30 --reason "we read only the title"',
        does: "waive a finding until a date",
      },
      {
        line: "mcp-codegen check --project app",
        does: "show the call sites in app's TypeScript that each change breaks",
      },
      {
        line: 'mcp-codegen check --php --against origin/main --consumers "consumers/*.json" --fail-on consumer',
        does: "fail only if a pull request's PHP breaks a known consumer",
      },
      { line: "mcp-codegen check --json > report.json", does: "write a JSON report" },
      {
        line: "mcp-codegen check --report sarif=drift.sarif --report markdown=comment.md",
        does: "write a report for code scanning and a comment for the pull request",
      },
    ],
  },
  watch: {
    summary: "pull again after every change, until Ctrl+C",
    description: [
      "Pulls all servers, and then each server again when its tools may have changed: when it sends a notification, or",
      "else as often as it says or every 30 seconds; when its PHP or its saved list is written; and all of them when the",
      "configuration or a .env file is written. Prints one line for a change and nothing otherwise. A server that is down",
      "is tried again, with pauses of up to 30 seconds. Asks about security findings as pull does. With --json, prints",
      "the document of pull (with --check, of check) on one line for each change. Ctrl+C ends the servers that were started",
      "and exits 130.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
    options: ["interval", "checkOnly"],
    examples: [
      { line: "mcp-codegen watch", does: "keep the lock and the code up to date while you work on a server" },
      { line: "mcp-codegen watch shop --interval 5", does: "watch one server, and read it every 5 seconds" },
      { line: "mcp-codegen watch --check", does: "only report drift" },
    ],
  },
  diff: {
    summary: "compare two contracts: lockfile, saved list, git ref or server",
    description: [
      "Compares any two of: a lockfile or its folder, a saved tools/list result, a git ref (the lock at that ref),",
      "<ref>:<path>, a configured server, a URL, a command. Needs a configuration only for names of configured",
      "servers. The exit codes are those of check.",
    ],
    arguments: [
      { name: "<before>", help: "the old contract" },
      { name: "<after>", help: "the new contract" },
      { name: "[server...]", help: "names of servers in the locks (default: all)" },
    ],
    options: ["failOn", "consumers", "format", "report"],
    examples: [
      { line: "mcp-codegen diff main .", does: "show what this branch changes in the lock" },
      {
        line: "mcp-codegen diff main . --format markdown",
        does: "the same as a comment for a pull request",
      },
      {
        line: "mcp-codegen diff v1.0.0 v2.0.0 wordpress",
        does: "compare one server's contract between two tags",
      },
      {
        line: "mcp-codegen diff old-tools.json new-tools.json",
        does: "compare two saved tools/list results",
      },
      { line: "mcp-codegen diff . https://example.com/mcp", does: "compare the lock with a server" },
    ],
  },
  fix: {
    summary: "edit your code for renamed tools and properties",
    description: [
      "Compares the lock with the lock that your code was written for (the last commit, unless --against names another), and",
      "edits your TypeScript and JavaScript and the files that agents read for what was renamed: imports, calls, types, keys",
      "of arguments, reads of results. Renames that the server declares are applied; a guess is applied only if you confirm it on",
      "a terminal or name it with --rename. Prints a diff, and with --write edits the files. Then compiles the result, and lists",
      "what is left for a person. Exits 1 if something is left, or would be edited without --write.",
    ],
    options: ["against", "rename", "renamesUnasked", "project", "write", "force"],
    examples: [
      { line: "mcp-codegen fix", does: "show what would be edited since the last commit of the lock" },
      {
        line: "mcp-codegen fix --rename shop/get_order=fetch_order --write",
        does: "apply a rename that was guessed",
      },
      {
        line: "mcp-codegen fix --rename shop/find_orders.limit=per_page",
        does: "show the edits for a renamed property",
      },
    ],
  },
  export: {
    summary: "write what your code uses of the tools, for the providers of the servers",
    description: [
      "Analyses the TypeScript that calls the generated tools, and writes mcp-codegen.consumer.json: the tools that it",
      "uses, the input properties that it passes (with their values where they are literals), the output properties that",
      "it reads and the values that it compares them with. The file has no code, and no paths without --paths. A provider",
      "keeps it and runs check --consumers, which reports whom a change breaks. What the analysis does not know is written",
      "as unknown. Needs ts-morph.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers (default: all)" }],
    options: ["consumer", "consumerFile", "paths", "checkConsumer", "usesProject"],
    examples: [
      { line: "mcp-codegen export --consumer acme-web", does: "write mcp-codegen.consumer.json" },
      {
        line: "mcp-codegen export --consumer acme-web wordpress --out acme-web.json",
        does: "write what the code uses of one server",
      },
      {
        line: "mcp-codegen export --consumer acme-web --check",
        does: "exit 1 if the committed file is out of date",
      },
    ],
  },
  login: {
    summary: "log in to a server that requires it",
    description: [
      "Opens the login page of the server's authorization server in a browser (OAuth 2.1 with PKCE), and waits for the",
      "answer on a loopback port. The tokens are saved in your state folder, readable by you alone, and never in the",
      "project. Every command then uses and refreshes them. Log in again when a server requires more scopes. In CI, use",
      "client credentials or a token: see docs/login.md.",
    ],
    arguments: [{ name: "<server>", help: "name of a configured server, or a URL" }],
    options: ["env", "browser", "wait"],
    examples: [
      { line: "mcp-codegen login shop", does: "log in to a configured server" },
      {
        line: "mcp-codegen login https://example.com/mcp",
        does: "log in to a server without a configuration",
      },
      { line: "mcp-codegen login shop --no-browser", does: "print the address of the login page" },
    ],
  },
  logout: {
    summary: "delete the login for a server",
    description: ["Deletes the saved tokens, and revokes them if the authorization server supports it."],
    arguments: [{ name: "<server>", help: "name of a configured server, or a URL" }],
    options: ["env"],
    examples: [{ line: "mcp-codegen logout shop", does: "log out of a configured server" }],
  },
  whoami: {
    summary: "list your logins: issuer, account, scopes, time left",
    description: [
      "Lists the saved logins. Prints no tokens, and contacts no server. Exits 1 if you are not logged in to one of the",
      "named servers.",
    ],
    arguments: [{ name: "[server...]", help: "names of configured servers, or URLs (default: all logins)" }],
    options: ["env"],
    examples: [
      { line: "mcp-codegen whoami", does: "list all logins" },
      { line: "mcp-codegen whoami shop --json", does: "print one login as JSON" },
    ],
  },
  doctor: {
    summary: "check what a project needs, and say how to fix what it lacks",
    description: [
      "Looks at Node and PHP, the packages and the TypeScript configuration that generated code needs, the configuration,",
      "the variables that it uses (names only), logins, the lock, the generated code, the servers, git's attributes, and",
      "whether CI runs check. Each line of a problem comes with its fix. Exits 1 if something fails, 3 if a server could",
      "not be asked, 0 otherwise; warnings do not count. Writes nothing.",
    ],
    options: ["offline"],
    examples: [
      { line: "mcp-codegen doctor", does: "look at everything, and ask each server for its tools" },
      { line: "mcp-codegen doctor --offline", does: "ask no server" },
      { line: "mcp-codegen doctor --json", does: "print the findings for a bug report" },
    ],
  },
  log: {
    summary: "print the history of a server's contract from git",
    description: [
      "Prints the versions of a server's contract, newest first, with the commit date and the changes of each. Reads",
      "the commits of the current branch that touch the lock. Offline.",
    ],
    arguments: [{ name: "<server>", help: "name of a server in the lock" }],
    options: ["limit"],
    examples: [
      { line: "mcp-codegen log wordpress", does: "show what changed, and when" },
      { line: "mcp-codegen log wordpress --limit 1 --json", does: "print the newest version as JSON" },
    ],
  },
  page: {
    summary: "write the locked tools as one HTML page",
    description: [
      "Writes one file that shows each locked tool with its schemas, TypeScript signature, a call to copy, cost,",
      "annotations and history from git, with a search. The file holds its script, and requests nothing. For a page with",
      "the changes that a check found, run check --format html. Needs only the lock, no configuration. Offline.",
    ],
    options: ["pageFile", "serve", "port", "open"],
    examples: [
      { line: "mcp-codegen page --open", does: "write mcp-codegen.html and open it" },
      { line: "mcp-codegen page --out public/tools.html", does: "write another file" },
      { line: "mcp-codegen page --serve", does: "show a page that reloads when the lock changes" },
    ],
  },
  replay: {
    summary: "replay recorded tool calls in another environment",
    description: [
      "Reads the calls that a tracker recorded and makes them again, in order, in another environment. Replaces ids",
      "of created objects with the ids that the environment returns. Prints the plan first, including anything it",
      "cannot determine. Stops at the first failure; run the same command to continue. Completed steps are recorded",
      "in the journal and never repeated. Exit codes: 0 done, 1 conflict or refusal, 2 invalid input, 3 unknown",
      "outcome of a step.",
    ],
    arguments: [{ name: "<changes>", help: "a file of recorded calls, written by openChangeFile" }],
    options: [
      "env",
      "dryRun",
      "replayConfirmed",
      "journal",
      "references",
      "skip",
      "allow",
      "mark",
      "allowUnlocked",
    ],
    examples: [
      { line: "mcp-codegen replay changes.jsonl --env production --dry-run", does: "print the plan" },
      {
        line: "mcp-codegen replay changes.jsonl --env production",
        does: "print the plan, ask, then replay",
      },
      {
        line: "mcp-codegen replay changes.jsonl --env production --yes --json",
        does: "replay without asking, and print JSON",
      },
      {
        line: "mcp-codegen replay changes.jsonl --env production --references references.json",
        does: "declare ids that cannot be inferred",
      },
      {
        line: "mcp-codegen replay changes.jsonl --env staging --allow-unlocked",
        does: "also call tools that the server has and the lock does not",
      },
      {
        line: "mcp-codegen replay changes.jsonl --env production --mark 3=retry",
        does: "continue after you verified that step 3 was not done",
      },
    ],
  },
  rules: {
    summary: "list the drift rules",
    description: ["Prints every drift rule with its class, as check uses them. Offline."],
    options: [],
    examples: [
      { line: "mcp-codegen rules", does: "print every rule" },
      { line: "mcp-codegen rules --json", does: "print every rule as JSON" },
    ],
  },
  explain: {
    summary: "explain a drift rule and its class",
    description: [
      "Prints what a drift rule finds, its class for inputs and outputs, what it affects, and how to accept a finding",
      "or change its class.",
    ],
    arguments: [{ name: "<rule>", help: "name of a rule, as printed in reports" }],
    options: [],
    examples: [
      {
        line: "mcp-codegen explain input-bound-tightened",
        does: "show why a tighter limit is a breaking change",
      },
    ],
  },
} as const;
