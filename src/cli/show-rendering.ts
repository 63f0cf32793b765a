import type * as LogUpdate from "log-update";
import { count, formatNumber } from "../report/layout.js";
import type { Context } from "./context.js";

/** The minimum number of files to show progress for; fewer are rendered quickly. */
const MANY_FILES = 100;

export interface RenderView {
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
