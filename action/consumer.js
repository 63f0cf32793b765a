// Mode consumer: exports what the project's code uses, and attaches it to a release.
import { join } from "node:path";
import { uploadAsset } from "./hosting.js";
import { tryGit } from "./git.js";
import { runProgram } from "./program.js";
import { setOutput, show } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

const NAME = "mcp-codegen.consumer.json";

/**
 * Writes mcp-codegen.consumer.json. A file that is committed is not overwritten: it must be up to date.
 *
 * @param {Job} job
 * @returns {Promise<number>} the exit code
 */
export async function exportConsumer(job) {
  const { inputs, release, folder } = job;
  const isCommitted = tryGit(job, "ls-files", "--error-unmatch", NAME).status === 0;
  const exitCode = runProgram(job, [
    ...["export", ...inputs.servers, "--out", NAME],
    ...(inputs.consumer === "" ? [] : ["--consumer", inputs.consumer]),
    ...(isCommitted ? ["--check"] : []),
  ]);
  if (exitCode === 1)
    show("error", "The committed consumer's file is out of date. Run npx mcp-codegen export, and commit it.");
  if (exitCode !== 0) return exitCode;
  const file = join(folder, NAME);
  await setOutput(job, "consumer-file", file);
  if (release !== undefined) await uploadAsset(job, release, file);
  return 0;
}
