// Mode upgrade: one branch and one pull request for each server that changed.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { branchesOf, branchOf, commit, findRemote, isDefaultBranch, isSame, push } from "./branch.js";
import { closePullRequest, findPullRequest, fitText, MOST_TEXT, writePullRequest } from "./hosting.js";
import { git, tryGit } from "./git.js";
import { get } from "./job.js";
import { readProgram, runProgram } from "./program.js";
import { ActionError, setOutput, show, showError, worstOf } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {string} status
 * @property {string} after
 * @property {readonly string[]} held names of the tools and entries whose security findings no one accepted
 */

/** What of a pull request's text the report may take; the rest is for the edits. */
const MOST_REPORT = MOST_TEXT - 12_000;

/**
 * Lists the servers, and proposes each change: the new lock, the generated code, and the edits of `fix`. Pull requests
 * of servers that offer the locked contract again, or are no longer configured, are closed.
 *
 * @param {Job} job
 * @returns {Promise<number>} the exit code: 1 if tools are held back, or else 3 if a server could not be listed
 */
export async function upgrade(job) {
  const base = findBase(job);
  const { exitCode, stdout } = readProgram(job, [
    ...["pull", ...job.inputs.servers, "--dry-run", "--json", ...sourceOf(job)],
  ]);
  if (stdout === "") return exitCode;
  let worst = exitCode;
  /** @type {string[]} */
  const urls = [];
  const servers = serversOf(JSON.parse(stdout));
  /**
   * @param {string} name
   * @param {() => Promise<string | undefined>} work
   */
  const attempt = async (name, work) => {
    try {
      const url = await work();
      if (url !== undefined) urls.push(url);
    } catch (error) {
      // Another server's changes can still be proposed.
      worst = worstOf(worst, showError(error, `${name}: `));
    }
  };
  for (const server of servers) {
    if (server.held.length > 0) worst = worstOf(worst, 1);
    await attempt(server.name, () => propose(job, base, server));
  }
  for (const branch of findLeftBranches(job, base, servers))
    await attempt(branch, () => withdraw(job, branch, "its server is no longer configured"));
  git(job, "switch", "--quiet", ...base.checkedOut);
  await setOutput(job, "pull-requests", urls.join("\n"));
  return worst;
}

/**
 * @typedef {object} Base
 * @property {string} branch
 * @property {boolean} isDefault whether it is the default branch of the repository
 * @property {string} commit
 * @property {readonly string[]} checkedOut what `git switch` takes to return to it
 */

/**
 * Returns the branch that the workflow runs on. Throws if there is none, or if files have changes: they would be
 * committed.
 *
 * @param {Job} job
 * @returns {Base}
 */
function findBase(job) {
  const branch = /^refs\/heads\/(.+)$/.exec(job.ref)?.[1];
  if (branch === undefined)
    throw new ActionError(
      2,
      `Mode upgrade runs on a branch, such as by schedule or workflow_dispatch, not on ${job.ref}.`,
    );
  const changed = git(job, "status", "--porcelain");
  if (changed !== "")
    throw new ActionError(
      2,
      `Files changed before mode upgrade ran, and would be committed: ${changed.split("\n").slice(0, 5).join(", ")}. Add them to .gitignore, or undo them.`,
    );
  const head = git(job, "rev-parse", "HEAD");
  const local = tryGit(job, "symbolic-ref", "--quiet", "--short", "HEAD").stdout.trim();
  return {
    ...{ branch, isDefault: isDefaultBranch(job, branch), commit: head },
    checkedOut: local === "" ? ["--detach", head] : [local],
  };
}

/**
 * @param {unknown} report
 * @returns {readonly Server[]}
 */
function serversOf(report) {
  return listOf(report, "servers").map((entry) => ({
    name: String(get(entry, "server")),
    status: String(get(entry, "status")),
    after: String(get(entry, "after")),
    held: [
      ...listOf(entry, "heldTools").map(String),
      ...listOf(entry, "heldEntries").map((held) => String(get(held, "id"))),
    ],
  }));
}

/**
 * @param {unknown} value
 * @param {string} key
 * @returns {readonly unknown[]}
 */
function listOf(value, key) {
  const found = get(value, key);
  return Array.isArray(found) ? found : [];
}

/**
 * Brings a server's branch and pull request up to date. Returns the address of the open pull request, if there is one.
 *
 * @param {Job} job
 * @param {Base} base
 * @param {Server} server
 */
