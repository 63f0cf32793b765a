import { startExampleServer } from "../../example-server/start-example-server.js";
import type { Runner } from "../context.js";

/** Serves the example until the client disconnects or the user interrupts. */
export const runExampleServer: Runner<"example-server"> = async ({ io }, _servers, { next = false }) => {
  const interrupted = new Promise<void>((resolve) => {
    io.signal?.addEventListener("abort", () => {
      // Reading on would keep the process alive.
      io.stdin.destroy();
      resolve();
    });
  });
  await Promise.race([startExampleServer({ stdin: io.stdin, stdout: io.stdout, isNext: next }), interrupted]);
  return 0;
};
