import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createCommandContext } from "../../src/cli/context.js";
import { showCallProgress } from "../../src/cli/show-progress.js";
import { readWritten } from "./read-written.js";

async function show(
  events: readonly { progress: number; total?: number; message?: string }[],
): Promise<string> {
  const stderr = new PassThrough();
  const context = createCommandContext(
    { stdin: new PassThrough(), stdout: new PassThrough(), stderr, cwd: ".", env: {} },
    {},
  );
  const view = await showCallProgress(context);
  for (const event of events) view.onProgress(event);
  view.close();
  view.onProgress({ progress: 99, total: 100 });
  return readWritten(stderr);
}

it("writes a plain line for every tenth of the work without a terminal", async () => {
  const steps = Array.from({ length: 100 }, (_, progress) => ({ progress, total: 100 }));
  expect((await show(steps)).split("\n").filter((line) => line !== "")).toHaveLength(10);
  expect(await show([{ progress: 5, total: 10 }])).toBe("5 of 10\n");
});

it("writes a line for each power of ten without a total, and for every message", async () => {
  const steps = Array.from({ length: 5_000 }, (_, progress) => ({ progress }));
  expect((await show(steps)).split("\n").filter((line) => line !== "")).toHaveLength(4);
  expect(
    await show([
      { progress: 1, message: "\u001b[31mred" },
      { progress: 2, message: "done" },
    ]),
  ).toBe("1: \\u{1B}[31mred\n2: done\n");
});
