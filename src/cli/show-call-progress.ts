import { printable } from "../contract/printable.js";
import type { Context } from "./context.js";

/** Progress of a call, as reported by the server. */
interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallProgressView {
  readonly onProgress: (event: CallProgress) => void;
  /** Hides the line while something else is on the terminal. Returns a function that ends this. */
  readonly pause: () => () => void;
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
        io.stderr.write(`${describe(event)}\n`);
      },
      pause: () => () => undefined,
      close: () => {
        isOpen = false;
      },
    };
  }
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(io.stderr, { showCursor: true });
  let isPaused = false;
  return {
    onProgress: (event) => {
      if (isOpen && !isPaused) update(describe(event));
    },
    pause: () => {
      isPaused = true;
      update.clear();
      return () => {
        isPaused = false;
      };
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

function describe({ progress, total, message }: CallProgress): string {
  const amount = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${printable(message, 200)}`;
}
