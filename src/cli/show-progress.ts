import type { createLogUpdate } from "log-update";
import type { Progress } from "../core/call.js";
import { formatNumber, printable } from "../core/printable.js";
import type { ListProgress } from "../sources/snapshot-servers.js";
import { count, type Paint, present } from "../report/layout.js";
import { type Context, createPaint, isUpdatable } from "./context.js";

interface ProgressView<E> {
  readonly onProgress: (event: E) => void;
  /** Clears the lines from the terminal; later events are ignored. */
  readonly close: () => void;
}

/** Milliseconds after which a server that has not answered is shown with the time since its start. */
const LONG = 3_000;
/** The same without a terminal, where each report is a line of its own. */
const LONG_WITHOUT_TERMINAL = 10_000;

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Lines on stderr that are written again; undefined where they cannot be: the output of --verbose would be overwritten. */
async function openLines({ io, options }: Context): Promise<ReturnType<typeof createLogUpdate> | undefined> {
  if (!isUpdatable(io.stderr, io.env) || options.verbose === true) return undefined;
  const { createLogUpdate: create } = await import("log-update");
  // Keep the cursor: a hidden one would stay hidden if the process is killed.
  return create(io.stderr, { showCursor: true });
}

function untilClose<E>(onProgress: (event: E) => void, end: () => void): ProgressView<E> {
  let isOpen = true;
  return {
    onProgress: (event) => {
      if (isOpen) onProgress(event);
    },
    close: () => {
      if (isOpen) end();
      isOpen = false;
    },
  };
}

/** Shows the progress of each server on stderr: one updating line each on a terminal, plain lines elsewhere. */
export async function showProgress(context: Context): Promise<ProgressView<ListProgress>> {
  const { io, options } = context;
  const update = await openLines(context);
  if (update === undefined) return writeLines(context);
  const paint = createPaint(io.stderr, io, options);
  const latest = new Map<string, ListProgress>();
  const started = new Map<string, number>();
  let frame = 0;
  const render = (): void => {
    const spinner = FRAMES[frame++ % FRAMES.length] ?? "";
    const lines = [...latest.values()].map((event) => {
      const elapsed = Date.now() - (started.get(event.server) ?? Date.now());
      return printLine(event, paint, { spinner, elapsed });
    });
    update(lines.join("\n"));
  };
  const timer = setInterval(render, 80);
  timer.unref();
  return untilClose(
    (event) => {
      latest.set(event.server, event);
      if (event.stage === "connecting") started.set(event.server, Date.now());
      render();
    },
    () => {
      clearInterval(timer);
      update.clear();
    },
  );
}

function printLine(
  event: ListProgress,
  paint: Paint,
  { spinner, elapsed }: { readonly spinner: string; readonly elapsed: number },
): string {
  const text = elapsed < LONG ? describe(event) : describeLong(event, elapsed);
  if (event.stage === "done") return `${paint.green("✔")} ${text}`;
  if (event.stage !== "failed") return `${paint.cyan(spinner)} ${text}`;
  // These lines vanish when the report comes, so the reason does not appear twice.
  return `${paint.red("✖")} ${text}: ${printable(event.message ?? "", 200)}`;
}

function writeLines({ io }: Context): ProgressView<ListProgress> {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  return untilClose(
    (event) => {
      clearTimeout(waiting.get(event.server));
      if (event.stage === "connecting") {
        const report = (): void => void io.stderr.write(`${describeLong(event, LONG_WITHOUT_TERMINAL)}\n`);
        waiting.set(event.server, setTimeout(report, LONG_WITHOUT_TERMINAL).unref());
      }
      if (event.stage !== "listing" || isMilestone(event.page)) io.stderr.write(`${describe(event)}\n`);
    },
    () => {
      for (const timer of waiting.values()) clearTimeout(timer);
    },
  );
}

function describeLong(event: ListProgress, elapsed: number): string {
  if (event.stage !== "connecting") return describe(event);
  const reason = event.waitsFor === undefined ? "" : `; ${event.waitsFor}`;
  return `${describe(event)} for ${Math.floor(elapsed / 1000)} s${reason}`;
}

/** Whether to log this page: only pages 10, 100, 1000 and so on. */
function isMilestone(page = 0): boolean {
  return /^10+$/.test(String(page));
}

function describe({ server, stage, page, tools, isAsLocked }: ListProgress): string {
  if (stage === "searching") return "looking for lines of your code";
  if (stage === "comparing") return `comparing ${count(tools ?? 0, "tool")} with the lock`;
  const words = present(
    stage,
    stage === "listing" && page !== undefined && `page ${page}`,
    tools !== undefined && count(tools, "tool"),
    // The report waits for the slowest server, and this line does not.
    isAsLocked !== undefined && (isAsLocked ? "as locked" : "not as locked"),
  );
  return `${server}: ${words.join(", ")}`;
}

/** The minimum number of files to show progress for; fewer are rendered quickly. */
const MANY_FILES = 100;

/** Shows the number of rendered files on stderr: one updating line on a terminal, one plain line elsewhere. */
export function showRendering(context: Context) {
  const { stderr } = context.io;
  let lines: ReturnType<typeof openLines> | undefined;
  let update: Awaited<ReturnType<typeof openLines>>;
  const { onProgress, close } = untilClose<readonly [done: number, total: number]>(
    ([done, total]) => {
      if (total < MANY_FILES) return;
      lines ??= openLines(context).then((opened) => {
        if (opened === undefined) stderr.write(`rendering ${count(total, "file")}\n`);
        return (update = opened);
      });
      update?.(`rendering: ${formatNumber(done)} of ${count(total, "file")}`);
    },
    () => update?.clear(),
  );
  return {
    onRender: (done: number, total: number): void => {
      onProgress([done, total]);
    },
    close,
  };
}

/** Shows the progress of a call on stderr: one updating line on a terminal, plain lines elsewhere. */
export async function showCallProgress(context: Context): Promise<ProgressView<Progress>> {
  const update = await openLines(context);
  let latest = "";
  return untilClose(
    (event) => {
      const line = describeCallProgress(event);
      const milestone = milestoneOf(event);
      if (update !== undefined) update(line);
      else if (milestone !== latest) context.io.stderr.write(`${line}\n`);
      latest = milestone;
    },
    () => update?.clear(),
  );
}

/** Limits a log to one line for each tenth of the work. */
function milestoneOf({ progress, total, message = "" }: Progress): string {
  const share = total === undefined || total <= 0 ? progress : progress / total;
  const step = total === undefined ? Math.floor(Math.log10(Math.max(1, share))) : Math.floor(share * 10);
  return `${step} ${message}`;
}

function describeCallProgress({ progress, total, message }: Progress): string {
  const amount = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${printable(message, 200)}`;
}
