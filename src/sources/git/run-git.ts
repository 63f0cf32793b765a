import { execFile } from "node:child_process";
import { formatLimit, READ_LIMIT } from "../../contract/limits.js";
import { McpCodegenError } from "../../contract/errors.js";

/** What a git command said: its output, or that it failed and the first line of why. */
export type GitAnswer =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/**
 * A hook of git's is told which repository and work tree it runs for, and then a folder below is taken for the root.
 * What git says is read here, so it is said in one language; what it lacks is not fetched, and nobody is asked.
 */
const ENVIRONMENT: NodeJS.ProcessEnv = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_PREFIX: undefined,
  LC_ALL: "C",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
};

/**
 * Runs git in a folder: no shell, no pager, paths taken literally. Nothing is fetched and nothing is written.
 *
 * @throws McpCodegenError `GIT_FAILED` when there is no git
 */
export async function runGit(
  dir: string,
  args: readonly string[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<GitAnswer> {
  const env = { ...process.env, ...ENVIRONMENT };
  const options = { cwd: dir, env, maxBuffer: READ_LIMIT, windowsHide: true, ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      ["--no-pager", "--literal-pathspecs", "--no-optional-locks", ...args],
      options,
      (error, stdout, stderr) => {
        if (error === null) resolve({ ok: true, text: stdout });
        else if (error.code === "ENOENT") reject(noGit(error));
        else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") reject(tooLarge(args, error));
        else resolve({ ok: false, reason: firstLine(stderr) || error.message });
      },
    );
    child.stdin?.end();
  });
}

function noGit(cause: Error): McpCodegenError {
  return new McpCodegenError("GIT_FAILED", "git could not be started: it is not on the PATH.", {
    hint: "Install git, or name files instead of git refs.",
    cause,
  });
}

function tooLarge(args: readonly string[], cause: Error): McpCodegenError {
  const [command = ""] = args;
  return new McpCodegenError(
    "GIT_FAILED",
    `"git ${command}" printed more than ${formatLimit(READ_LIMIT)}, the most that is read from git.`,
    { hint: "Check that the ref and the path name a saved tool list or a lockfile.", cause },
  );
}

function firstLine(text: string): string {
  return text.replace(/^fatal: /, "").split("\n", 1)[0] ?? "";
}
