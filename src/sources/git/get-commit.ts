import { McpCodegenError } from "../../contract/errors.js";
import { runGit } from "./run-git.js";

/** The commit that a ref names, as an object id; undefined when the repository has no such commit, or there is none. */
export async function findCommit(dir: string, ref: string): Promise<string | undefined> {
  // What begins with a hyphen would be an option of git's.
  if (ref === "" || ref.startsWith("-") || ref.includes("\0")) return undefined;
  const answer = await runGit(dir, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  return answer.ok ? answer.text.trim() : undefined;
}

/**
 * As {@link findCommit}.
 *
 * @throws McpCodegenError `GIT_FAILED` without git or outside of a repository, `REF_UNKNOWN` for a ref that the
 * repository does not have. When the clone is shallow, that is named as the cause, with the command that mends it.
 */
export async function getCommit(dir: string, ref: string): Promise<string> {
  return (await findCommit(dir, ref)) ?? refuseRef(dir, ref);
}

async function refuseRef(dir: string, ref: string): Promise<never> {
  const shallow = await runGit(dir, ["rev-parse", "--is-shallow-repository"]);
  if (!shallow.ok) {
    throw new McpCodegenError("GIT_FAILED", `"${ref}" cannot be looked up: ${shallow.reason}.`, {
      hint: "Run this in a git repository, or name files instead of git refs.",
    });
  }
  const remotes = await listRemotes(dir);
  if (shallow.text.trim() === "true" && !ref.startsWith("-")) {
    throw new McpCodegenError("REF_UNKNOWN", `This clone is shallow, and "${ref}" is not in it.`, {
      hint: `Run ${fetchCommand(ref, remotes)}. In GitHub Actions, "fetch-depth: 0" for actions/checkout does.`,
    });
  }
  const there = ref.startsWith("-") ? undefined : await findOnRemote(dir, ref, remotes);
  throw new McpCodegenError("REF_UNKNOWN", `This git repository has no "${ref}".`, {
    hint:
      there === undefined
        ? "Name a branch, a tag or a commit, such as HEAD~1 or origin/main."
        : `It has "${there}".`,
  });
}

async function listRemotes(dir: string): Promise<readonly string[]> {
  const answer = await runGit(dir, ["remote"]);
  return answer.ok ? answer.text.split("\n").filter((line) => line !== "") : [];
}

/** Continuous integration checks one branch out: the others are there as the remote's. */
async function findOnRemote(
  dir: string,
  ref: string,
  remotes: readonly string[],
): Promise<string | undefined> {
  for (const remote of remotes) {
    if ((await findCommit(dir, `${remote}/${ref}`)) !== undefined) return `${remote}/${ref}`;
  }
  return undefined;
}

/**
 * The command that brings a ref into a shallow clone. A clone of one branch does not track others, so that the branch
 * has to be told its place.
 */
function fetchCommand(ref: string, remotes: readonly string[]): string {
  const remote = remotes.find((name) => ref.startsWith(`${name}/`)) ?? remotes[0] ?? "origin";
  const branch = ref.startsWith(`${remote}/`) ? ref.slice(remote.length + 1) : ref;
  if (/^[0-9a-f]{40}$/.test(ref)) return `"git fetch --depth=1 ${remote} ${ref}"`;
  const isName =
    /^\w[\w./-]*$/.test(branch) && !/^[0-9a-f]{7,}$/.test(branch) && !/^(?:HEAD|refs\/)/.test(ref);
  if (!isName) return '"git fetch --unshallow"';
  const command = `"git fetch --depth=1 ${remote} +${branch}:refs/remotes/${remote}/${branch}"`;
  return branch === ref ? `${command} and compare with "${remote}/${branch}"` : command;
}
