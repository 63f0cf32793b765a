import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatLimit, READ_LIMIT } from "../../core/limits.js";
import { McpCodegenError } from "../../core/errors.js";
import { runProgram } from "../run-program.js";

type GitAnswer =
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
  /** The text that the command reads from its input; empty by default. */
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
  const command = [
    "git",
    "--no-pager",
    ...(takesPaths ? [] : ["--literal-pathspecs"]),
    "--no-optional-locks",
  ];
  const env = { ...process.env, ...ENVIRONMENT };
  const options = { cwd: dir, env, stdin: input, limit: READ_LIMIT, signal };
  const end = await runProgram([...command, ...args], options);
  if (end.kind !== "ended") throw end.kind === "too-long" ? tooLarge(args) : noGit();
  if (end.code === 0) return { ok: true, text: end.stdout };
  return { ok: false, reason: firstLine(end.stderr) || `"git ${args.join(" ")}" failed` };
}

/** Returns those of the paths that git ignores; none outside a repository and without git. */
export async function listIgnored(dir: string, paths: readonly string[]): Promise<readonly string[]> {
  // Git exits with 1 if it ignores none, and names paths that do not exist too.
  const listed = await runGit(dir, ["check-ignore", "--", ...paths], { takesPaths: true }).catch(
    () => undefined,
  );
  return listed?.ok === true ? listed.text.split("\n").filter((path) => path !== "") : [];
}

function noGit(): McpCodegenError {
  return new McpCodegenError("GIT_FAILED", "git could not be started: it is not on the PATH.", {
    hint: "Install git, or name files instead of git refs.",
  });
}

function tooLarge(args: readonly string[]): McpCodegenError {
  const [command = ""] = args;
  return new McpCodegenError(
    "GIT_FAILED",
    `"git ${command}" printed more than ${formatLimit(READ_LIMIT)}, the limit.`,
    { hint: "Check that the ref and the path name a saved tool list or a lockfile." },
  );
}

function firstLine(text: string): string {
  return text.replace(/^fatal: /, "").split("\n", 1)[0] ?? "";
}

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
      hint: hintFor(shallow.reason, "Run this in a git repository, or name files instead of git refs."),
    });
  }
  const remotes = await listRemotes(dir);
  if (shallow.text.trim() === "true" && !ref.startsWith("-")) {
    throw new McpCodegenError("REF_UNKNOWN", `This clone is shallow and does not have "${ref}".`, {
      hint: `Run ${fetchCommand(ref, remotes)}. In GitHub Actions, set "fetch-depth: 0" for actions/checkout.`,
    });
  }
  const onRemote = ref.startsWith("-") ? undefined : await findOnRemote(dir, ref, remotes);
  const hasCommit = onRemote !== undefined || (await findCommit(dir, "HEAD")) !== undefined;
  throw new McpCodegenError("REF_UNKNOWN", `This git repository has no "${ref}".`, {
    hint: !hasCommit
      ? "It has no commit yet. Commit the lock, or name a file."
      : onRemote === undefined
        ? "Name a branch, a tag or a commit, such as HEAD~1 or origin/main."
        : `It has "${onRemote}".`,
  });
}

/** Git refuses the repository of another user, which a container in CI often has. */
function hintFor(reason: string, otherwise: string): string {
  const [, folder] = /^detected dubious ownership in repository at ('[^']+')$/.exec(reason) ?? [];
  if (folder === undefined) return otherwise;
  return `If you trust it, run "git config --global --add safe.directory ${folder}".`;
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

/**
 * Returns the text of a file at a commit; undefined when the commit does not have it. A posix path that
 * starts with `./` or `../` is relative to the folder, others to the root of the repository, as in
 * `<ref>:<path>`.
 *
 * @throws McpCodegenError `GIT_FAILED` when the object cannot be read
 */
export async function readAtCommit(dir: string, commit: string, path: string): Promise<string | undefined> {
  const blob = await runGit(dir, ["cat-file", "blob", `${commit}:${path}`]);
  if (blob.ok) return blob.text;
  const object = await findObject(dir, commit, path);
  return object === undefined ? undefined : readObject(dir, object, path);
}

/**
 * Returns the text of a file's object.
 *
 * @throws McpCodegenError `GIT_FAILED` when it cannot be read
 */
export async function readObject(dir: string, object: string, path = object): Promise<string> {
  const blob = await runGit(dir, ["cat-file", "blob", object]);
  if (blob.ok) return blob.text;
  throw new McpCodegenError("GIT_FAILED", `${JSON.stringify(path)} cannot be read: ${blob.reason}.`, {
    hint: "Name a file. In a partial clone, fetch it first.",
  });
}

/**
 * Returns the object IDs of files as in `<ref>:./<path>`, with one process; undefined for those that do not exist. Outside a
 * working tree git is not started, since that takes longer than to look for one.
 */
export async function findObjects(
  dir: string,
  names: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (!existsSync(dir) || !isInWorkingTree(realpathSync(dir))) return names.map(() => undefined);
  const answer = await runGit(dir, ["cat-file", "--batch-check"], { input: names.join("\n") });
  const lines = answer.ok ? answer.text.split("\n") : [];
  return names.map((_, index) => /^([0-9a-f]{40,64}) blob /.exec(lines[index] ?? "")?.[1]);
}

/** Whether a folder or one above it has `.git`, which is a file in a linked working tree. */
function isInWorkingTree(dir: string): boolean {
  if (existsSync(join(dir, ".git"))) return true;
  const parent = dirname(dir);
  return parent !== dir && isInWorkingTree(parent);
}

async function findObject(dir: string, commit: string, path: string): Promise<string | undefined> {
  const answer = await runGit(dir, ["rev-parse", "--verify", "--quiet", `${commit}:${path}`]);
  return answer.ok ? answer.text.trim() : undefined;
}

/** A commit that changed a file. */
export interface FileRevision {
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
// oxlint-disable-next-line no-control-regex -- separators that no hash, date or subject contains
const RECORD = /\u0001([0-9a-f]{40,64})\u0002([^\u0002]*)\u0002([^\n\0]*)\0?\n([^\u0001]*)/g;

/**
 * Returns the commits of the current branch that changed a file, newest first. A merge is one commit. Renames
 * of the file and of its folder are followed.
 *
 * @throws McpCodegenError `GIT_FAILED` without a repository or a commit
 */
export async function listRevisions(dir: string, file: string): Promise<readonly FileRevision[]> {
  const follow = ["--first-parent", "-m", "--follow", "--name-status", "--no-show-signature", "-z"];
  const args = ["log", ...follow, `--max-count=${MOST_REVISIONS}`, `--format=${FORMAT}`, "--", file];
  const answer = await runGit(dir, args);
  if (!answer.ok) {
    throw new McpCodegenError("GIT_FAILED", `The git history cannot be read: ${answer.reason}.`, {
      hint: hintFor(answer.reason, "Run this in a git repository that has a commit."),
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
