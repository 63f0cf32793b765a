// Runs mcp-codegen.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { get } from "./job.js";
import { ActionError, escapeMessage, show } from "./report.js";

/** @typedef {import("./job.js").Job} Job */
/** @typedef {readonly [command: string, ...args: string[]]} Command */

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

/** @type {Command | undefined} */
let program;

/**
 * @param {Job} job
 * @param {readonly string[]} args
 * @param {"inherit" | "pipe"} stdout
 */
function start(job, args, stdout) {
  program ??= findProgram(job) ?? install(job);
  const what = `mcp-codegen ${args.join(" ")}`;
  const { status, signal, ...result } = spawn(job, what, [...program, ...args], stdout);
  if (status !== null) return { exitCode: status, stdout: stdout === "pipe" ? result.stdout : "" };
  show("error", `${what} was ended by ${signal ?? "a signal"}. Run the job again, or with more memory.`);
  return { exitCode: 3, stdout: "" };
}

/**
 * @param {Job} job
 * @param {string} what
 * @param {Command} command
 * @param {"inherit" | "pipe"} stdout
 */
function spawn(job, what, [command, ...args], stdout) {
  process.stdout.write(`::group::${escapeMessage(what)}\n`);
  const result = spawnSync(command, args, {
    ...{ cwd: job.folder, env: { ...job.env, ...NO_COMMANDS }, encoding: "utf8", maxBuffer: MOST_OUTPUT },
    stdio: ["ignore", stdout, "inherit"],
  });
  process.stdout.write("::endgroup::\n");
  if (result.error === undefined) return result;
  throw new ActionError(
    2,
    `Cannot start ${command}: ${result.error.message}. Install mcp-codegen in the project.`,
  );
}

/**
 * Returns the mcp-codegen that the project installed.
 *
 * @param {Job} job
 * @returns {Command | undefined}
 */
function findProgram({ folder }) {
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve("mcp-codegen/package.json");
    return [process.execPath, join(dirname(manifest), "bin", "mcp-codegen.js")];
  } catch {
    return undefined;
  }
}

/**
 * Gets mcp-codegen in the version of this Action from the registry. What npx reports for a failure is the exit code that
 * means findings, so this is a step of its own.
 *
 * @param {Job} job
 * @returns {Command}
 */
function install(job) {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const name = `mcp-codegen@${String(get(JSON.parse(manifest), "version"))}`;
  /** @type {Command} */
  const command = ["npx", "--yes", name];
  if (spawn(job, `npx --yes ${name}`, [...command, "--version"], "inherit").status === 0) return command;
  throw new ActionError(3, `Cannot get ${name} from the registry: the log says why. Run the job again.`);
}
