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

const MAKERS = {
  McpCodegenError: (copy: typeof here) => new copy.McpCodegenError("USAGE", "No."),
  ToolCallError: (copy: typeof here) => new copy.ToolCallError(TOOL_ERROR),
  ServerRequestError: (copy: typeof here) => new copy.ServerRequestError(REQUEST_ERROR),
};

test("every public error class has a row", () => {
  const classes = Object.entries(here).filter(
    ([, value]) => typeof value === "function" && value.prototype instanceof Error,
  );
  expect(classes.map(([name]) => name).sort()).toEqual(Object.keys(MAKERS).sort());
});

test.each(["McpCodegenError", "ToolCallError", "ServerRequestError"] as const)(
  "%s is recognized from another copy of the package, and nothing else is",
  (name) => {
    expect(here[name]).not.toBe(other[name]);
    for (const [made, make] of Object.entries(MAKERS)) {
      expect(make(here) instanceof here[name], `${made}, this copy`).toBe(made === name);
      expect(make(other) instanceof here[name], `${made}, the other copy`).toBe(made === name);
    }
    expect(new Error("x") instanceof here[name]).toBe(false);
    expect({ name } instanceof here[name]).toBe(false);
  },
);

test("a program's subclass of a public error has no other instances", () => {
  class OwnToolError extends here.ToolCallError {}
  class OwnRequestError extends here.ServerRequestError {}
  class OwnError extends here.McpCodegenError {}
  expect(new OwnToolError(TOOL_ERROR) instanceof OwnToolError).toBe(true);
  expect(new OwnToolError(TOOL_ERROR) instanceof other.ToolCallError).toBe(true);
  expect(MAKERS.ToolCallError(here) instanceof OwnToolError).toBe(false);
  expect(MAKERS.ServerRequestError(here) instanceof OwnRequestError).toBe(false);
  expect(MAKERS.McpCodegenError(here) instanceof OwnError).toBe(false);
});

test("an error has a cause only if there is one", () => {
  const without = [
    new here.ToolCallError(TOOL_ERROR),
    new here.ServerRequestError(REQUEST_ERROR),
    new InputRequiredError("asks", []),
  ];
  expect(without.map((error) => "cause" in error)).toEqual([false, false, false]);
  const errors = [
    new here.ToolCallError({ ...TOOL_ERROR, cause: "x" }),
    new here.ServerRequestError({ ...REQUEST_ERROR, cause: "x" }),
    new InputRequiredError("asks", [], { cause: "x" }),
  ];
  expect(errors.map(({ cause }) => cause)).toEqual(["x", "x", "x"]);
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
