import { printable } from "../contract/printable.js";
import type { Context } from "./context.js";

/** How far a call has come, as the server tells it. */
interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallProgressView {
  readonly onProgress: (event: CallProgress) => void;
  /** Takes the line off the terminal; later events show nothing. */
  readonly close: () => void;
}

/** Shows how far a call has come, on stderr: a line that moves on a terminal, plain lines elsewhere. */
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
      close: () => {
        isOpen = false;
      },
    };
  }
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(io.stderr, { showCursor: true });
  return {
    onProgress: (event) => {
      if (isOpen) update(describe(event));
    },
    close: () => {
      isOpen = false;
      update.clear();
    },
  };
}

/** A log should hear of every tenth of the work, and not of every step. */
function milestoneOf({ progress, total, message = "" }: CallProgress): string {
  const share = total === undefined || total <= 0 ? progress : progress / total;
  const step = total === undefined ? Math.floor(Math.log10(Math.max(1, share))) : Math.floor(share * 10);
  return `${step} ${message}`;
}

function describe({ progress, total, message }: CallProgress): string {
  const amount = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${printable(message, 200)}`;
}
