import { McpCodegenError } from "../../contract/errors.js";
import { runGit } from "./run-git.js";

/** A commit that changed a file. */
export interface Revision {
  readonly commit: string;
  /** The date of the commit, ISO 8601. */
  readonly date: string;
  /** The first line of its message. */
  readonly subject: string;
  /** The path of the file in that commit, from the root of the repository. */
  readonly path: string;
}

/** More than any lock has. Older revisions are not read. */
const MOST_REVISIONS = 10_000;

/**
 * One record per commit, followed by the change of the file: a status and one or two paths, each ended by
 * NUL.
 */
const FORMAT = "%x01%H%x02%cI%x02%s";
// eslint-disable-next-line no-control-regex -- separators that no hash, date or subject contains
const RECORD = /\u0001([0-9a-f]{40,64})\u0002([^\u0002]*)\u0002([^\n\0]*)\0?\n([^\u0001]*)/g;

/**
 * Returns the commits of the current branch that changed a file, newest first. A merge is one commit. Renames
 * of the file and of its folder are followed.
 *
 * @throws McpCodegenError `GIT_FAILED` without a repository or a commit
 */
export async function listRevisions(dir: string, file: string): Promise<readonly Revision[]> {
  const follow = ["--first-parent", "-m", "--follow", "--name-status", "--no-show-signature", "-z"];
  const args = ["log", ...follow, `--max-count=${MOST_REVISIONS}`, `--format=${FORMAT}`, "--", file];
  const answer = await runGit(dir, args);
  if (!answer.ok) {
    throw new McpCodegenError("GIT_FAILED", `The git history cannot be read: ${answer.reason}.`, {
      hint: "Run this in a git repository that has a commit.",
    });
  }
  return [...answer.text.matchAll(RECORD)].map(([, commit = "", date = "", subject = "", change = ""]) => ({
    commit,
    date,
    subject,
    path:
      change
        .split("\0")
        .filter((part) => part !== "")
        .at(-1) ?? file,
  }));
}

/** Whether the clone has only a part of the history. */
export async function isShallow(dir: string): Promise<boolean> {
  const answer = await runGit(dir, ["rev-parse", "--is-shallow-repository"]);
  return answer.ok && answer.text.trim() === "true";
}
