/** Functions of `mcp-codegen/replay` and `mcp-codegen/node` refuse arguments that TypeScript would refuse, and say how to fix them. */
import { describe, expect, test } from "vitest";
import * as node from "../../../src/agent/modules/index.js";
import * as replay from "../../../src/agent/replay/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { connectTools } from "../../../src/codegen.js";
import { McpCodegenError } from "../../../src/core/errors.js";
import type { FinishedCall } from "../../../src/core/call.js";
import * as example from "../../../generated/example/index.js";

/** A value as a program without types passes it. */
const untyped = (value: unknown): never => value as never;

const environment = "production";
const journal = replay.memoryLines();
const plan = await replay.planReplay([], { environment, tools: example });
const change = { tool: "note", server: "site", args: {}, result: null, at: "2026-01-02T03:04:05.000Z" };
const unreadable = { ...plan, steps: [{ number: 1, change, references: [], isSkipped: false, tool: {} }] };
const tracker = replay.createChangeTracker();

const planWith = (target: object): unknown =>
  replay.planReplay([], untyped({ environment, tools: example, ...target }));
const planOf = (changes: unknown): unknown =>
  replay.planReplay(untyped(changes), { environment, tools: example });
const open = (options: unknown): unknown => replay.createChangeTracker(untyped(options));
const read = (result: unknown, fields: unknown = {}): unknown =>
  tracker.trackFromAgentResult(untyped(result), untyped(fields));
const keep = (made: unknown) => (): void => {
  tracker.track(untyped(made));
};
const replayWith = (options: object): unknown => replay.replay(plan, untyped({ journal, ...options }));

const TOOLS = "Use a registry, the result of connect(), a server's index, or an array of these.";
const CHANGES = "Use the changes of a tracker, or of readChanges of mcp-codegen/node.";
const REFERENCES = 'Use declarations such as { "update-post": { id: "create-post.id" } }.';
const CONFLICTS =
  "Use an array of kinds of conflicts: ambiguous-id, foreign-id, unknown-outcome, contract-differs, same-environment, " +
  "tool-missing, input-invalid, source-skipped.";
const STEPS = "Use an array of numbers of steps.";
const PLAN = "Use the plan that planReplay returned, not a copy.";
const LINES = "Use memoryLines(), or openChangeFile() or openJournal() of mcp-codegen/node.";
const DECISIONS = 'Use a Map such as new Map([[3, { as: "retry" }]]).';
const RESULT = "Use the result of generateText or streamText of the AI SDK, with its list of steps.";
const FIELDS = 'Use an object such as { user: "ada" }.';
const TEXT = "Use a string.";
const CHANGE = "Pass { tool, server, args, result, at } and your own fields.";
const ARRAY = 'Use an array of lines, such as text.split("\\n").';

