import type * as LogUpdate from "log-update";
import { formatNumber, printable } from "../core/printable.js";
import type { ListProgress } from "../sources/snapshot-servers.js";
import { count, type Paint } from "../report/layout.js";
import { type Context, createPaint } from "./context.js";

interface ProgressView {
  readonly onProgress: (event: ListProgress) => void;
  /** Clears the lines from the terminal; later events are ignored. */
  readonly close: () => void;
}

/** Milliseconds after which a server that has not answered is shown with the time since its start. */
const LONG = 3_000;
/** The same without a terminal, where each report is a line of its own. */
const LONG_WITHOUT_TERMINAL = 10_000;

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Shows the progress of each server on stderr: one updating line each on a terminal, plain lines elsewhere. */
export async function showProgress(context: Context): Promise<ProgressView> {
  const { io, options } = context;
  const paint = createPaint(io.stderr, io, options);
  // Updating lines would overwrite the output of --verbose.
  return io.stderr.isTTY === true && io.env["TERM"] !== "dumb" && options.verbose !== true
    ? showLines(context, paint)
    : writeLines(context);
}

async function showLines({ io }: Context, paint: Paint): Promise<ProgressView> {
  const { createLogUpdate } = await import("log-update");
  // Keep the cursor: a hidden one would stay hidden if the process is killed.
  const update = createLogUpdate(io.stderr, { showCursor: true });
  const latest = new Map<string, ListProgress>();
  const started = new Map<string, number>();
  let frame = 0;
  let isOpen = true;
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
  return {
    onProgress: (event) => {
      if (!isOpen) return;
      latest.set(event.server, event);
      if (event.stage === "connecting") started.set(event.server, Date.now());
      render();
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      update.clear();
    },
  };
}

function printLine(
  event: ListProgress,
  paint: Paint,
  { spinner, elapsed }: { readonly spinner: string; readonly elapsed: number },
): string {
  const text = elapsed < LONG ? describe(event) : describeLong(event, elapsed);
  switch (event.stage) {
    case "done":
      return `${paint.green("✔")} ${text}`;
    case "failed":
      // These lines vanish when the report comes, so the reason does not appear twice.
      return `${paint.red("✖")} ${text}: ${printable(event.message ?? "", 200)}`;
    case "connecting":
    case "listing":
      return `${paint.cyan(spinner)} ${text}`;
    default:
      return event.stage satisfies never;
  }
}

function writeLines({ io }: Context): ProgressView {
  let isOpen = true;
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  return {
    onProgress: (event) => {
      if (!isOpen) return;
      clearTimeout(waiting.get(event.server));
      if (event.stage === "connecting") {
        const report = (): void => void io.stderr.write(`${describeLong(event, LONG_WITHOUT_TERMINAL)}\n`);
        waiting.set(event.server, setTimeout(report, LONG_WITHOUT_TERMINAL).unref());
      }
      if (event.stage !== "listing" || isMilestone(event.page)) io.stderr.write(`${describe(event)}\n`);
    },
    close: () => {
      isOpen = false;
      for (const timer of waiting.values()) clearTimeout(timer);
    },
  };
}

/** Describes a server that has not answered yet with the time since its start. */
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
  const amount = tools === undefined ? [] : [count(tools, "tool")];
  // The report waits for the slowest server, and this line does not.
  const compared = isAsLocked === undefined ? [] : [isAsLocked ? "as locked" : "not as locked"];
  switch (stage) {
    case "connecting":
      return `${server}: connecting`;
    case "listing":
      return `${server}: ${["listing", ...(page === undefined ? [] : [`page ${page}`]), ...amount].join(", ")}`;
    case "done":
      return `${server}: ${["done", ...amount, ...compared].join(", ")}`;
    case "failed":
      // The report prints the reason.
      return `${server}: failed`;
    default:
      return stage satisfies never;
  }
}

/** The minimum number of files to show progress for; fewer are rendered quickly. */
const MANY_FILES = 100;

interface RenderView {
  readonly onRender: (done: number, total: number) => void;
  readonly close: () => void;
}

/** Shows the number of rendered files on stderr: one updating line on a terminal, one plain line elsewhere. */
export function showRendering({ io }: Context): RenderView {
  const isTerminal = io.stderr.isTTY === true && io.env["TERM"] !== "dumb";
  let update: ReturnType<(typeof LogUpdate)["createLogUpdate"]> | undefined;
  let isStarted = false;
  let isOpen = true;
  const start = (total: number): void => {
    isStarted = true;
    if (!isTerminal) io.stderr.write(`rendering ${count(total, "file")}\n`);
    else
      void import("log-update").then(({ createLogUpdate }) => {
        update = createLogUpdate(io.stderr, { showCursor: true });
      });
  };
  return {
    onRender: (done, total) => {
      if (!isOpen || total < MANY_FILES) return;
      if (!isStarted) start(total);
      update?.(`rendering: ${formatNumber(done)} of ${count(total, "file")}`);
    },
    close: () => {
      isOpen = false;
      update?.clear();
    },
  };
}

/** ListProgress of a call, as reported by the server. */
interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

interface CallProgressView {
  readonly onProgress: (event: CallProgress) => void;
  /** Clears the line from the terminal; later events are ignored. */
  readonly close: () => void;
}

/** Shows the progress of a call on stderr: one updating line on a terminal, plain lines elsewhere. */
export async function showCallProgress({ io }: Context): Promise<CallProgressView> {
  let isOpen = true;
  if (io.stderr.isTTY !== true || io.env["TERM"] === "dumb") {
    let latest = "";
    return {
      onProgress: (event) => {
        const milestone = milestoneOf(event);
        if (!isOpen || milestone === latest) return;
        latest = milestone;
        io.stderr.write(`${describeCallProgress(event)}\n`);
      },
      close: () => {
        isOpen = false;
      },
    };
  }
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(io.stderr, { showCursor: true });
  return {
    onProgress: (event) => {
      if (isOpen) update(describeCallProgress(event));
    },
    close: () => {
      isOpen = false;
      update.clear();
    },
  };
}

/** Limits a log to one line for each tenth of the work. */
function milestoneOf({ progress, total, message = "" }: CallProgress): string {
  const share = total === undefined || total <= 0 ? progress : progress / total;
  const step = total === undefined ? Math.floor(Math.log10(Math.max(1, share))) : Math.floor(share * 10);
  return `${step} ${message}`;
}

function describeCallProgress({ progress, total, message }: CallProgress): string {
  const amount = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${printable(message, 200)}`;
}
