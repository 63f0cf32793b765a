// The Action's only step. It runs with nothing but Node, on the files of this folder as they are: nothing is bundled.
import process from "node:process";
import { check } from "./check.js";
import { readJob } from "./job.js";
import { refuseStrangers } from "./refuse-strangers.js";
import { setOutput, showError } from "./report.js";
import { upgrade } from "./upgrade.js";

const MODES = { check, upgrade };

let exitCode;
try {
  const job = await readJob(process.env);
  await refuseStrangers(job);
  exitCode = await MODES[job.inputs.mode](job);
} catch (error) {
  exitCode = showError(error);
}
process.exitCode = exitCode;
await setOutput(process, "exit-code", String(exitCode));
