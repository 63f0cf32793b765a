import { count } from "../report/count.js";
import type { Paint } from "../report/paint.js";
import { createPaint } from "./colours.js";
import type { Context } from "./context.js";
import type { Progress } from "../pipeline/reports.js";

export interface ProgressView {
  readonly onProgress: (event: Progress) => void;
  /** Takes the lines off the terminal; later events show nothing. */
  readonly close: () => void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Shows how far each server is, on stderr: a line for each that moves on a terminal, plain lines elsewhere. */
export async function showProgress(context: Context): Promise<ProgressView> {
  const { io, options } = context;
  const paint = createPaint(io.stderr, io, options);
  // Lines that move would overwrite what --verbose prints.
  return io.stderr.isTTY === true && io.env["TERM"] !== "dumb" && options.verbose !== true
    ? showLines(context, paint)
    : writeLines(context);
}

async function showLines({ io }: Context, paint: Paint): Promise<ProgressView> {
  const { createLogUpdate } = await import("log-update");
  // A hidden cursor would have to be brought back whatever ends the process.
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

/** Pages 10, 100, 1000: a log should hear of a long list, and not of every page. */
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
      // The report gives the reason.
      return `${server}: failed`;
    default:
      return stage satisfies never;
  }
}
