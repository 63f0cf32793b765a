// Finds the commit that a pull request is compared with.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fetchBranch, fetchRefs, git, isShallow, tryGit } from "./git.js";
import { ActionError, messageOf, show } from "./report.js";

/** @typedef {import("./job.js").Job} Job */

/**
 * Returns the commit of the base branch that the checkout is based on, not the tip of that branch: what others merged
 * since is not a change of the pull request. Throws if the commit cannot be found.
 *
 * @param {Job} job
 * @param {string} base
 */
export function findBaseCommit(job, base) {
  const parent = findMergedParent(job);
  if (parent !== undefined) {
    if (tryGit(job, "cat-file", "-e", `${parent}^{commit}`).status !== 0)
      fetchRefs(job, ["--depth=1"], parent);
    return parent;
  }
  const tip = updateBranch(job, base);
  const found = findMergeBase(job, tip) ?? (isShallow(job) ? deepen(job, base, tip) : undefined);
  if (found !== undefined) return found;
  throw new ActionError(3, "it has no commit in common with the checkout.");
}

/**
 * Returns the first parent of the merge commit that the service made of the pull request; undefined if another commit is
 * checked out. Git does not list the parents of a shallow clone's last commit, but the commit itself has them.
 *
 * @param {Job} job
 */
function findMergedParent(job) {
  const isServiceMerge =
    /^refs\/pull\/\d+\/merge$/.test(job.ref) && git(job, "rev-parse", "HEAD") === job.sha;
  if (!isServiceMerge) return undefined;
  const [header = ""] = git(job, "cat-file", "commit", "HEAD").split("\n\n");
  const parents = [...header.matchAll(/^parent ([\da-f]+)$/gm)].map(([, parent]) => parent);
  return parents.length === 2 ? parents[0] : undefined;
}

/**
 * Fetches the last commit of the base branch, and returns its ref. Where the job may not fetch, the checkout's own ref
 * must do.
 *
 * @param {Job} job
 * @param {string} base
 */
function updateBranch(job, base) {
  try {
    return fetchBranch(job, base, 1);
  } catch (error) {
    const ref = `refs/remotes/origin/${base}`;
    if (tryGit(job, "rev-parse", "--verify", "--quiet", ref).status !== 0) throw error;
    show(
      "warning",
      `Cannot fetch ${base}, so its commit in the checkout, which may be older, is used: ${messageOf(error)}`,
    );
    return ref;
  }
}

/**
 * Returns the merge base; undefined if there is none, or if a shallow clone lacks commits that may be nearer.
 *
 * @param {Job} job
 * @param {string} tip
 */
function findMergeBase(job, tip) {
  const { status, stdout } = tryGit(job, "merge-base", "HEAD", tip);
  if (status !== 0) return undefined;
  const found = stdout.trim();
  if (!isShallow(job)) return found;
  const path = resolve(job.folder, git(job, "rev-parse", "--git-path", "shallow"));
  const cut = new Set(readFileSync(path, "utf8").split("\n"));
  const nearer = git(job, "rev-list", "HEAD", tip, `^${found}`).split("\n");
  return nearer.some((commit) => commit !== "" && cut.has(commit)) ? undefined : found;
}

/**
 * Fetches commits until the merge base is found: some, then all.
 *
 * @param {Job} job
 * @param {string} base
 * @param {string} tip
 */
function deepen(job, base, tip) {
  const refs = [`+refs/heads/${base}:${tip}`, git(job, "rev-parse", "HEAD")];
  try {
    for (const depth of ["--deepen=100", "--unshallow"]) {
      if (!isShallow(job)) break;
      fetchRefs(job, [depth], ...refs);
      const found = findMergeBase(job, tip);
      if (found !== undefined) return found;
    }
  } catch (error) {
    throw new ActionError(
      3,
      `this shallow clone does not contain the merge base. Set "fetch-depth: 0" of actions/checkout. (${messageOf(error)})`,
      { cause: error },
    );
  }
  return undefined;
}
