import { expect, test, vi } from "vitest";
import { HttpStatusError, RpcError, SessionLostError, UnsentError } from "../../src/client/server-errors.js";
import { isPassing, isSessionLost } from "../../src/runtime/client/caller.js";
import { InputRequiredError, toToolError } from "../../src/runtime/fail-call.js";
import * as here from "../../src/runtime/index.js";

// A loader such as tsx runs a CommonJS project's imports in one copy of the package, and its dynamic imports in another.
vi.resetModules();
const other = await import("../../src/runtime/index.js");
const { RpcError: OtherRpcError, SessionLostError: OtherSessionLostError } =
  await import("../../src/client/server-errors.js");

const common = { message: "No.", retryable: true, server: "blog" };
const TOOL_ERROR = { ...common, code: "TOOL_UNAVAILABLE", tool: "get-post" } as const;
const REQUEST_ERROR = { ...common, code: "FAILED", kind: "prompt", target: "x" } as const;
/** Every public error class. */
const MAKERS = {
  McpCodegenError: (copy: typeof here) => new copy.McpCodegenError("USAGE", "No."),
  ToolCallError: (copy: typeof here) => new copy.ToolCallError(TOOL_ERROR),
  ServerRequestError: (copy: typeof here) => new copy.ServerRequestError(REQUEST_ERROR),
};
type Name = keyof typeof MAKERS;

const classes = Object.entries(here).flatMap(([name, value]) =>
  typeof value === "function" && value.prototype instanceof Error ? [name as Name] : [],
);
test.each(classes)("%s is recognized from another copy of the package, and nothing else is", (name) => {
  expect(here[name]).not.toBe(other[name]);
  for (const [made, make] of Object.entries(MAKERS))
    for (const copy of [here, other]) expect(make(copy) instanceof here[name], made).toBe(made === name);
  expect(new Error("x") instanceof here[name]).toBe(false);
  expect({ name } instanceof here[name]).toBe(false);
  // A program's subclass has no other instances.
  class Own extends (here[name] as typeof here.ToolCallError) {}
  expect(MAKERS[name](here) instanceof Own).toBe(false);
});

test("an instance of a program's subclass is one of the class, in both copies", () => {
  class OwnToolError extends here.ToolCallError {}
  const error = new OwnToolError(TOOL_ERROR);
  expect([OwnToolError, other.ToolCallError].map((each) => error instanceof each)).toEqual([true, true]);
});

test.each([[{}], [{ cause: "x" }]])("an error has a cause only if there is one: %j", (given) => {
  for (const error of [
    new here.ToolCallError({ ...TOOL_ERROR, ...given }),
    new here.ServerRequestError({ ...REQUEST_ERROR, ...given }),
    new InputRequiredError("asks", [], given),
  ])
    expect("cause" in error ? { cause: error.cause } : {}).toStrictEqual(given);
});

test("the subclasses of an error stay apart", () => {
  expect(new RpcError("a call", { code: 1, message: "x" })).toBeInstanceOf(here.McpCodegenError);
  expect(new RpcError("a call", { code: 1, message: "x" }) instanceof HttpStatusError).toBe(false);
  expect(new UnsentError("SERVER_UNREACHABLE", "x") instanceof SessionLostError).toBe(false);
  expect(new here.McpCodegenError("USAGE", "x") instanceof RpcError).toBe(false);
});

test("errors of the other copy's transport are explained and tried again like ours", () => {
  const subject = { name: "get-post", server: here.defineServer({ name: "blog", contract: "1.0.0" }) };
  const refused = new OtherRpcError("tools/call", { code: -32602, message: "title is missing" });
  expect(toToolError(subject, refused).code).toBe("TOOL_INVALID_INPUT");
  const lost = new OtherSessionLostError("blog");
  expect([isPassing(lost), isSessionLost(lost)]).toEqual([true, true]);
  const timeout = new other.McpCodegenError("SERVER_TIMEOUT", "Too slow.", { hint: "Raise timeouts.call." });
  expect(toToolError(subject, timeout).message).toContain("Raise timeouts.call.");
  expect(toToolError(subject, new other.ToolCallError(TOOL_ERROR))).toEqual(TOOL_ERROR);
});
