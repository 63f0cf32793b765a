import { McpCodegenError } from "../../contract/errors.js";
import { runGit } from "./run-git.js";

/**
 * Returns the object ID of a ref's commit; undefined when the repository does not have it, or there is no
 * repository.
 */
export async function findCommit(dir: string, ref: string): Promise<string | undefined> {
  // Git would read it as an option.
  if (ref === "" || ref.startsWith("-") || ref.includes("\0")) return undefined;
  const answer = await runGit(dir, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  return answer.ok ? answer.text.trim() : undefined;
}

/**
 * As {@link findCommit}, but throws.
 *
 * @throws McpCodegenError `GIT_FAILED` without git or a repository, `REF_UNKNOWN` for a ref that the
 *   repository does not have. In a shallow clone, the hint names the command that fetches it.
 */
export async function getCommit(dir: string, ref: string): Promise<string> {
  return (await findCommit(dir, ref)) ?? refuseRef(dir, ref);
}

async function refuseRef(dir: string, ref: string): Promise<never> {
  const shallow = await runGit(dir, ["rev-parse", "--is-shallow-repository"]);
  if (!shallow.ok) {
    throw new McpCodegenError("GIT_FAILED", `"${ref}" cannot be resolved: ${shallow.reason}.`, {
      hint: "Run this in a git repository, or name files instead of git refs.",
    });
  }
  const remotes = await listRemotes(dir);
  if (shallow.text.trim() === "true" && !ref.startsWith("-")) {
    throw new McpCodegenError("REF_UNKNOWN", `This clone is shallow and does not have "${ref}".`, {
      hint: `Run ${fetchCommand(ref, remotes)}. In GitHub Actions, set "fetch-depth: 0" for actions/checkout.`,
    });
  }
  const onRemote = ref.startsWith("-") ? undefined : await findOnRemote(dir, ref, remotes);
  throw new McpCodegenError("REF_UNKNOWN", `This git repository has no "${ref}".`, {
    hint:
      onRemote === undefined
        ? "Name a branch, a tag or a commit, such as HEAD~1 or origin/main."
        : `It has "${onRemote}".`,
  });
}

async function listRemotes(dir: string): Promise<readonly string[]> {
  const answer = await runGit(dir, ["remote"]);
  return answer.ok ? answer.text.split("\n").filter((line) => line !== "") : [];
}

/**
 * Returns the remote branch of this name. CI checks out one branch and has the others only as remote
 * branches.
 */
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
 * Returns the command that fetches a ref into a shallow clone. A clone of one branch does not track others,
 * so the command names where to store the branch.
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
