// What a job gives to the Action: inputs, variables and the event.
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { ActionError, messageOf } from "./report.js";

/**
 * @typedef {"check" | "upgrade"} Mode
 *
 * @typedef {object} Inputs
 * @property {Mode} mode
 * @property {readonly string[]} servers
 * @property {boolean} offline
 * @property {boolean} php
 * @property {string} environment
 * @property {string} failOn
 * @property {string} failOnChanges
 * @property {boolean} comment
 * @property {boolean} sarif
 *
 * @typedef {object} PullRequest
 * @property {number} number
 * @property {string} base name of the branch that it goes to
 * @property {boolean} isForeign whether it comes from a fork or from Dependabot, and so has no secrets
 *
 * @typedef {object} Job
 * @property {Inputs} inputs
 * @property {string} token
 * @property {string} folder absolute path of the working directory
 * @property {string} place path of the working directory in the repository; "." for its root
 * @property {string} reports absolute path of a folder for reports, outside the repository
 * @property {string} repository owner and name
 * @property {string} api address of the hosting API
 * @property {string} host address of the hosting service
 * @property {string} ref the full ref that the workflow runs on
 * @property {string} sha
 * @property {{ readonly name: string, readonly payload: unknown }} event
 * @property {PullRequest | undefined} pullRequest
 * @property {NodeJS.ProcessEnv} env without the inputs, so that no server gets the token
 */

/** @type {readonly Mode[]} */
const MODES = ["check", "upgrade"];

/** The inputs that become words of a command line. */
const VALUES = {
  servers: "names of servers",
  environment: "the name of an environment",
  "fail-on": "a class of changes",
  "fail-on-changes": "a class of changes",
};

/**
 * Reads the variables and the event of a step. Throws an error with one line for input that is not valid.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Job>}
 */
export async function readJob(env) {
  const event = await readEvent(env);
  const token = env["INPUT_TOKEN"] ?? "";
  // The runner hides the token in logs, but not what git sends.
  if (token !== "") process.stdout.write(`::add-mask::${encodeToken(token)}\n`);
  const workspace = need(env, "GITHUB_WORKSPACE");
  const folder = resolve(workspace, env["INPUT_WORKING_DIRECTORY"] ?? "");
  if (!existsSync(folder))
    throw new ActionError(
      2,
      `The folder ${JSON.stringify(folder)} does not exist. Check out first, or correct the input "working-directory".`,
    );
  const reports = join(need(env, "RUNNER_TEMP"), `mcp-codegen-${randomUUID()}`);
  await mkdir(reports, { recursive: true });
  return {
    inputs: readInputs(env),
    token,
    folder,
    place: relative(workspace, folder).replaceAll(sep, "/") || ".",
    reports,
    repository: need(env, "GITHUB_REPOSITORY"),
    api: env["GITHUB_API_URL"] ?? "https://api.github.com",
    host: env["GITHUB_SERVER_URL"] ?? "https://github.com",
    ref: need(env, "GITHUB_REF"),
    sha: need(env, "GITHUB_SHA"),
    event: { name: env["GITHUB_EVENT_NAME"] ?? "", payload: event },
    pullRequest: pullRequestOf(event),
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("INPUT_"))),
  };
}

/**
 * Returns a token as git sends it, with the name that the service expects.
 *
 * @param {string} token
 */
export function encodeToken(token) {
  return Buffer.from(`x-access-token:${token}`).toString("base64");
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Inputs}
 */
function readInputs(env) {
  /** @param {string} name */
  const read = (name) => (env[`INPUT_${name.replaceAll("-", "_").toUpperCase()}`] ?? "").trim();
  /** @param {string} name */
  const words = (name) => read(name).split(/\s+/).filter(Boolean);
  /** @param {string} name */
  const flag = (name) => {
    const value = read(name).toLowerCase();
    if (value === "true" || value === "false" || value === "") return value === "true";
    throw new ActionError(2, `The input "${name}" takes true or false, not ${JSON.stringify(value)}.`);
  };
  const mode = MODES.find((known) => known === read("mode"));
  if (mode === undefined)
    throw new ActionError(
      2,
      `The input "mode" takes ${MODES.join(", ")}, not ${JSON.stringify(read("mode"))}.`,
    );
  const servers = words("servers");
  // The program would read them as options.
  for (const [name, what] of Object.entries(VALUES)) {
    const option = words(name).find((word) => word.startsWith("-"));
    if (option !== undefined)
      throw new ActionError(2, `The input "${name}" takes ${what}, not ${JSON.stringify(option)}.`);
  }
  const [offline, php, environment] = [flag("offline"), flag("php"), read("environment")];
  if (offline && environment !== "")
    throw new ActionError(2, 'The inputs "offline" and "environment" exclude each other. Remove one.');
  if (offline && !php && mode === "upgrade")
    throw new ActionError(2, 'Mode upgrade contacts servers. Remove the input "offline", or set "php".');
  return {
    ...{ mode, servers, offline, php, environment },
    failOn: read("fail-on"),
    failOnChanges: read("fail-on-changes") || "never",
    comment: flag("comment"),
    sarif: flag("sarif"),
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<unknown>}
 */
async function readEvent(env) {
  const path = env["GITHUB_EVENT_PATH"] ?? "";
  if (path === "") return {};
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new ActionError(
      2,
      `The event in ${path} cannot be read: ${messageOf(error)}. Run the Action in a workflow.`,
      { cause: error },
    );
  }
}

/**
 * @param {unknown} event
 * @returns {PullRequest | undefined}
 */
function pullRequestOf(event) {
  const pull = get(event, "pull_request");
  const number = get(pull, "number");
  if (typeof number !== "number") return undefined;
  const [head, own] = [get(pull, "head", "repo", "full_name"), get(pull, "base", "repo", "full_name")];
  const isDependabot = get(pull, "user", "login") === "dependabot[bot]";
  return {
    number,
    base: String(get(pull, "base", "ref")),
    isForeign: isDependabot || head === undefined || head !== own,
  };
}

/**
 * Returns what is at a path of keys; undefined if nothing is.
 *
 * @param {unknown} value
 * @param {readonly (string | number)[]} path
 * @returns {unknown}
 */
export function get(value, ...path) {
  /** @type {unknown} */
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.getOwnPropertyDescriptor(found, key)?.value;
  }
  return found;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 */
function need(env, name) {
  const value = env[name];
  if (value === undefined || value === "")
    throw new ActionError(2, `The variable ${name} is missing: run the Action in a workflow.`);
  return value;
}
