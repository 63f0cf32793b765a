/** Functions of `mcp-codegen/replay` and `mcp-codegen/node` refuse arguments that TypeScript would refuse, and say how to fix them. */
import { expect, test } from "vitest";
import * as node from "../../../src/agent/modules/index.js";
import * as replay from "../../../src/agent/replay/index.js";
import { createRegistry, McpCodegenError } from "../../../src/agent/index.js";
import { connectTools } from "../../../src/codegen.js";
import { describeValue } from "../../../src/core/check-options.js";
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
const SOURCES =
  "Use a registry, a toolset, what connect() returned, a module of generated tools, or an array of tools.";
const EMBEDDER = "Use an object with the method embed(texts).";
const vectors = { path: "vectors", model: "any" };
const ARRAY = 'Use an array of lines, such as text.split("\\n").';

/** What is wrong, the hint, a call with a value in that place, and values that it refuses. */
type Kind = readonly [what: string, hint: string, call: (value: unknown) => unknown, ...values: unknown[]];
const KINDS: readonly Kind[] = [
  ["planReplay: invalid tools", TOOLS, (tools) => planWith({ tools }), null, 5, "example", {}, { example }, example.connect, [], [example, undefined]],
  ['planReplay: invalid references["a"]', REFERENCES, (a) => planWith({ references: { a } }), null],
  ['planReplay: invalid references["a"]["b"]', REFERENCES, (b) => planWith({ references: { a: { b } } }), 5],
  ["planReplay: invalid skip[0]", STEPS, (step) => planWith({ skip: [step] }), "1"],
  ["planReplay: invalid accept[0]", CONFLICTS, (kind) => planWith({ accept: [kind] }), 1, "foreign-ids"],
  ["planReplay: invalid changes", CHANGES, planOf, undefined, { changes: [] }],
  ["replay: invalid plan", PLAN, (made) => replay.replay(untyped(made), { journal }), undefined, unreadable],
  ["replay: invalid journal", LINES, (lines) => replayWith({ journal: lines }), { append: () => undefined }],
  ["replay: invalid decisions", DECISIONS, (decisions) => replayWith({ decisions }), { 1: {} }, new Map([[1, "skip"]]), new Map([[1, { as: "go" }]])],
  ["replay: invalid signal", "Use an AbortSignal.", (signal) => replayWith({ signal }), new AbortController()],
  ["createChangeTracker: invalid store", LINES, (store) => open({ store }), {}],
  ["createChangeTracker: invalid tools[0]", SOURCES, (tool) => open({ tools: [tool] }), undefined],
  ["trackFromAgentResult: invalid result", RESULT, read, undefined, {}, { steps: Promise.resolve(5) }],
  ["trackFromAgentResult: invalid fields", FIELDS, (fields) => read({ steps: [] }, fields), "ada"],
  ["with: invalid fields", FIELDS, (fields) => tracker.with(untyped(fields)), "ada", undefined],
  ["parseChanges: invalid lines", ARRAY, (lines) => replay.parseChanges(untyped(lines)), undefined, "x".repeat(1000)],
  ["openChangeFile: invalid path", TEXT, (path) => node.openChangeFile(untyped(path)), undefined, new URL("file:///a")],
  ["openJournal: invalid path", TEXT, (path) => node.openJournal(untyped(path)), undefined],
  ["readChanges: invalid path", TEXT, (path) => node.readChanges(untyped(path)), undefined],
  ["keepVectors: invalid embedder", EMBEDDER, (made) => node.keepVectors(untyped(made), vectors), undefined],
]; // prettier-ignore

const PLAN_OPTIONS = "Options: environment, tools, references, accept, skip, options.";
const OUTCOME = 'with: the object of fields is invalid: its "outcome" is neither "unfit" nor "unknown".';
const ROWS: readonly (readonly [message: string, hint: string, call: () => unknown])[] = [
  ...KINDS.flatMap(([what, hint, call, ...values]) =>
    values.map((value) => [`${what}: ${describeValue(value)}.`, hint, () => call(value)] as const)),
  ['planReplay: missing option "tools".', TOOLS, () => planWith({ tools: undefined })],
  ['planReplay: missing option "environment".', TEXT, () => planWith({ environment: undefined })],
  ["planReplay: expected an object, got undefined.", PLAN_OPTIONS, () => replay.planReplay([], untyped(undefined))],
  ['replay: missing option "journal".', LINES, () => replayWith({ journal: undefined })],
  [OUTCOME, FIELDS, () => tracker.with({ outcome: "good" })],
  ["track: the change is invalid: it is not an object.", CHANGE, keep(undefined)],
  ['track: the change is invalid: its "at" is not a string.', CHANGE, keep({ ...change, at: undefined })],
  ['keepVectors: missing option "model".', TEXT, () => node.keepVectors({ embed: () => Promise.resolve([]) }, untyped({ path: "vectors" }))],
]; // prettier-ignore

test.each(ROWS)("%s", async (message, hint, call) => {
  const error: unknown = await Promise.resolve()
    .then(call)
    .catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(McpCodegenError);
  const code = message.includes("invalid: ") ? "CHANGES_INVALID" : "USAGE";
  expect(error).toMatchObject({ code, message, hint });
});

test.each([
  ["a registry", createRegistry({ environment })],
  ["a connection", connectTools(example.server, {})],
  ["an index", { server: example.server }],
])("a target without tools may be %s", async (_what, tools) => {
  const { conflicts } = await replay.planReplay([change], { environment, tools });
  expect(conflicts).toMatchObject([{ kind: "tool-missing" }]);
});

test("a call without arguments is recorded", () => {
  const made = { tool: { name: "note", server: { name: "" } }, args: undefined };
  tracker.record({ ...made, result: { ok: true, value: 1 } });
  expect(tracker.changes()).toMatchObject([{ tool: "note", args: null, result: 1 }]);
  tracker.clear();
});

test("fields of the user's own do not replace what is recorded", () => {
  const result = { ok: true, value: 1 } as const;
  const call: FinishedCall = { tool: { name: "note", server: { name: "site" } }, args: {}, result };
  const recorder = tracker.with({ tool: "other", user: "ada" });
  expect(Object.keys(recorder)).toEqual(["record"]);
  recorder.record(call);
  const toolCalls = [{ toolCallId: "a", toolName: "site__note", input: {} }];
  const toolResults = [{ type: "tool-result", toolCallId: "a", output: 1 }];
  const fields = { server: "other", step: 9, user: "grace" };
  tracker.trackFromAgentResult({ steps: [{ toolCalls, toolResults }] }, fields);
  expect(tracker.changes()).toMatchObject([
    { tool: "note", server: "site", user: "ada" },
    { tool: "note", server: "site", step: 0, user: "grace" },
  ]);
  tracker.clear();
});
