// Mode consumer: exports what the project's code uses, and attaches it to a release.
import { resolve } from "node:path";
import { uploadAsset } from "./hosting.js";
import { tryGit } from "./git.js";
import { get } from "./job.js";
import { readProgram } from "./program.js";
import { setOutput, show } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

/**
 * Writes mcp-codegen.consumer.json. A file that is committed is not overwritten: it must be up to date.
 *
 * @param {Job} job
 * @returns {Promise<number>} the exit code
 */
export async function exportConsumer(job) {
  const { inputs, release } = job;
  const args = [
    ...["export", ...inputs.servers, "--json"],
    ...(inputs.consumer === "" ? [] : ["--consumer", inputs.consumer]),
  ];
  const checked = readProgram(job, [...args, "--check"]);
  if (checked.exitCode > 1) return checked.exitCode;
  const file = resolve(job.folder, String(get(JSON.parse(checked.stdout), "file")));
  const isCommitted = tryGit(job, "ls-files", "--error-unmatch", file).status === 0;
  if (checked.exitCode === 1 && isCommitted) {
    show("error", "The committed consumer's file is out of date. Run npx mcp-codegen export, and commit it.");
    return 1;
  }
  if (checked.exitCode === 1) {
    const { exitCode } = readProgram(job, args);
    if (exitCode !== 0) return exitCode;
  }
  await setOutput(job, "consumer-file", file);
  if (release !== undefined) await uploadAsset(job, release, file);
  return 0;
}
