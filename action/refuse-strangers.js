// Refuses events for which a stranger's configuration, which is code, would run with the secrets of the job.
import { isFromFork } from "./hosting.js";
import { get } from "./job.js";
import { ActionError } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

/**
 * Throws an error if the event is about the code of a fork and has secrets.
 *
 * @param {Job} job
 */
export async function refuseStrangers(job) {
  const { name, payload } = job.event;
  if (name === "pull_request_target") refuse(name);
  if (name === "workflow_run") {
    const source = get(payload, "workflow_run", "head_repository", "full_name");
    if (source === undefined || source !== get(payload, "repository", "full_name"))
      refuse("workflow_run for a fork");
  }
  // A comment on an issue is the same event, and has no code.
  if (name === "issue_comment" && get(payload, "issue", "pull_request") !== undefined) {
    if (await isFromFork(job, Number(get(payload, "issue", "number")))) refuse("issue_comment for a fork");
  }
}

/**
 * @param {string} what
 * @returns {never}
 */
function refuse(what) {
  throw new ActionError(
    2,
    `mcp-codegen does not run on ${what}: a stranger's configuration is code, and would run with your secrets. Use the trigger pull_request.`,
  );
}
