import { count, type Paint } from "../report/layout.js";
import { createPaint, type Context } from "./context.js";
import type { Progress } from "../pipeline/reports.js";

export interface ProgressView {
  readonly onProgress: (event: Progress) => void;
  /** Clears the lines from the terminal; later events are ignored. */
  readonly close: () => void;
}

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
  const latest = new Map<string, Progress>();
  let frame = 0;
  let isOpen = true;
  const render = (): void => {
    const spinner = FRAMES[frame++ % FRAMES.length] ?? "";
    update([...latest.values()].map((event) => printLine(event, paint, spinner)).join("\n"));
  };
  const timer = setInterval(render, 80);
  timer.unref();
  return {
    onProgress: (event) => {
      if (!isOpen) return;
      latest.set(event.server, event);
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

function printLine(event: Progress, paint: Paint, spinner: string): string {
  const text = describe(event);
  switch (event.stage) {
    case "done":
      return `${paint.green("✔")} ${text}`;
    case "failed":
      return `${paint.red("✖")} ${text}`;
    case "connecting":
    case "listing":
      return `${paint.cyan(spinner)} ${text}`;
    default:
      return event.stage satisfies never;
  }
}

function writeLines({ io }: Context): ProgressView {
  let isOpen = true;
  return {
    onProgress: (event) => {
      if (!isOpen || (event.stage === "listing" && !isMilestone(event.page))) return;
      io.stderr.write(`${describe(event)}\n`);
    },
    close: () => {
      isOpen = false;
    },
  };
}

/** Whether to log this page: only pages 10, 100, 1000 and so on. */
function isMilestone(page = 0): boolean {
  return /^10+$/.test(String(page));
}

function describe({ server, stage, page, tools }: Progress): string {
  const amount = tools === undefined ? [] : [count(tools, "tool")];
  switch (stage) {
    case "connecting":
      return `${server}: connecting`;
    case "listing":
      return `${server}: ${["listing", ...(page === undefined ? [] : [`page ${page}`]), ...amount].join(", ")}`;
    case "done":
      return `${server}: ${["done", ...amount].join(", ")}`;
    case "failed":
      // The report prints the reason.
      return `${server}: failed`;
    default:
      return stage satisfies never;
  }
}
