// The Action's only step. It runs with nothing but Node, on the files of this folder as they are: nothing is bundled.
import process from "node:process";
import { check } from "./check.js";
import { exportConsumer } from "./consumer.js";
import { readJob, setOutput, show } from "./job.js";
import { upgrade } from "./upgrade.js";

const MODES = { check, upgrade, consumer: exportConsumer };

try {
  const job = await readJob(process.env);
  const exitCode = await MODES[job.inputs.mode](job);
  await setOutput(job, "exit-code", String(exitCode));
  process.exitCode = exitCode;
} catch (error) {
  show("error", error instanceof Error ? error.message : String(error));
  await setOutput({ env: process.env }, "exit-code", "2");
  process.exitCode = 2;
}
