// Runs mcp-codegen and git.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { encodeToken, escapeMessage, get } from "./job.js";

/** @typedef {import("./job.js").Job} Job */

/** Enough for the JSON report of thousands of tools. */
const MOST_OUTPUT = 512 * 1024 * 1024;

/** Without the files by which a step sets variables, the path and outputs: configurations and PHP are code. */
const NO_COMMANDS = {
  GITHUB_ENV: undefined,
  GITHUB_OUTPUT: undefined,
  GITHUB_PATH: undefined,
  GITHUB_STATE: undefined,
};

/**
 * Runs mcp-codegen in the working directory. Its output goes to the log.
 *
 * @param {Job} job
 * @param {readonly string[]} args
 * @returns {number} the exit code
 */
export function runProgram(job, args) {
  return start(job, args, "inherit").exitCode;
}

/**
 * Runs mcp-codegen in the working directory, and returns what it prints to stdout. The rest goes to the log.
 *
 * @param {Job} job
 * @param {readonly string[]} args
 */
export function readProgram(job, args) {
  return start(job, args, "pipe");
}

/**
 * @param {Job} job
 * @param {readonly string[]} args
 * @param {"inherit" | "pipe"} stdout
 */
function start(job, args, stdout) {
  const [command, ...first] = findProgram(job);
  process.stdout.write(`::group::${escapeMessage(`mcp-codegen ${args.join(" ")}`)}\n`);
  const { status, error, ...result } = spawnSync(command, [...first, ...args], {
    ...{ cwd: job.folder, env: { ...job.env, ...NO_COMMANDS }, encoding: "utf8", maxBuffer: MOST_OUTPUT },
    stdio: ["ignore", stdout, "inherit"],
  });
  process.stdout.write("::endgroup::\n");
  if (error !== undefined) throw new Error(`Cannot start ${command}: ${error.message}.`);
  // Without a status, a signal ended it: nothing was checked.
  return { exitCode: status ?? 3, stdout: stdout === "pipe" ? result.stdout : "" };
}

/**
 * Returns the project's own mcp-codegen; without one, that of this Action's version, from the registry.
 *
 * @param {Job} job
 * @returns {[command: string, ...args: string[]]}
 */
function findProgram({ folder }) {
  const name = "mcp-codegen/package.json";
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve(name);
    return [process.execPath, join(dirname(manifest), "bin", "mcp-codegen.js")];
  } catch {
    if (!existsSync(folder)) throw new Error(`The folder "${folder}" does not exist: check out first.`);
    const version = get(
      JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")),
      "version",
    );
    return ["npx", "--yes", `mcp-codegen@${String(version)}`];
  }
}

/**
 * Runs git in the working directory and returns what it prints. Throws an error with git's message.
 *
 * @param {Job} job
 * @param {readonly string[]} args
 */
export function git(job, ...args) {
  const { status, stdout, stderr, error } = tryGit(job, ...args);
  if (status === 0) return stdout.trimEnd();
  throw new Error(`git ${args[0] ?? ""} failed: ${error?.message ?? stderr.trim()}`);
}

/**
 * @param {Job} job
 * @param {readonly string[]} args
 */
export function tryGit(job, ...args) {
  // The hooks of a project are for people, and must not get the token.
  return spawnSync("git", ["-c", "core.hooksPath=/dev/null", ...args], {
    ...{ cwd: job.folder, encoding: "utf8", maxBuffer: MOST_OUTPUT },
    env: { ...job.env, ...identity(job), GIT_TERMINAL_PROMPT: "0" },
  });
}

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
  git(job, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", ...options, "origin", ...refs);
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
