import { receiveMessageOnPort, type MessagePort } from "node:worker_threads";

/**
 * The next message of a thread that counts in `said` what it has sent; undefined when none comes for `limit`
 * milliseconds. This thread stands still meanwhile.
 */
export function hear(port: MessagePort, said: Int32Array<SharedArrayBuffer>, limit: number): unknown {
  for (;;) {
    const seen = Atomics.load(said, 0);
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message;
    // A message may be here before it is counted: then its count wakes us for a message that we have already.
    if (Atomics.wait(said, 0, seen, limit) === "timed-out") return receiveMessageOnPort(port)?.message;
  }
}
