import { McpCodegenError } from "../../contract/errors.js";
import { runGit } from "./run-git.js";

/**
 * Returns the text of a file at a commit; undefined when the commit does not have it. A posix path that
 * starts with `./` or `../` is relative to the folder, others to the root of the repository, as in
 * `<ref>:<path>`.
 *
 * @throws McpCodegenError `GIT_FAILED` when the object cannot be read
 */
export async function readAtCommit(dir: string, commit: string, path: string): Promise<string | undefined> {
  const object = await findObject(dir, commit, path);
  if (object === undefined) return undefined;
  const blob = await runGit(dir, ["cat-file", "blob", object]);
  if (blob.ok) return blob.text;
  throw new McpCodegenError("GIT_FAILED", `${JSON.stringify(path)} cannot be read: ${blob.reason}.`, {
    hint: "Name a file. In a partial clone, fetch it first.",
  });
}

async function findObject(dir: string, commit: string, path: string): Promise<string | undefined> {
  const answer = await runGit(dir, ["rev-parse", "--verify", "--quiet", `${commit}:${path}`]);
  return answer.ok ? answer.text.trim() : undefined;
}
