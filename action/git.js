// Runs git.
import { spawnSync } from "node:child_process";
import { encodeToken } from "./job.js";
import { ActionError } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

/** Enough for the list of all commits of a large repository. */
const MOST_OUTPUT = 512 * 1024 * 1024;

/**
 * Runs git in the working directory and returns what it prints. Throws an error with git's message.
 *
 * @param {Job} job
 * @param {readonly string[]} args
 */
export function git(job, ...args) {
  const result = tryGit(job, ...args);
  if (result.status === 0) return result.stdout.trimEnd();
  throw new ActionError(2, `git ${args[0] ?? ""} failed: ${reasonOf(result)}`);
}

/**
 * Runs a command of git that needs the remote.
 *
 * @param {Job} job
 * @param {"read" | "write"} access
 * @param {readonly string[]} args
 */
export function gitRemote(job, access, ...args) {
  const result = tryGit(job, ...args);
  if (result.status === 0) return result.stdout.trimEnd();
  const reason = reasonOf(result);
  const hint = reason.includes("(stale info)")
    ? "Someone else pushed to the branch at the same time: run the job again."
    : `Check that "origin" can be reached, and that the token has the permission "contents: ${access}".`;
  throw new ActionError(3, `git ${args[0] ?? ""} failed: ${reason}. ${hint}`);
}

/**
 * What git says of a failure. It leaves out the credentials in addresses itself.
 *
 * @param {ReturnType<typeof tryGit>} result
 */
function reasonOf({ error, stderr }) {
  return (error?.message ?? stderr)
    .replaceAll(/^hint:.*$/gm, "")
    .trim()
    .replace(/\.$/, "");
}

/**
 * @param {Job} job
 * @param {readonly string[]} args
 */
export function tryGit(job, ...args) {
  // The hooks of a project are for people, and must not get the token.
  return spawnSync("git", ["-c", "core.hooksPath=/dev/null", ...args], {
    ...{ cwd: job.folder, encoding: "utf8", maxBuffer: MOST_OUTPUT },
    env: { ...STALLS, ...job.env, ...identity(job), GIT_TERMINAL_PROMPT: "0" },
  });
}

/** Git waits forever for a remote that sends nothing: end after a minute. */
const STALLS = { GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: "60" };

/**
 * Fetches a branch, and returns its ref. A shallow clone stays one: then only the last commits are fetched.
 *
 * @param {Job} job
 * @param {string} branch
 * @param {number} commits
 */
export function fetchBranch(job, branch, commits) {
  const ref = `refs/remotes/origin/${branch}`;
  fetchRefs(job, isShallow(job) ? [`--depth=${commits}`] : [], `+refs/heads/${branch}:${ref}`);
  return ref;
}

/**
 * @param {Job} job
 * @param {readonly string[]} options
 * @param {readonly string[]} refs commits, or a source with a destination
 */
export function fetchRefs(job, options, ...refs) {
  const args = ["--quiet", "--no-tags", "--no-recurse-submodules", ...options];
  gitRemote(job, "read", "fetch", ...args, "origin", ...refs);
}

/** @param {Job} job */
export function isShallow(job) {
  return git(job, "rev-parse", "--is-shallow-repository") === "true";
}

/**
 * The variables by which git sends the job's token to the hosting service, and nowhere else. The empty value removes the
 * header that a checkout may have configured: the service refuses two.
 *
 * @param {Job} job
 * @returns {NodeJS.ProcessEnv}
 */
function identity({ host, token, env }) {
  if (token === "") return {};
  const key = `http.${host}/.extraheader`;
  // After the settings that the job's own variables give.
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0);
  return {
    GIT_CONFIG_COUNT: String(first + 2),
    ...{ [`GIT_CONFIG_KEY_${first}`]: key, [`GIT_CONFIG_VALUE_${first}`]: "" },
    [`GIT_CONFIG_KEY_${first + 1}`]: key,
    [`GIT_CONFIG_VALUE_${first + 1}`]: `AUTHORIZATION: basic ${encodeToken(token)}`,
  };
}
