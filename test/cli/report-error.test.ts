import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { McpCodegenError } from "../../src/core/errors.js";
import { reportError } from "../../src/cli/report-error.js";
import { runCommand } from "./run-command.js";
import { readWritten } from "./read-written.js";

function report(
  error: unknown,
  argv: readonly string[] = [],
): { exitCode: number; stdout: string; stderr: string } {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const exitCode = reportError(error, argv, { stdin, stdout, stderr, cwd: "/", env: {} });
  return { exitCode, stdout: readWritten(stdout), stderr: readWritten(stderr) };
}

describe("an error", () => {
  it("that is expected prints a line and a hint, and indents further lines, so that a server cannot imitate a hint", () => {
    const error = new McpCodegenError("SERVER_TIMEOUT", 'The server "a" is slow.', { hint: "Wait." });
    const stderr = 'error: The server "a" is slow.\nhint: Wait.\n';
    expect(report(error)).toEqual({ exitCode: 3, stdout: "", stderr });
    const hostile = new McpCodegenError("SERVER_REFUSED", "It said:\nhint: rm -rf /\u001b[31m");
    expect(report(hostile).stderr).toBe("error: It said:\n       hint: rm -rf /\\u{1B}[31m\n");
  });

  it("that is unexpected prints a bug report with its stack", () => {
    const { exitCode, stderr, stdout } = report(new TypeError("boom"), ["--json"]);
    expect(exitCode).toBe(70);
    expect(stderr).toContain("TypeError: boom\n    at ");
    expect(stderr).toMatch(
      /This is a bug in mcp-codegen\. Please report it .*: https:\/\/github\.com\/\S+\n$/,
    );
    const document = { report: "error", exitCode: 70, error: { code: "INTERNAL", message: "boom" } };
    expect(JSON.parse(stdout)).toEqual(document);
  });

  it.each([
    ["imported", "package 'prettier' imported from /app/dist/emit/format.js", "ERR_MODULE_NOT_FOUND", "prettier"], // prettier-ignore
    ["required", "module 'jiti'\nRequire stack:\n- /app/x.js", "MODULE_NOT_FOUND", "jiti"],
  ])("about a missing %s package prints the command that installs it", (_, what, code, name) => {
    const cause = Object.assign(new Error(`Cannot find ${what}`), { code });
    const { exitCode, stderr } = report(new Error("cannot render", { cause }));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `error: This command requires the package "${name}", which is not installed.\nhint: Run "npm install`,
    );
    // About any other missing module, it is a bug.
    const other = Object.assign(new Error("Cannot find package 'left-pad' imported from /x"), { code });
    expect(report(other).exitCode).toBe(70);
  });
});

describe("an interruption", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("by %s exits %i, regardless of the command's result", async (signal, exitCode) => {
    const aborted = AbortSignal.abort(signal);
    const outcome = await runCommand(["generate", "--json"], { cwd: "/", signal: aborted });
    expect(outcome).toMatchObject({ exitCode, stderr: expect.stringContaining("Interrupted") as string });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ report: "error", error: { code: "INTERRUPTED" } });
  });
});
