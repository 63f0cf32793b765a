import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Context, createCommandContext } from "../../src/cli/context.js";
import { showCallProgress, showProgress, showRendering } from "../../src/cli/show-progress.js";
import { readWritten } from "./read-written.js";
import type { ListProgress as Progress } from "../../src/sources/snapshot-servers.js";

const EVENTS: readonly Progress[] = [
  { server: "site", stage: "connecting" },
  { server: "shop", stage: "connecting" },
  { server: "site", stage: "listing", page: 1, tools: 100 },
  { server: "site", stage: "listing", page: 2, tools: 200 },
  { server: "site", stage: "listing", page: 10, tools: 1_000 },
  { server: "site", stage: "listing", page: 11, tools: 1_100 },
  { server: "shop", stage: "failed", message: "refused\u001b[31m\nhint: trust me" },
  { server: "site", stage: "done", tools: 1_120, isAsLocked: false },
];
/** A context whose stderr is read. */
function open(
  isTTY: boolean,
  env: Context["io"]["env"] = {},
): { readonly context: Context; readonly stderr: PassThrough } {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr, cwd: "/", env };
  return { context: createCommandContext(io, {}), stderr };
}

async function show(
  isTTY: boolean,
  events: readonly Progress[],
  wait = (): void => undefined,
): Promise<string> {
  const { context, stderr } = open(isTTY, { NO_COLOR: "1" });
  const progress = await showProgress(context);
  for (const event of events) progress.onProgress(event);
  wait();
  const text = readWritten(stderr);
  progress.close();
  const end = readWritten(stderr);
  progress.onProgress({ server: "late", stage: "connecting" });
  expect(readWritten(stderr)).toBe("");
  return text + end;
}

it("writes plain lines without a terminal, and only pages 10, 100 and so on", async () => {
  const lines = [
    "site: connecting",
    "shop: connecting",
    "site: listing, page 10, 1,000 tools",
    "shop: failed",
    "site: done, 1,120 tools, not as locked",
  ];
  expect(await show(false, EVENTS)).toBe(`${lines.join("\n")}\n`);
});

it.each([true, false])(
  "says what all servers wait for, once they are listed (terminal: %s)",
  async (isTTY) => {
    const text = await show(isTTY, [
      { server: "", stage: "comparing", tools: 1_120 },
      { server: "", stage: "searching" },
    ]);
    expect(text).toContain("comparing 1,120 tools with the lock\n".slice(0, isTTY ? -1 : undefined));
    expect(text).toContain("looking for lines of your code");
  },
);

it("updates one line per server on a terminal, and clears them at the end", async () => {
  const text = await show(true, EVENTS);
  const last = text.slice(text.lastIndexOf("✔ site"));
  expect(text).toContain("⠋ site: connecting");
  expect(last).toMatch(
    /^✔ site: done, 1,120 tools, not as locked\n✖ shop: failed: refused.*hint: trust me\n/,
  );
  expect(last).toContain("\u001b[2K"); // erased
});

describe("a server that has not answered yet", () => {
  const event: Progress = {
    ...{ server: "files", stage: "connecting" },
    waitsFor: "npx may still be installing some-server",
  };
  const other: Progress = { server: "site", stage: "done", tools: 3 };

  it.each([
    [true, 4_000, "files: connecting for 4 s; npx may still be installing some-server\n✔ site: done, 3 tools"], // prettier-ignore
    [false, 10_000, "files: connecting\nsite: done, 3 tools\nfiles: connecting for 10 s; npx may still"],
  ])("is shown with the elapsed time and the reason (terminal: %s)", async (isTTY, elapsed, text) => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await show(isTTY, [event, other], () => vi.advanceTimersByTime(elapsed))).toContain(text);
  });

  it("is not reported once it has answered", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const done: Progress = { server: "files", stage: "done", tools: 1 };
    const text = await show(false, [event, done], () => vi.advanceTimersByTime(60_000));
    expect(text).toBe("files: connecting\nfiles: done, 1 tool\n");
  });
});

async function showRender(isTTY: boolean, total: number): Promise<string> {
  const { context, stderr } = open(isTTY);
  const rendering = showRendering(context);
  rendering.onRender(12, total);
  await import("log-update");
  await Promise.resolve();
  rendering.onRender(24, total);
  rendering.close();
  rendering.onRender(36, total);
  return readWritten(stderr);
}

it("shows the number of rendered files if there are many", async () => {
  expect(await showRender(false, 1_003)).toBe("rendering 1,003 files\n");
  expect(await showRender(false, 20)).toBe("");
  expect(await showRender(true, 20)).toBe("");
  const text = await showRender(true, 1_003);
  expect(text).toContain("rendering: 24 of 1,003 files");
  expect(text).not.toContain("36");
  expect(text).toContain("\u001b[2K"); // erased
});

async function showCall(
  events: readonly { progress: number; total?: number; message?: string }[],
): Promise<readonly string[]> {
  const { context, stderr } = open(false);
  const view = await showCallProgress(context);
  for (const event of events) view.onProgress(event);
  view.close();
  view.onProgress({ progress: 99, total: 100 });
  return readWritten(stderr).split("\n").slice(0, -1);
}

it("writes a plain line for every tenth of a call, or each power of ten without a total, and for every message", async () => {
  const steps = (count: number, more: object) =>
    Array.from({ length: count }, (_, progress) => ({ progress, ...more }));
  expect(await showCall(steps(100, { total: 100 }))).toHaveLength(10);
  expect(await showCall([{ progress: 5, total: 10 }])).toEqual(["5 of 10"]);
  expect(await showCall(steps(5_000, {}))).toHaveLength(4);
  const messages = [
    { progress: 1, message: "\u001b[31mred" },
    { progress: 2, message: "done" },
  ];
  expect(await showCall(messages)).toEqual(["1: \\u{1B}[31mred", "2: done"]);
});
