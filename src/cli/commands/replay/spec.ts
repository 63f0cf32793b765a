import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const REPLAY_FLAGS = {
  env: { ...SHARED.env, help: "make the calls in this environment of each server" },
  dryRun: SHARED.dryRun,
  yes: { help: "replay without asking" },
  journal: {
    value: "file",
    help: "the file that records the replay (default: next to <changes>, one for each environment)",
  },
  references: {
    value: "file",
    help: "a JSON file that lists which arguments are ids created by earlier calls",
  },
  skip: { value: "step", repeatable: true, help: "skip this step (repeatable)" },
  allow: {
    value: "conflict",
    repeatable: true,
    help: "replay despite conflicts of this kind, such as foreign-id (repeatable)",
  },
  mark: {
    value: "step=outcome",
    repeatable: true,
    help: "resolve a step whose outcome is unknown: done, done=<its result as JSON>, retry or skip (repeatable)",
  },
  allowUnlocked: SHARED.allowUnlocked,
} as const satisfies OptionTable;

export const replayCommand = defineCommand({
  summary: "replay recorded tool calls in another environment",
  description: [
    "Reads the calls that a tracker recorded and makes them again, in order, in another environment. Replaces ids",
    "of created objects with the ids that the environment returns. Prints the plan first, including anything it",
    "cannot determine. Stops at the first failure; run the same command to continue. Completed steps are recorded",
    "in the journal and never repeated. Exit codes: 0 done, 1 conflict or refusal, 2 invalid input, 3 unknown",
    "outcome of a step.",
  ],
  arguments: [{ name: "<changes>", help: "a file of recorded calls, written by openChangeFile" }],
  options: REPLAY_FLAGS,
  examples: [
    { line: "mcp-codegen replay changes.jsonl --env production --dry-run", does: "print the plan" },
    { line: "mcp-codegen replay changes.jsonl --env production", does: "print the plan, ask, then replay" },
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
  load: async () => (await import("./run.js")).runReplayCommand,
});