const ROWS: readonly (readonly [message: string, hint: string, call: () => unknown])[] = [
  ['planReplay: missing option "tools".', TOOLS, () => planWith({ tools: undefined })],
  ["planReplay: invalid tools: null.", TOOLS, () => planWith({ tools: null })],
  ["planReplay: invalid tools: 5.", TOOLS, () => planWith({ tools: 5 })],
  ['planReplay: invalid tools: "example".', TOOLS, () => planWith({ tools: "example" })],
  ["planReplay: invalid tools: an object.", TOOLS, () => planWith({ tools: {} })],
  ["planReplay: invalid tools: an object.", TOOLS, () => planWith({ tools: { example } })],
  ["planReplay: invalid tools: a function.", TOOLS, () => planWith({ tools: example.connect })],
  ["planReplay: invalid tools: an array.", TOOLS, () => planWith({ tools: [] })],
  ["planReplay: invalid tools: an array.", TOOLS, () => planWith({ tools: [example, undefined] })],
  ['planReplay: missing option "environment".', TEXT, () => planWith({ environment: undefined })],
  ['planReplay: invalid references["a"]: null.', REFERENCES, () => planWith({ references: { a: null } })],
  [
    'planReplay: invalid references["a"]["b"]: 5.',
    REFERENCES,
    () => planWith({ references: { a: { b: 5 } } }),
  ],
  ['planReplay: invalid skip[0]: "1".', STEPS, () => planWith({ skip: ["1"] })],
  ["planReplay: invalid accept[0]: 1.", CONFLICTS, () => planWith({ accept: [1] })],
  ['planReplay: invalid accept[0]: "foreign-ids".', CONFLICTS, () => planWith({ accept: ["foreign-ids"] })],
  [
    "planReplay: expected an object, got undefined.",
    "Options: environment, tools, references, accept, skip, options.",
    () => replay.planReplay([], untyped(undefined)),
  ],
  ["planReplay: invalid changes: undefined.", CHANGES, () => planOf(undefined)],
  ["planReplay: invalid changes: an object.", CHANGES, () => planOf({ changes: [] })],
  ["replay: invalid plan: undefined.", PLAN, () => replay.replay(untyped(undefined), { journal })],
  ["replay: invalid plan: an object.", PLAN, () => replay.replay(untyped(unreadable), { journal })],
  ['replay: missing option "journal".', LINES, () => replayWith({ journal: undefined })],
  ["replay: invalid journal: an object.", LINES, () => replayWith({ journal: { append: () => undefined } })],
  [
    "replay: invalid decisions: an object.",
    DECISIONS,
    () => replayWith({ decisions: { 1: { as: "skip" } } }),
  ],
  [
    "replay: invalid decisions: an object.",
    DECISIONS,
    () => replayWith({ decisions: new Map([[1, "skip"]]) }),
  ],
  [
    "replay: invalid decisions: an object.",
    DECISIONS,
    () => replayWith({ decisions: new Map([[1, { as: "go" }]]) }),
  ],
  [
    "replay: invalid signal: an object.",
    "Use an AbortSignal.",
    () => replayWith({ signal: new AbortController() }),
  ],
  ["createChangeTracker: invalid store: an object.", LINES, () => open({ store: {} })],
  [
    "createChangeTracker: invalid tools[0]: undefined.",
    "Use a registry, a toolset, what connect() returned, a module of generated tools, or an array of tools.",
    () => open({ tools: [undefined] }),
  ],
  ["trackFromAgentResult: invalid result: undefined.", RESULT, () => read(undefined)],
  ["trackFromAgentResult: invalid result: an object.", RESULT, () => read({})],
  ["trackFromAgentResult: invalid result: an object.", RESULT, () => read({ steps: Promise.resolve(5) })],
  ['trackFromAgentResult: invalid fields: "ada".', FIELDS, () => read({ steps: [] }, "ada")],
  ['with: invalid fields: "ada".', FIELDS, () => tracker.with(untyped("ada"))],
  ["with: invalid fields: undefined.", FIELDS, () => tracker.with(untyped(undefined))],
  [
    'with: the object of fields is invalid: its "outcome" is neither "unfit" nor "unknown".',
    FIELDS,
    () => tracker.with({ outcome: "good" }),
  ],
  ["track: the change is invalid: it is not an object.", CHANGE, keep(undefined)],
  ['track: the change is invalid: its "at" is not a string.', CHANGE, keep({ ...change, at: undefined })],
  ["parseChanges: invalid lines: undefined.", ARRAY, () => replay.parseChanges(untyped(undefined))],
  [
    `parseChanges: invalid lines: "${"x".repeat(60)}…".`,
    ARRAY,
    () => replay.parseChanges(untyped("x".repeat(1000))),
  ],
  ["openChangeFile: invalid path: undefined.", TEXT, () => node.openChangeFile(untyped(undefined))],
  [
    "openChangeFile: invalid path: an object.",
    TEXT,
    () => node.openChangeFile(untyped(new URL("file:///changes"))),
  ],
  ["openJournal: invalid path: undefined.", TEXT, () => node.openJournal(untyped(undefined))],
  ["readChanges: invalid path: undefined.", TEXT, () => node.readChanges(untyped(undefined))],
  [
    "keepVectors: invalid embedder: undefined.",
    "Use an object with the method embed(texts).",
    () => node.keepVectors(untyped(undefined), { path: "vectors", model: "any" }),
  ],
  [
    'keepVectors: missing option "model".',
    TEXT,
    () => node.keepVectors({ embed: () => Promise.resolve([]) }, untyped({ path: "vectors" })),
  ],
];

test.each(ROWS)("%s", async (message, hint, call) => {
  const error: unknown = await Promise.resolve()
    .then(call)
    .catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(McpCodegenError);
  const code = message.includes("invalid: ") ? "CHANGES_INVALID" : "USAGE";
  expect(error).toMatchObject({ code, message, hint });
});

describe("a target without tools", () => {
  test.each([
    ["a registry", createRegistry({ environment })],
    ["a connection", connectTools(example.server, {})],
    ["an index", { server: example.server }],
  ])("may be %s", async (_what, tools) => {
    expect((await replay.planReplay([change], { environment, tools })).conflicts).toMatchObject([
      { kind: "tool-missing" },
    ]);
  });
});

test("a call without arguments is recorded", () => {
  tracker.record({
    tool: { name: "note", server: { name: "" } },
    args: undefined,
    result: { ok: true, value: 1 },
  });
  expect(tracker.changes()).toMatchObject([{ tool: "note", args: null, result: 1 }]);
  tracker.clear();
});

test("fields of the user's own do not replace what is recorded", () => {
  const result = { ok: true, value: 1 } as const;
  const call: FinishedCall = { tool: { name: "note", server: { name: "site" } }, args: {}, result };
  const recorder = tracker.with({ tool: "other", user: "ada" });
  expect(Object.keys(recorder)).toEqual(["record"]);
  recorder.record(call);
  tracker.trackFromAgentResult(
    {
      steps: [
        {
          toolCalls: [{ toolCallId: "a", toolName: "site__note", input: {} }],
          toolResults: [{ type: "tool-result", toolCallId: "a", output: 1 }],
        },
      ],
    },
    { server: "other", step: 9, user: "grace" },
  );
  expect(tracker.changes()).toMatchObject([
    { tool: "note", server: "site", user: "ada" },
    { tool: "note", server: "site", step: 0, user: "grace" },
  ]);
  tracker.clear();
});
