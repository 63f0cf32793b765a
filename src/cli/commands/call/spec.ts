import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SERVER_FLAGS, SHARED } from "../../options.js";

export const CALL_FLAGS = {
  ...SERVER_FLAGS,
  env: SHARED.env,
  input: {
    value: "json",
    help: "arguments as a JSON object, @file, or - for stdin; flags override its values",
  },
  timeout: {
    value: "seconds",
    range: { from: 0.001, to: 999_999, hasParts: true },
    help: "time limit for the call (default: 60)",
  },
  validateInput: {
    value: "mode",
    choices: ["strict", "warn"],
    help: "warn: send arguments that do not fit the input schema",
  },
  save: { value: "folder", help: "save images, audio and files from the result to this folder" },
  answer: {
    value: "key=value",
    repeatable: true,
    help: "answer a question of the tool (repeatable)",
    more: ": a field of its form, or action=accept, decline or cancel",
  },
  yes: { help: "call without asking, whatever the tool does" },
  record: { help: "record the call and its answer, without secrets, for tests" },
  cassette: {
    value: "folder",
    help: "with --record: record in this folder",
    more: ' (default: the first of "cassettes", else cassettes/)',
  },
} as const satisfies OptionTable;

export const callCommand = defineCommand({
  summary: "call a locked tool; its parameters are flags",
  description: [
    "Calls one tool and prints its result. Write the tool's arguments after its name: --per_page 10, --tags a --tags",
    'b, --flag, title=Hello, or as JSON meta:=\'{"key":"v"}\'. Options of call may also follow the tool\'s name, unless',
    "the tool has a parameter with the same name; --config, --env-file, --server, --header and --bearer must precede",
    "it. Without flags and --input, arguments are read as JSON from a pipe on stdin. A tool that reads is called at",
    "once. Before any other tool, call shows what it would send and asks; in a script, pass --yes. A tool that",
    "writes is called without a question if MCP_CODEGEN_ENABLE_WRITES or the configuration enables writes. A",
    "question that the tool asks while it runs is answered by --answer; otherwise it is printed, and the exit code",
    "is 2. With --record, the call and its answer are written to <folder>/<server>/<tool>.json, and code that is",
    "connected with { replay: <folder> } gets the recorded answer. The same call replaces its earlier answer. If the",
    "answer cannot be recorded, the exit code is 2. Exit codes: 0 done, 1 the tool failed or its result does not",
    "match its output schema, 2 invalid input or not allowed, 3 the server could not be reached.",
  ],
  arguments: {
    "<tool>": "name of a locked tool; write server__tool if several servers have the tool",
    "[flags...]": 'arguments of the tool; "call <tool> --help" lists them',
  },
  options: CALL_FLAGS,
  examples: {
    "mcp-codegen call list-posts --per_page 10": "call a tool that reads",
  },
  load: async () => (await import("./run.js")).runCall,
});

export const RUN_FLAGS = {
  env: SHARED.env,
  role: { value: "name", help: "also apply this role of the configuration's policy" },
  check: { help: "only type-check the scripts" },
  answer: CALL_FLAGS.answer,
  yes: { help: "make all calls without asking, whatever the tools do" },
} as const satisfies OptionTable;

export const runCommand = defineCommand({
  summary: "run a script that calls locked tools",
  description: [
    "Type-checks a TypeScript file against the locked tools, and runs it as serve --code does: in QuickJS, without",
    "modules, network, disk and timers. Tools are functions of their servers: await shop.createOrder({ … }). await and",
    "return work at the top level. Prints the returned value as JSON, and what console logs on stderr. Tools that write",
    "are called only with --yes, or if the configuration or MCP_CODEGEN_ENABLE_WRITES allows it. Before a tool that",
    "destroys, run shows the call and asks; without a terminal, pass --yes. Neither overrides writes that are switched",
    "off. It needs typescript 5.9 or 6 (or ts-morph) to check, and quickjs-emscripten-core with",
    "@jitl/quickjs-wasmfile-release-sync to run. Exit codes: 0 done, 1 the script does not fit the tools or failed, 2 it",
    "cannot be run.",
  ],
  arguments: { "<script...>": "a TypeScript file; with --check, any number of files and globs" },
  options: RUN_FLAGS,
  conflicts: [{ option: "--check", excludes: ["--yes", "--answer"] }],
  examples: {
    "mcp-codegen run automations/tidy-drafts.ts": "check the script and run it",
  },
  load: async () => (await import("./run-script.js")).runSavedScript,
});

export const REPLAY_FLAGS = {
  env: SHARED.env,
  dryRun: SHARED.dryRun,
  yes: { help: "replay without asking" },
  references: {
    value: "file",
    help: "a JSON file with the arguments that are ids of earlier calls",
  },
  skip: { value: "step", repeatable: true, help: "skip this step (repeatable)" },
  allow: {
    value: "conflict",
    repeatable: true,
    help: "replay despite this kind of conflict, such as foreign-id (repeatable)",
  },
  mark: {
    value: "step=outcome",
    repeatable: true,
    help: "resolve a step with an unknown outcome: done, done=<its result as JSON>, retry or skip (repeatable)",
  },
  allowUnlocked: SHARED.allowUnlocked,
} as const satisfies OptionTable;

export const replayCommand = defineCommand({
  summary: "replay recorded tool calls in another environment",
  description: [
    "Reads the calls that a tracker recorded and makes them again, in order, in another environment. Replaces ids",
    "of created objects with the ids that the environment returns. Prints the plan first, including anything it",
    "cannot determine. Stops at the first failure; run the same command to continue. Completed steps are recorded",
    "in the journal beside <changes>, one for each environment, and never repeated. Exit codes: 0 done, 1 conflict or refusal, 2 invalid input, 3 unknown",
    "outcome of a step.",
  ],
  arguments: { "<changes>": "a file of recorded calls, written by openChangeFile" },
  options: REPLAY_FLAGS,
  conflicts: [{ option: "--dry-run", excludes: ["--mark"], because: ", which is written to the journal" }],
  examples: {
    "mcp-codegen replay changes.jsonl --env production --dry-run": "print the plan",
  },
  load: async () => (await import("./replay.js")).runReplayCommand,
});
