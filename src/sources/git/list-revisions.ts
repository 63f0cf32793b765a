import { McpCodegenError } from "../../contract/errors.js";
import { runGit } from "./run-git.js";

/** A commit that touched a file, and the file's path then, from the root of the repository. */
export interface Revision {
  readonly commit: string;
  /** When it was committed, ISO 8601. */
  readonly date: string;
  /** The first line of its message. */
  readonly subject: string;
  readonly path: string;
}

/** No lock has so many; a repository that says so is read no further. */
const MOST_REVISIONS = 10_000;

/** A record for each commit, then the file's change in it: letters and one or two paths, each ended by NUL. */
const FORMAT = "%x01%H%x02%cI%x02%s";
// eslint-disable-next-line no-control-regex -- marks that no hash, date or subject line is made of
const RECORD = /\u0001([0-9a-f]{40,64})\u0002([^\u0002]*)\u0002([^\n\0]*)\0?\n([^\u0001]*)/g;

/**
 * The commits of the present branch that touched a file, newest first: a merge counts as one step. Renames of the file
 * and of its folder are followed.
 *
 * @throws McpCodegenError `GIT_FAILED` outside of a repository, or without a commit
 */
export async function listRevisions(dir: string, file: string): Promise<readonly Revision[]> {
  const follow = ["--first-parent", "-m", "--follow", "--name-status", "--no-show-signature", "-z"];
  const args = ["log", ...follow, `--max-count=${MOST_REVISIONS}`, `--format=${FORMAT}`, "--", file];
  const answer = await runGit(dir, args);
  if (!answer.ok) {
    throw new McpCodegenError("GIT_FAILED", `There is no history to read: ${answer.reason}.`, {
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

/** Whether history ends where the clone does, and not where it began. */
export async function isShallow(dir: string): Promise<boolean> {
  const answer = await runGit(dir, ["rev-parse", "--is-shallow-repository"]);
  return answer.ok && answer.text.trim() === "true";
}
