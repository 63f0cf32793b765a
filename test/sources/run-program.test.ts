import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runProgram } from "../../src/sources/run-program.js";

const OPTIONS = { cwd: tmpdir(), stdin: "", seconds: 60, limit: 1_000 };

function node(code: string): readonly string[] {
  return [process.execPath, "-e", code];
}

test("passes stdin, and returns output and exit code", async () => {
  const code = "process.stdin.pipe(process.stdout); console.error('said'); process.exitCode = 4";
  expect(await runProgram(node(code), { ...OPTIONS, stdin: "given" })).toEqual({
    kind: "ended",
    code: 4,
    stdout: "given",
    stderr: "said\n",
  });
});

test("stops an endless program", async () => {
  const end = await runProgram(node("setInterval(() => {}, 1000)"), { ...OPTIONS, seconds: 0.2 });
  expect(end).toEqual({ kind: "timed-out" });
});

test("stops a program that prints too much", async () => {
  const code = "setInterval(() => process.stdout.write('x'.repeat(500)), 1)";
  expect(await runProgram(node(code), OPTIONS)).toEqual({ kind: "too-long" });
});

test("accepts a program that does not read its input", async () => {
  const end = await runProgram(node("process.stdin.destroy()"), { ...OPTIONS, stdin: "x".repeat(1 << 20) });
  expect(end).toMatchObject({ kind: "ended", code: 0 });
});

test("reports a program that is not installed", async () => {
  expect(await runProgram(["no-such-program"], OPTIONS)).toEqual({ kind: "not-found" });
});
