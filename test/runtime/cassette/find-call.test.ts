import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { type CassetteCall, keyOf } from "../../../src/runtime/cassette/cassette-file.js";
import { findRecordedCalls, notRecorded } from "../../../src/runtime/cassette/find-call.js";

const recorded = (...all: readonly JsonObject[]): ReadonlyMap<string, readonly CassetteCall[]> =>
  new Map(all.map((args) => [keyOf({ arguments: args }), [{ arguments: args, result: {} } as CassetteCall]]));

const ROWS: [string, readonly JsonObject[], JsonObject, string][] = [
  ["no call", [], {}, 'Tool "find" of server "shop" has no calls in cassette "calls".'],
  ["another value", [{ a: 1, b: 2 }], { a: 1, b: 3 }, 'The recorded call, {"a":1,"b":2}, differs in "b".'],
  ["a lost argument", [{ a: 1, b: 2 }], { a: 1 }, 'The recorded call, {"a":1,"b":2}, differs in "b".'],
  ["a new argument", [{ a: 1 }], { a: 1, b: 2 }, 'The recorded call, {"a":1}, differs in "b".'],
  ["the nearest call", [{ a: 2, b: 1 }, { a: 1, b: 2, c: 3 }], { a: 1, b: 2 }, 'The nearest of 2 recorded calls, {"a":1,"b":2,"c":3}, differs in "c".'],
  ["the first of two that are as near", [{ a: 2 }, { a: 3 }], { a: 1 }, 'The nearest of 2 recorded calls, {"a":2}, differs in "a".'],
  ["five of the names", [{}], { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, 'The recorded call, {}, differs in "a", "b", "c", "d", "e" and 1 more.'],
  ["equal arguments", [{ a: { b: 1, c: 2 } }], { a: { c: 2, b: 1 } }, 'The recorded call, {"a":{"b":1,"c":2}}, differs only in redacted values.'],
]; // prettier-ignore

test.each(ROWS)("the error names %s", (_what, calls, args, message) => {
  const error = notRecorded("calls", { server: "shop", tool: "find" }, { calls: recorded(...calls), args });
  const hint = 'Pass mode: "new" and run once with the server, or set MCP_CODEGEN_RECORD=calls.';
  expect(error).toMatchObject({ code: "CALL_NOT_RECORDED", hint });
  expect(error.message.endsWith(message)).toBe(true);
});

test.each([
  ["prompt", "Prompt"],
  ["resource", "Resource"],
] as const)("the error of a %s says that it was requested", (kind, noun) => {
  const subject = { server: "shop", kind, tool: "x" };
  const { message } = notRecorded("calls", subject, { calls: recorded({}), args: { a: 1 } });
  expect(message).toContain(
    `${noun} "x" of server "shop" was requested with {"a":1}, which is not in cassette "calls".`,
  );
});

test.each<[string, readonly JsonObject[], JsonObject, JsonObject | undefined]>([
  ["the same arguments", [{ a: 1 }], { a: 1 }, { a: 1 }],
  ["other arguments", [{ a: 1 }], { a: 2 }, undefined],
  ["a redacted text", [{ a: "[redacted]" }], { a: "key" }, { a: "[redacted]" }],
  ["a text around it", [{ a: "x [redacted] y" }], { a: "x key y" }, { a: "x [redacted] y" }],
  ["another text around it", [{ a: "x [redacted] y" }], { a: "x key z" }, undefined],
  ["a text that is too short", [{ a: "ab[redacted]ba" }], { a: "aba" }, undefined],
  ["two redacted parts", [{ a: "[redacted]-[redacted]" }], { a: "k-l" }, { a: "[redacted]-[redacted]" }],
  ["two parts without what is between", [{ a: "[redacted]-[redacted]" }], { a: "kl" }, undefined],
  ["a redacted text in a list", [{ a: [1, "[redacted]"] }], { a: [1, "k"] }, { a: [1, "[redacted]"] }],
  ["a longer list", [{ a: ["[redacted]"] }], { a: ["k", 1] }, undefined],
  ["another key", [{ a: { b: "[redacted]" } }], { a: { c: "k" } }, undefined],
  ["a number for a redacted text", [{ a: "[redacted]" }], { a: 1 }, undefined],
  ["two calls that fit", [{ a: "[redacted]" }, { a: "x[redacted]" }], { a: "xy" }, undefined],
])("finds a recorded call for %s", (_what, calls, args, call) => {
  const fitting = findRecordedCalls(recorded(...calls), args);
  expect(fitting?.map((each) => each.arguments)).toEqual(call === undefined ? undefined : [call]);
});
