import { MessageChannel, Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { hear } from "../../../src/drift/witness/hear.js";

/** A thread that counts its first message late, and sends the second one later still. */
const LATE = `
  const { workerData: { port, said } } = require("node:worker_threads");
  const sleep = (time) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
  const count = () => { Atomics.add(said, 0, 1); Atomics.notify(said, 0); };
  port.postMessage("first");
  sleep(300);
  count();
  sleep(100);
  port.postMessage("second");
  count();
`;

it("waits on when it is woken for a message that it has already", () => {
  const { port1: near, port2: far } = new MessageChannel();
  const said = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(LATE, { eval: true, workerData: { port: far, said }, transferList: [far] });
  onTestFinished(async () => {
    near.close();
    await worker.terminate();
  });
  let first: unknown;
  while (first === undefined) first = hear(near, said, 20);
  expect(first).toBe("first");
  expect(hear(near, said, 5_000)).toBe("second");
  expect(hear(near, said, 1)).toBeUndefined();
});
