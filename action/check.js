// Mode check: compares, and says the result in a comment, in code scanning and in outputs.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fitText, MOST_TEXT, uploadSarif, writeComment } from "./hosting.js";
import { get } from "./job.js";
import { findBaseCommit } from "./find-base.js";
import { runProgram } from "./program.js";
import { messageOf, setOutput, show, showError, worstOf } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

/**
 * Checks the servers, or without them the lock; on a pull request, also what it changes. Annotations and the step
 * summary are mcp-codegen's own.
 *
 * @param {Job} job
 * @returns {Promise<number>} the exit code
 */
export async function check(job) {
  const { inputs, pullRequest } = job;
  const isOffline = inputs.offline || pullRequest?.isForeign === true;
  if (isOffline && !inputs.offline)
    show("notice", "This pull request has no secrets, so no server is contacted.");
  const state = report(job, "state");
  const contract = run(job, state, [
    ...(inputs.php ? ["--php"] : isOffline ? ["--offline"] : []),
    ...(inputs.environment !== "" && !isOffline ? ["--env", inputs.environment] : []),
    ...(inputs.failOn === "" ? [] : ["--fail-on", inputs.failOn]),
  ]);
  const changes = report(job, "changes");
  const branch = pullRequest === undefined ? 0 : compareWithBase(job, changes, pullRequest.base);
  const ofState = await countChanges(state);
  const ofBranch = await countChanges(changes);
  // Servers are compared with the lock, and the lock with that of the base; but PHP with both, so those overlap.
  const add = inputs.php ? Math.max : (/** @type {number} */ one, /** @type {number} */ other) => one + other;
  await setOutput(job, "report", existsSync(state.json) ? state.json : "");
  await setOutput(job, "sarif", existsSync(state.sarif) ? state.sarif : "");
  await setOutput(job, "changes", String(add(ofState.changes, ofBranch.changes)));
  await setOutput(job, "breaking", String(add(ofState.breaking, ofBranch.breaking)));
  // The report on the branch has the findings in files too, so the other one is needed only for servers and PHP.
  const hasState = (inputs.php || !isOffline) && ofState.changes + contract > 0;
  const ofChanges = { text: await textOf(changes, branch), isClean: ofBranch.changes + branch === 0 };
  const ofServers = { text: await textOf(state, contract), isClean: false };
  const sections = hasState ? [ofChanges, ofServers] : [ofChanges];
  await publish(job, {
    sarif: state.sarif,
    // The head of a comment must not say that all is up to date if only its first report does.
    texts: sections.sort((one, other) => Number(one.isClean) - Number(other.isClean)).map(({ text }) => text),
    hasFindings: ofState.changes + ofBranch.changes + contract + branch > 0,
  });
  return worstOf(contract, branch);
}

/** @typedef {{ readonly json: string, readonly sarif: string, readonly markdown: string }} Report */

/**
 * @param {Job} job
 * @param {string} name
 * @returns {Report}
 */
function report({ reports }, name) {
  return {
    json: join(reports, `${name}.json`),
    sarif: join(reports, `${name}.sarif`),
    markdown: join(reports, `${name}.md`),
  };
}

/**
 * Returns the text of a report for a comment. A check that failed may have none.
 *
 * @param {Report} report
 * @param {number} exitCode
 */
async function textOf({ markdown }, exitCode) {
  if (existsSync(markdown)) return readFile(markdown, "utf8");
  return exitCode === 0
    ? ""
    : `## mcp-codegen: not checked\n\nThe check ended with exit code ${exitCode}; the log of the run has the reason.\n`;
}

/**
 * @param {Job} job
 * @param {Report} files
 * @param {readonly string[]} options
 */
function run(job, files, options) {
  return runProgram(job, [
    "check",
    ...job.inputs.servers,
    ...options,
    ...Object.entries(files).flatMap(([format, path]) => ["--report", `${format}=${path}`]),
  ]);
}

/**
 * Compares with the branch that the pull request goes to.
 *
 * @param {Job} job
 * @param {Report} files
 * @param {string} base
 */
function compareWithBase(job, files, base) {
  const { inputs } = job;
  let commit;
  try {
    commit = findBaseCommit(job, base);
  } catch (error) {
    return showError(error, `Cannot compare with ${base}: `);
  }
  return run(job, files, [
    ...(inputs.php ? ["--php"] : []),
    "--against",
    commit,
    "--fail-on",
    inputs.failOnChanges,
  ]);
}

/**
 * Counts the changes in a report that no waiver covers; without the report, there are no changes.
 *
 * @param {Report} report
 */
async function countChanges({ json }) {
  /** @type {unknown} */
  const document = existsSync(json) ? JSON.parse(await readFile(json, "utf8")) : {};
  const changes = listOf(get(document, "rows"))
    .filter((row) => get(row, "section") === "changes")
    .flatMap((row) => listOf(get(row, "findings")))
    .filter((change) => get(change, "waiver") === undefined);
  return {
    changes: changes.length,
    breaking: changes.filter((change) => get(change, "class") === "breaking").length,
  };
}

/**
 * @param {unknown} value
 * @returns {readonly unknown[]}
 */
function listOf(value) {
  return Array.isArray(value) ? value : [];
}

/**
 * Comments and uploads, where the job may. What fails here is a warning: the check itself is done.
 *
 * @param {Job} job
 * @param {{ readonly sarif: string, readonly texts: readonly string[], readonly hasFindings: boolean }} result
 */
async function publish(job, { sarif, texts, hasFindings }) {
  const { inputs, pullRequest } = job;
  if (pullRequest?.isForeign === true) return;
  if (inputs.comment && pullRequest !== undefined) {
    const marker = markerOf(job);
    // What does not fit is left out by whole lines: within a line, a cut could end a code span.
    const text = fitText(texts.join("\n"), MOST_TEXT - marker.length - 1);
    await warn("comment", () =>
      writeComment(job, { number: pullRequest.number, marker, text, creates: hasFindings }),
    );
  }
  if (inputs.sarif && existsSync(sarif)) await warn("upload to code scanning", () => uploadSarif(job, sarif));
}

/**
 * The first line of the job's comment. Jobs that differ in an input that changes the report have different comments.
 *
 * @param {Pick<Job, "place" | "inputs">} job
 */
export function markerOf({ place, inputs }) {
  const { servers, offline, php, environment, failOn, failOnChanges } = inputs;
  const settings = {
    ...{ offline: offline ? "true" : "", php: php ? "true" : "", environment, "fail-on": failOn },
    "fail-on-changes": failOnChanges === "never" ? "" : failOnChanges,
  };
  const words = [
    ...[place, ...servers].map(encodeURIComponent),
    ...Object.entries(settings).flatMap(([name, value]) =>
      value === "" ? [] : [`${name}=${encodeURIComponent(value)}`],
    ),
  ];
  return `<!-- mcp-codegen ${words.join(" ")} -->`;
}

/**
 * @param {string} what
 * @param {() => Promise<void>} action
 */
async function warn(what, action) {
  try {
    await action();
  } catch (error) {
    show("warning", `Cannot ${what}: ${messageOf(error)}`);
  }
}
