// The branch of a server's pull request, here and at the remote.
import { fetchBranch, git, gitRemote, tryGit } from "./git.js";

/** @typedef {import("./job.js").Job} Job */

const AUTHOR = "41898282+github-actions[bot]@users.noreply.github.com";
/** In the message of a commit: the commit that it was made on. Another parent means that someone else committed. */
const BASE = "Base: ";
const IDENTITY = ["-c", "user.name=github-actions[bot]", "-c", `user.email=${AUTHOR}`];

/** @typedef {{ readonly branch: string, readonly isDefault: boolean }} Base */

const FOLDER = "mcp-codegen/";

/**
 * The name of a server's branch. The folder follows if it is not the root, and the base if it is not the default branch:
 * `mcp-codegen/shop@apps+web@release`. No two names are equal, and none is the folder of another.
 *
 * @param {Pick<Job, "place">} job
 * @param {{ readonly server: string, readonly base: Base }} of
 */
export function branchOf({ place }, { server, base }) {
  const parts = [server, place === "." ? "" : place, base.isDefault ? "" : base.branch];
  const encoded = parts.map((part) =>
    part
      .replaceAll(/[^\w/-]/gu, (letter) =>
        [...Buffer.from(letter)].map((byte) => `=${byte.toString(16).padStart(2, "0")}`).join(""),
      )
      .replaceAll("/", "+"),
  );
  return `${FOLDER}${encoded.join("@").replace(/@+$/, "")}`;
}

/**
 * Returns the remote's branches that are named for any server with this folder and base.
 *
 * @param {Job} job
 * @param {Base} base
 */
export function branchesOf(job, base) {
  const listed = gitRemote(job, "read", "ls-remote", "origin", `refs/heads/${FOLDER}*`);
  const names = Array.from(listed.matchAll(/\trefs\/heads\/(.+)$/gm), ([, name = ""]) => name);
  const ending = branchOf(job, { server: "", base }).slice(FOLDER.length);
  return names.filter((name) => name.replace(/^[^@]*/, "") === ending);
}

/**
 * Whether a branch is the remote's default branch; no branch is if the remote has no such branch. Events are not asked:
 * not all of them say it, and a server must have the same branch whatever starts the workflow.
 *
 * @param {Job} job
 * @param {string} branch
 */
export function isDefaultBranch(job, branch) {
  const head = gitRemote(job, "read", "ls-remote", "--symref", "origin", "HEAD");
  return head.startsWith(`ref: refs/heads/${branch}\t`);
}

/**
 * Commits what is in the index, on the commit that is checked out.
 *
 * @param {Job} job
 * @param {string} title
 * @param {string} base
 */
export function commit(job, title, base) {
  git(job, ...IDENTITY, "commit", "--quiet", "--message", `${title}\n\n${BASE}${base}`);
}

/**
 * Returns the last commit of the branch at the remote, and whether someone else committed to it; undefined without the
 * branch.
 *
 * @param {Job} job
 * @param {string} branch
 */
export function findRemote(job, branch) {
  if (gitRemote(job, "read", "ls-remote", "origin", `refs/heads/${branch}`) === "") return undefined;
  // The last commit, and the base that it was made on.
  const ref = fetchBranch(job, branch, 2);
  const [committer, parents, body] = git(job, "log", "-1", "--format=%ce%x00%P%x00%b", ref).split("\0");
  const isEdited = committer !== AUTHOR || body?.trim() !== `${BASE}${parents ?? ""}`;
  return { commit: git(job, "rev-parse", ref), isEdited };
}

/**
 * Whether the remote branch already has these files on this base: pushing again would only start its checks again.
 *
 * @param {Job} job
 * @param {string} commit
 */
export function isSame(job, commit) {
  return ["^{tree}", "^"].every(
    (what) =>
      git(job, "rev-parse", `HEAD${what}`) === tryGit(job, "rev-parse", `${commit}${what}`).stdout.trim(),
  );
}

/**
 * @param {Job} job
 * @param {string} branch
 * @param {string | undefined} expected the commit that the push replaces; another one is not overwritten
 * @param {string} [commit] an empty text deletes the branch
 */
export function push(job, branch, expected = "", commit = "HEAD") {
  const lease = `--force-with-lease=refs/heads/${branch}:${expected}`;
  gitRemote(job, "write", "push", "--quiet", lease, "origin", `${commit}:refs/heads/${branch}`);
}