async function propose(job, base, server) {
  const branch = branchOf(job, { server: server.name, base });
  if (server.status === "unchanged")
    return withdraw(job, branch, `${server.name} offers the contract of ${base.branch}`);
  if (!["new", "changed", "held"].includes(server.status)) return undefined;
  const remote = findRemote(job, branch);
  if (remote?.isEdited === true) {
    show("warning", `${branch} has commits of others, so it was not updated. Merge it or delete it.`);
    return (await findPullRequest(job, branch))?.url;
  }
  try {
    git(job, "switch", "--quiet", "--detach", base.commit);
    const edits = edit(job, server);
    if (edits === undefined) return undefined;
    commit(job, titleOf(server), base.commit);
    if (remote === undefined || !isSame(job, remote.commit)) push(job, branch, remote?.commit);
    const { url, number } = await writePullRequest(job, {
      ...{ branch, base: base.branch, title: titleOf(server) },
      body: await describe(job, server, edits),
    });
    show("notice", `#${number}: ${titleOf(server)} ${url}`);
    return url;
  } finally {
    // A reset removes new files only if they are in the index.
    stage(job);
    git(job, "reset", "--quiet", "--hard", base.commit);
  }
}

/** @param {Server} server */
function titleOf({ name, status, after }) {
  return status === "new" ? `Lock the MCP server ${name}` : `Update the MCP contract of ${name} to ${after}`;
}

/**
 * Pulls one server and edits the code that uses it. Returns what `fix` prints; undefined if no file changed. Everything
 * is added to the index: the work tree had no changes before.
 *
 * @param {Job} job
 * @param {Server} server
 */
function edit(job, { name }) {
  const pulled = runProgram(job, ["pull", name, "--no-frozen", ...sourceOf(job)]);
  expectDone(`pull ${name}`, pulled);
  const fixed = readProgram(job, ["fix", "--write", "--no-color"]);
  expectDone("fix", fixed.exitCode);
  stage(job);
  return tryGit(job, "diff", "--cached", "--quiet").status === 0 ? undefined : fixed.stdout;
}

/** @param {Job} job */
function sourceOf({ inputs }) {
  return inputs.php ? ["--php"] : [];
}

/**
 * @param {string} command
 * @param {number} exitCode
 */
function expectDone(command, exitCode) {
  if (exitCode > 1)
    throw new ActionError(exitCode, `${command} ended with exit code ${exitCode}: the log says why.`);
}

/** @param {Job} job */
function stage(job) {
  git(job, "-C", git(job, "rev-parse", "--show-toplevel"), "add", "--all");
}

/**
 * The text of a pull request: the report of `diff`, what is held back, and what `fix` edited and left.
 *
 * @param {Job} job
 * @param {Server} server
 * @param {string} edits
 */
async function describe(job, { name, held }, edits) {
  const report = fitText(await reportOf(job, name), MOST_REPORT);
  const most = (MOST_TEXT - report.length - 200) / 2;
  const parts = [
    ["Held back", held.join("\n")],
    ["Edits of your code", edits.trimEnd()],
  ].map(([title, text = ""]) =>
    text === "" ? "" : `\n### ${title ?? ""}\n\n${fence(fitText(text, most))}\n`,
  );
  return `${report}${parts.join("")}`;
}

/**
 * What `diff` says of a server; a project that had no lock has nothing to compare with.
 *
 * @param {Job} job
 * @param {string} name
 */
async function reportOf(job, name) {
  if (tryGit(job, "cat-file", "-e", "HEAD^:./mcp-codegen.lock.json").status !== 0)
    return "This is the first lock of the project. Review the tools in `mcp-codegen.lock.json`.\n";
  const path = join(job.reports, `${encodeURIComponent(name)}.md`);
  const args = ["diff", "HEAD^", "HEAD", name, "--fail-on", "never", "--report", `markdown=${path}`];
  const code = runProgram(job, args);
  expectDone("diff", code);
  return readFile(path, "utf8");
}

/**
 * A block of code, in which the service interprets nothing: its fence is longer than any in the text. Long runs of
 * backticks are shortened, since such a fence could fill the pull request.
 *
 * @param {string} text
 */
function fence(text) {
  const shown = text.replaceAll(/`{20,}/g, "`".repeat(20));
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const marks = "`".repeat(longest + 1);
  return `${marks}text\n${shown}\n${marks}`;
}

/**
 * Returns the branches of servers that are no longer configured. Only a run that reads all servers knows them.
 *
 * @param {Job} job
 * @param {Base} base
 * @param {readonly Server[]} servers
 */
function findLeftBranches(job, base, servers) {
  if (job.inputs.servers.length > 0 || job.inputs.php) return [];
  const configured = new Set(
    servers
      .filter(({ status }) => status !== "removed")
      .map(({ name }) => branchOf(job, { server: name, base })),
  );
  return branchesOf(job, base).filter((branch) => !configured.has(branch));
}

/**
 * Closes the pull request of a branch, and deletes the branch if no one else used it. Otherwise returns the address of
 * the pull request.
 *
 * @param {Job} job
 * @param {string} branch
 * @param {string} reason
 */
async function withdraw(job, branch, reason) {
  const open = await findPullRequest(job, branch);
  if (open === undefined) return undefined;
  const remote = findRemote(job, branch);
  if (remote?.isEdited === true) return open.url;
  if (remote !== undefined) push(job, branch, remote.commit, "");
  await closePullRequest(job, open.number);
  show("notice", `#${open.number} is closed: ${reason}.`);
  return undefined;
}
