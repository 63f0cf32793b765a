import { execFile } from "node:child_process";
import { formatLimit, READ_LIMIT } from "../../contract/limits.js";
import { McpCodegenError } from "../../contract/errors.js";

/** The output of a git command, or the first line of its error. */
export type GitAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Removes the variables that git sets for hooks, which would select another repository or root. Output is
 * parsed, so it must be in English. Git must neither fetch nor prompt.
 */
const ENVIRONMENT: NodeJS.ProcessEnv = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_PREFIX: undefined,
  LC_ALL: "C",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
};

interface RunGitOptions {
  readonly signal?: AbortSignal;
  /** For a command that takes no patterns and refuses literal ones. */
  readonly takesPaths?: boolean;
  /** What the command reads from its input; nothing by default. */
  readonly input?: string;
}

/**
 * Runs git in a folder, without shell and pager, with literal paths. Nothing is fetched or written.
 *
 * @throws McpCodegenError `GIT_FAILED` when git is not installed
 */
export async function runGit(
  dir: string,
  args: readonly string[],
  { signal, takesPaths = false, input = "" }: RunGitOptions = {},
): Promise<GitAnswer> {
  const env = { ...process.env, ...ENVIRONMENT };
  const options = { cwd: dir, env, maxBuffer: READ_LIMIT, windowsHide: true, ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      ["--no-pager", ...(takesPaths ? [] : ["--literal-pathspecs"]), "--no-optional-locks", ...args],
      options,
      (error, stdout, stderr) => {
        if (error === null) resolve({ ok: true, text: stdout });
        else if (error.code === "ENOENT") reject(noGit(error));
        else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") reject(tooLarge(args, error));
        else resolve({ ok: false, reason: firstLine(stderr) || error.message });
      },
    );
    // A git that fails early closes its input, and reports why.
    child.stdin?.on("error", () => undefined).end(input);
  });
}

/** Returns those of the paths that git ignores; none outside a repository and without git. */
export async function listIgnored(dir: string, paths: readonly string[]): Promise<readonly string[]> {
  // Git exits with 1 if it ignores none, and names paths that do not exist too.
  const listed = await runGit(dir, ["check-ignore", "--", ...paths], { takesPaths: true }).catch(
    () => undefined,
  );
  return listed?.ok === true ? listed.text.split("\n").filter((path) => path !== "") : [];
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
    `"git ${command}" printed more than ${formatLimit(READ_LIMIT)}, the limit.`,
    { hint: "Check that the ref and the path name a saved tool list or a lockfile.", cause },
  );
}

function firstLine(text: string): string {
  return text.replace(/^fatal: /, "").split("\n", 1)[0] ?? "";
}
