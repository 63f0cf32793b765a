// Requests to the hosting service's REST API.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { get } from "./job.js";
import { ActionError, messageOf } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

const TIMEOUT_MS = 60_000;

/** The service's limit for the text of a comment or a pull request. */
export const MOST_TEXT = 65_536;

/**
 * Cuts a text to a number of characters at the end of a line, and says so.
 *
 * @param {string} text
 * @param {number} limit
 */
export function fitText(text, limit) {
  const note = "\n\nThe rest does not fit here: the summary of the run has it.\n";
  return text.length <= limit
    ? text
    : `${text.slice(0, Math.max(0, text.lastIndexOf("\n", limit - note.length)))}${note}`;
}

/** What the token of a job needs for each part of the API. */
const PERMISSIONS = new Map([
  ["issues", "pull-requests"],
  ["pulls", "pull-requests"],
  ["code-scanning", "security-events"],
]);

/**
 * Sends a request and returns the answer. Throws an error with the service's message.
 *
 * @param {Job} job
 * @param {string} method
 * @param {string} path from the repository
 * @param {object} [body]
 * @returns {Promise<unknown>}
 */
async function request(job, method, path, body) {
  const url = `${job.api}/repos/${job.repository}/${path}`;
  const [shown = ""] = path.split("?");
  try {
    const response = await send(job, method, url, body);
    const text = await response.text();
    /** @type {unknown} */
    const answer = text !== "" && isJson(response) ? JSON.parse(text) : undefined;
    if (response.ok) return answer;
    const { status } = response;
    const given = get(answer, "message");
    const message = typeof given === "string" ? `: ${given.replace(/\.$/, "")}` : "";
    throw new ActionError(
      3,
      `${method} ${shown} was answered with ${status}${message}. ${hintOf(status, method, path)}`,
    );
  } catch (error) {
    if (error instanceof ActionError) throw error;
    const reason = messageOf(error instanceof Error ? (error.cause ?? error) : error);
    throw new ActionError(
      3,
      `${method} ${shown} failed: ${new URL(url).host} did not answer (${reason}). Run the job again.`,
      { cause: error },
    );
  }
}

/**
 * @param {Job} job
 * @param {string} method
 * @param {string} url
 * @param {object} [body]
 */
function send({ token }, method, url, body) {
  return fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      "user-agent": "mcp-codegen",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

/**
 * @param {number} status
 * @param {string} method
 * @param {string} path
 */
function hintOf(status, method, path) {
  if (status === 401) return 'The input "token" is not valid.';
  if (status !== 403 && status !== 404) return "Run the job again.";
  const area = path.split(/[/?]/, 1)[0] ?? "";
  const access = method === "GET" ? "read" : "write";
  return `The token needs the permission "${PERMISSIONS.get(area) ?? "contents"}: ${access}".`;
}

/** @param {Response} response */
function isJson(response) {
  return /\bjson\b/.test(response.headers.get("content-type") ?? "");
}

/**
 * Returns the entries of all pages of a list.
 *
 * @param {Job} job
 * @param {string} path
 */
async function list(job, path) {
  /** @type {unknown[]} */
  const entries = [];
  for (let page = 1; ; page++) {
    const answer = await request(
      job,
      "GET",
      `${path}${path.includes("?") ? "&" : "?"}per_page=100&page=${page}`,
    );
    /** @type {readonly unknown[]} */
    const found = Array.isArray(answer) ? answer : [];
    entries.push(...found);
    if (found.length < 100) return entries;
  }
}

/**
 * Writes the text of the job's comment on a pull request, which starts with `marker`. Without `creates`, only a comment
 * that exists is updated. Others can copy the marker, so only comments of the token's own account count.
 *
 * @param {Job} job
 * @param {{ readonly number: number, readonly marker: string, readonly text: string, readonly creates: boolean }} comment
 */
export async function writeComment(job, { number, marker, text, creates }) {
  const login = await findLogin(job);
  const earlier = (await list(job, `issues/${number}/comments`)).find((entry) => {
    const isOwn =
      login === undefined ? get(entry, "user", "type") === "Bot" : get(entry, "user", "login") === login;
    return isOwn && String(get(entry, "body")).startsWith(marker);
  });
  const body = { body: `${marker}\n${text}` };
  if (earlier !== undefined) {
    if (get(earlier, "body") !== body.body)
      await request(job, "PATCH", `issues/comments/${String(get(earlier, "id"))}`, body);
  } else if (creates) await request(job, "POST", `issues/${number}/comments`, body);
}

/**
 * Returns the login of the token's user; undefined for the token of a workflow or an app, which has no user.
 *
 * @param {Job} job
 */
async function findLogin(job) {
  const user = await request(job, "GET", `${job.api}/user`).catch(() => undefined);
  const login = get(user, "login");
  return typeof login === "string" ? login : undefined;
}

/**
 * Returns the open pull request of a branch.
 *
 * @param {Job} job
 * @param {string} branch
 * @returns {Promise<{ readonly number: number, readonly url: string } | undefined>}
 */
export async function findPullRequest(job, branch) {
  const [owner = ""] = job.repository.split("/");
  const [found] = await list(job, `pulls?state=open&head=${encodeURIComponent(`${owner}:${branch}`)}`);
  return found === undefined ? undefined : pullRequestOf(found);
}

/**
 * Opens a pull request, or updates the texts of the open one, and returns it.
 *
 * @param {Job} job
 * @param {{ readonly branch: string, readonly base: string, readonly title: string, readonly body: string }} proposal
 */
export async function writePullRequest(job, { branch, base, title, body }) {
  const open = await findPullRequest(job, branch);
  if (open === undefined)
    return pullRequestOf(await request(job, "POST", "pulls", { head: branch, base, title, body }));
  await request(job, "PATCH", `pulls/${open.number}`, { title, body });
  return open;
}

/**
 * Whether a pull request comes from another repository, which may be deleted by now.
 *
 * @param {Job} job
 * @param {number} number
 */
export async function isFromFork(job, number) {
  const pull = await request(job, "GET", `pulls/${number}`);
  const source = get(pull, "head", "repo", "full_name");
  return source === undefined || source !== get(pull, "base", "repo", "full_name");
}

/**
 * @param {Job} job
 * @param {number} number
 */
export async function closePullRequest(job, number) {
  await request(job, "PATCH", `pulls/${number}`, { state: "closed" });
}

/** @param {unknown} answer */
function pullRequestOf(answer) {
  return { number: Number(get(answer, "number")), url: String(get(answer, "html_url")) };
}

/**
 * Uploads a SARIF file to code scanning.
 *
 * @param {Job} job
 * @param {string} path
 */
export async function uploadSarif(job, path) {
  const sarif = gzipSync(await readFile(path)).toString("base64");
  await request(job, "POST", "code-scanning/sarifs", { commit_sha: job.sha, ref: job.ref, sarif });
}
